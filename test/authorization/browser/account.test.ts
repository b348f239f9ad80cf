import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { StorageUnavailable } from '../../../src/storage/engine/errors.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { refresh, type TokenAnswer } from '../grant-flow.ts';
import { basic, web } from '../running-service.ts';
import {
  answered,
  authorizePath,
  callback,
  clientsWith,
  decide,
  openTab,
  runFront,
  sessionName,
  sessionOf,
  signedIn,
  type Tab,
  verifier,
} from './walk.ts';

async function tokensOf(service: Awaited<ReturnType<typeof runFront>>, tab: Tab) {
  const page = await tab.get(authorizePath());
  const granted = page.status === 303 ? page : await decide(tab, page, ['orders.read']);
  const { code = '' } = answered(granted);
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
  return (await (await service.post('/oauth2/token', form, basic(web))).json()) as Record<string, string>;
}

t.test('disconnecting an app ends its tokens and its consent, and changes nothing for others', async (t) => {
  const service = await runFront(t);
  const [alice, bob] = [await signedIn(service), await signedIn(service, 'bob', 'builder')];
  const [hers, his] = [await tokensOf(service, alice), await tokensOf(service, bob)];
  const page = await alice.get('/oauth2/account');
  t.match(page.body, /Web Shop/);
  t.match(page.body, /Read your orders/);
  t.notMatch(page.body, /Change your orders/);
  const done = await alice.post('/oauth2/account/disconnect', { csrf: page.field('csrf'), client_id: 'web' });
  t.strictSame([done.status, done.location?.pathname], [303, '/oauth2/account']);
  t.match(done.location?.search, /^\?done=disconnected&at=\d+$/);
  const after = await alice.get(done.location?.href ?? '');
  t.match(
    after.body,
    /role="status">The app is disconnected.*This took effect at <time datetime="[^"]+">[^<]+:\d\d:\d\d/,
  );
  const forged = await alice.get('/oauth2/account?done=disconnected&at=1');
  t.match(forged.body, /role="status"/);
  t.notMatch(forged.body, /This took effect/, 'of long ago');
  t.notMatch(after.body, /Web Shop/);
  t.strictSame(await service.introspect(hers.access_token ?? ''), { active: false });
  const refresh = { grant_type: 'refresh_token', refresh_token: hers.refresh_token ?? '' };
  t.equal((await service.post('/oauth2/token', refresh, basic(web))).status, 400);
  t.match(await service.introspect(his.access_token ?? ''), { active: true });
  t.match((await alice.get(authorizePath())).body, /name="decision"/, 'asked again');
  t.match(service.logged(), /"app_disconnected"/);
});

t.test("an app that used the user's password is listed with its rights, and can be disconnected", async (t) => {
  const robot = { client_id: 'robot', client_name: 'Night Robot', client_secret: web.secret, scope: 'orders.write' };
  const grant_types = ['password' as const, 'refresh_token' as const];
  const service = await runFront(t, { config: { clients: clientsWith({ ...robot, grant_types }) } });
  const who = { id: 'robot', secret: web.secret };
  const form = { grant_type: 'password', username: 'alice', password: 'wonderland' };
  const tokens = (await (await service.post('/oauth2/token', form, basic(who))).json()) as TokenAnswer;
  const tab = await signedIn(service);
  const page = await tab.get('/oauth2/account');
  t.match(page.body, /Night Robot/);
  t.match(page.body, /Change your orders/);
  await tab.post('/oauth2/account/disconnect', { csrf: page.field('csrf'), client_id: 'robot' });
  t.notMatch((await tab.get('/oauth2/account')).body, /Night Robot/);
  t.strictSame(await service.introspect(tokens.access_token), { active: false });
  t.equal((await refresh(service, tokens.refresh_token, {}, who)).status, 400);
});

t.test('the audit log records only apps that were connected, whatever the form names', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  const csrf = (await tab.get('/oauth2/account')).field('csrf');
  for (const client_id of ['web', 'nobody', '"x\n'.repeat(5_000)])
    t.equal((await tab.post('/oauth2/account/disconnect', { csrf, client_id })).status, 303);
  t.notMatch(service.logged(), /"app_disconnected"/);
});

t.test("a user can end a session from another session, but cannot end another user's session", async (t) => {
  const service = await runFront(t);
  const [here, there, bob] = [
    await signedIn(service),
    await signedIn(service),
    await signedIn(service, 'bob', 'builder'),
  ];
  const page = await here.get('/oauth2/account');
  const [other = ''] = [...page.body.matchAll(/name="session" value="([^"]+)"/g)].map(([, id]) => id);
  const foreign = await bob.get('/oauth2/account');
  await bob.post('/oauth2/account/end-session', { csrf: foreign.field('csrf'), session: other });
  t.match((await there.get('/oauth2/account')).body, /name="csrf"/, 'bob cannot');
  const ended = await here.post('/oauth2/account/end-session', { csrf: page.field('csrf'), session: other });
  t.match(ended.location?.search, /^\?done=session_ended&at=\d+$/);
  t.match((await there.get('/oauth2/account')).body, /name="password"/);
  t.match((await here.get('/oauth2/account')).body, /name="csrf"/);
  t.notOk(page.body.includes(sessionOf(here) ?? 'sid'), 'no cookie is in the page');
});

t.test('the account page shows when each session was used last, and which one is this browser', async (t) => {
  const clock = settableClock(Date.UTC(2026, 6, 9, 8, 0));
  const service = await runFront(t, { clock });
  const [here, there] = [await signedIn(service), await signedIn(service)];
  const seen = async (tab: Tab) => [...(await tab.get('/oauth2/account')).body.matchAll(lastSeen)].map(([, at]) => at);
  clock.advance(4 * 60_000);
  t.strictSame(await seen(here), ['08:04', '08:00'], 'a recent use is not written');
  t.strictSame(await seen(there), ['08:04', '08:00']);
  clock.advance(60_000);
  t.strictSame(await seen(here), ['08:05', '08:00']);
  clock.advance(60_000);
  t.strictSame(await seen(there), ['08:06', '08:05'], 'this browser comes first');
  const { body } = await here.get('/oauth2/account');
  t.equal(body.match(/<span class="tag">this browser<\/span>/g)?.length, 1);
  t.equal(body.match(/same network as this browser/g)?.length, 1);
});

const lastSeen = /<dt>Last seen<\/dt><dd><time datetime="2026-07-09T(\d\d:\d\d)/g;

t.test('a page works although the last use of its session cannot be written', async (t) => {
  const clock = settableClock();
  const service = await runFront(t, { clock });
  const tab = await signedIn(service);
  Object.assign(service.service.records, {
    seeSession: () => Promise.reject(new StorageUnavailable('the disk is full')),
  });
  clock.advance(600_000);
  t.match((await tab.get('/oauth2/account')).body, /name="csrf"/);
  t.match(service.logged(), /could not record the last use of a session/);
});

t.test('forms of the account page work only from its own session and our own page', async (t) => {
  const service = await runFront(t);
  const [alice, bob] = [await signedIn(service), await signedIn(service, 'bob', 'builder')];
  await tokensOf(service, alice);
  const csrf = (await alice.get('/oauth2/account')).field('csrf');
  const consent = (await alice.get(authorizePath({ prompt: 'consent' }))).field('transaction');
  for (const path of ['/oauth2/account/disconnect', '/oauth2/account/end-session', '/oauth2/sign-out']) {
    const form = { client_id: 'web', session: 'x' };
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    t.equal((await alice.post(path, { ...form, csrf }, foreign)).status, 403, path);
    t.equal((await alice.post(path, form)).status, 403, 'no token');
    t.equal((await alice.post(path, { ...form, csrf: consent })).status, 403, 'of another page');
    t.equal((await bob.post(path, { ...form, csrf })).status, 403, 'of another browser');
    t.equal((await openTab(service).post(path, { ...form, csrf })).status, 403);
  }
  t.equal((await service.service.records.listConnectedApps('alice', 0)).length, 1);
  t.match((await alice.get('/oauth2/account')).body, /name="csrf"/, 'still signed in');
});

t.test('signing out ends the session, here and for each copy of the cookie', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  const copy = sessionOf(tab) ?? '';
  t.equal((await tab.get('/oauth2/sign-out')).location?.pathname, '/oauth2/account', 'a link alone signs nobody out');
  const page = await tab.post('/oauth2/sign-out', { csrf: (await tab.get('/oauth2/account')).field('csrf') });
  t.equal(page.status, 303);
  t.equal(sessionOf(tab), undefined);
  t.match((await tab.get(page.location?.href ?? '')).body, /href="\/oauth2\/account"/);
  tab.cookies.set(sessionName(tab), copy);
  t.match((await tab.get('/oauth2/account')).body, /name="password"/);
  t.match(service.logged(), /"logout"/);
});

t.test('the session of a user who no longer exists is not signed in', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  const { accounts } = service.service;
  Object.assign(service.service, { accounts: { ...accounts, bySubject: async () => undefined } });
  t.match((await tab.get('/oauth2/account')).body, /name="password"/);
});

t.test('the assets are served under a name that changes with their contents, and may be cached forever', async (t) => {
  const logo = join(temporaryFolder(t), 'logo.svg');
  writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const service = await runFront(t, { config: { theme: { logo, css: { '--accent': '#aa0000' } } } });
  const plain = await runFront(t);
  const { body } = await openTab(service).get('/oauth2/account');
  const stylesheet = /<link rel="stylesheet" href="([^"]+)"/.exec(body)?.[1] ?? '';
  const image = /<img src="([^"]+)"/.exec(body)?.[1] ?? '';
  for (const [path, type] of [
    [stylesheet, 'text/css; charset=utf-8'],
    [image, 'image/svg+xml'],
  ] as const) {
    const answer = await fetch(service.url + path);
    t.equal(answer.status, 200, path);
    t.match(Object.fromEntries(answer.headers), {
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    t.equal(answer.headers.get('pragma'), null);
  }
  t.match(await (await fetch(service.url + stylesheet)).text(), /#aa0000/);
  t.equal((await fetch(plain.url + stylesheet)).status, 404);
});

t.test('the pages show site_name in place of the host, and name an icon that exists', async (t) => {
  const service = await runFront(t, { config: { site_name: 'Acme <Login>' } });
  const { body } = await openTab(service).get('/oauth2/account');
  t.match(body, '<title>Sign in – Acme &#60;Login&#62;</title>');
  t.match(body, '<div class="site"><bdi>Acme &#60;Login&#62;</bdi></div>');
  t.notMatch(body, new URL(service.issuer).host);
  const icon = /<link rel="icon" href="([^"]+)"/.exec(body)?.[1] ?? '';
  for (const path of [icon, '/favicon.ico']) {
    const answer = await fetch(service.url + path);
    t.strictSame([answer.status, answer.headers.get('content-type')], [200, 'image/svg+xml'], path);
  }
});

t.test('if the issuer has a path, all pages are below that path', async (t) => {
  const service = await runFront(t, { config: { issuer: 'http://127.0.0.1:1/tenant' } });
  const tab = openTab(service);
  const login = await tab.get(`/tenant${authorizePath()}`);
  t.match(login.body, /action="\/tenant\/oauth2\/login"/);
  t.match(login.body, /href="\/tenant\/oauth2\/assets\//);
  t.equal((await tab.get(authorizePath())).status, 404);
  const form = { transaction: login.field('transaction'), username: 'alice', password: 'wonderland' };
  const page = await tab.post('/tenant/oauth2/login', form);
  t.equal(page.location?.pathname, '/tenant/oauth2/authorize');
});

t.test(
  '"sign out everywhere" ends all sessions and tokens, says since when, and does not affect later logins',
  async (t) => {
    const service = await runFront(t);
    const [here, there, bob] = [
      await signedIn(service),
      await signedIn(service),
      await signedIn(service, 'bob', 'builder'),
    ];
    const [hers, his] = [await tokensOf(service, here), await tokensOf(service, bob)];
    const page = await here.get('/oauth2/account');
    t.match(page.body, /Sign out everywhere/);
    const foreign = await bob.get('/oauth2/account');
    const forged = await here.post('/oauth2/account/sign-out-everywhere', { csrf: foreign.field('csrf') });
    t.equal(forged.status, 403);
    const done = await here.post('/oauth2/account/sign-out-everywhere', { csrf: page.field('csrf') });
    t.equal(done.status, 303);
    const told = await here.get(done.location?.href ?? '');
    t.match(told.body, /You are signed out on all devices.*This took effect at <time/);
    for (const tab of [here, there]) t.match((await tab.get('/oauth2/account')).body, /name="password"/);
    t.strictSame(await service.introspect(hers.access_token ?? ''), { active: false });
    const refresh = { grant_type: 'refresh_token', refresh_token: hers.refresh_token ?? '' };
    t.equal((await service.post('/oauth2/token', refresh, basic(web))).status, 400);
    const again = await tokensOf(service, await signedIn(service));
    t.match(await service.introspect(again.access_token ?? ''), { active: true }, 'at once');
    t.match(await service.introspect(his.access_token ?? ''), { active: true });
    t.match(service.logged(), /"signed_out_everywhere"/);
  },
);
