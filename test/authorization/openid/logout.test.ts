import t from 'tap';
import { seconds } from '../../../src/base/clock.ts';
import { makeSigningKey } from '../../../src/jwt/sign.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { until } from '../../support/until.ts';
import {
  answered,
  type FrontService,
  logIn,
  openTab,
  type Page,
  sessionOf,
  signedIn,
  type Tab,
} from '../browser/walk.ts';
import { refresh } from '../grant-flow.ts';
import { callback } from '../running-service.ts';
import {
  callback2,
  loggedIn,
  openidPath,
  redeemed,
  rp,
  rp2,
  runProvider,
  userinfo,
  verified,
  walk,
} from './provider.ts';

const bye = 'https://shop.example.com/bye';
const withBye = { client: { post_logout_redirect_uris: [bye] } };

function logoutPath(parameters: Record<string, string>): string {
  return `/oauth2/logout?${new URLSearchParams(parameters)}`;
}

function pressed(tab: Tab, page: Page): Promise<Page> {
  return tab.post('/oauth2/logout/confirm', { transaction: page.field('transaction') });
}

t.test(
  'with the ID token of the signed-in user, a logout asks nothing and goes to the registered address',
  async (t) => {
    const service = await runProvider(t, withBye);
    const tab = openTab(service);
    const { id_token } = await loggedIn(service, {}, tab);
    const answer = await tab.get(logoutPath({ id_token_hint: id_token, post_logout_redirect_uri: bye, state: 's 1' }));
    t.equal(answer.status, 303);
    t.equal(answer.location?.href, `${bye}?state=s%201`);
    t.equal(sessionOf(tab), undefined);
    t.equal(answered(await tab.get(openidPath({ prompt: 'none' }))).error, 'login_required');
  },
);

t.test('an expired ID token is still a good hint', async (t) => {
  const service = await runProvider(t, { ...withBye, openid: { id_token: { ttl: 1_000, alg: 'RS256' } } });
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  await until(async () => !(await verified(service, id_token).catch(() => undefined)), 10_000);
  const answer = await tab.get(logoutPath({ id_token_hint: id_token, post_logout_redirect_uri: bye }));
  t.equal(answer.location?.href, bye);
  t.equal(sessionOf(tab), undefined);
});

t.test('an ID token is a good hint while its session lives, even after a rotation of its key', async (t) => {
  const clock = settableClock();
  const service = await runProvider(t, { ...withBye, deps: { clock } });
  const { records, keys } = service.service;
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  const now = seconds(clock);
  await records.announceSigningKey({ ...(await makeSigningKey('RS256')), createdAt: now });
  await records.promoteSigningKey({ alg: 'RS256', publishedBefore: now, now });
  clock.advance(11.9 * 3_600_000);
  await keys.refresh();
  const answer = await tab.get(logoutPath({ id_token_hint: id_token, post_logout_redirect_uri: bye }));
  t.equal(answer.location?.href, bye);
  clock.advance(3_600_000);
  await keys.refresh();
  t.equal((await tab.get(logoutPath({ id_token_hint: id_token }))).status, 400, 'no key is kept for longer');
});

/** A form that a page of the client posts. The browser sends no cookie of ours with it. */
function posted(service: FrontService, form: Record<string, string>): Promise<Page> {
  return openTab(service).post('/oauth2/logout', form, { origin: 'https://shop.example.com' });
}

t.test('a POST of the client does the same, and no URL and no log line has the ID token', async (t) => {
  const service = await runProvider(t, withBye);
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  const turned = await posted(service, { id_token_hint: id_token, post_logout_redirect_uri: bye, state: 'x' });
  t.equal(turned.status, 303);
  const url = turned.location?.href ?? '';
  const answer = await tab.get(url);
  t.equal(answer.location?.href, `${bye}?state=x`);
  t.equal(sessionOf(tab), undefined);
  const [, claims = '', signature = ''] = id_token.split('.');
  for (const part of [claims, signature, 'alice', 'example.com']) t.notMatch(url, part);
  for (const part of [claims, signature]) t.notMatch(service.logged(), part);
});

t.test('a POST without the ID token of the signed-in user only asks, as a GET does', async (t) => {
  const service = await runProvider(t, withBye);
  const tab = openTab(service);
  const { id_token } = await loggedIn(service);
  await loggedIn(service, {}, tab);
  for (const form of [{}, { client_id: rp.id, post_logout_redirect_uri: bye }, { id_token_hint: id_token }]) {
    const turned = await posted(service, form as Record<string, string>);
    t.match((await tab.get(turned.location?.href ?? '')).body, 'Sign out?');
  }
  t.ok(sessionOf(tab));
  const turned = await posted(service, { client_id: rp.id, post_logout_redirect_uri: bye });
  const answer = await pressed(tab, await tab.get(turned.location?.href ?? ''));
  t.equal(answer.location?.href, bye);
});

t.test('a faulty POST shows a page at once, and redirects nowhere', async (t) => {
  const service = await runProvider(t, withBye);
  const { id_token } = await loggedIn(service);
  for (const form of [
    { id_token_hint: 'x' },
    { id_token_hint: id_token, post_logout_redirect_uri: callback },
    { id_token_hint: id_token, state: 'x'.repeat(9000) },
  ]) {
    const page = await posted(service, form as Record<string, string>);
    t.equal(page.status, 400);
    t.equal(page.location, undefined);
  }
});

t.test('what a POST left in the URL ends after a minute, and nobody can write it', async (t) => {
  const clock = settableClock();
  const service = await runProvider(t, { ...withBye, deps: { clock } });
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  const turned = await posted(service, { id_token_hint: id_token, post_logout_redirect_uri: bye });
  const url = turned.location?.href ?? '';
  const changed = `${url.slice(0, -2)}${url.endsWith('AA') ? 'BB' : 'AA'}`;
  const login = (await openTab(service).get('/oauth2/account')).field('transaction');
  for (const [target, status] of [
    [changed, 403],
    [logoutPath({ posted: 'x' }), 403],
    [logoutPath({ posted: login }), 403],
  ] as const) {
    const page = await tab.get(target);
    t.equal(page.status, status);
    t.equal(page.location, undefined);
  }
  clock.advance(61_000);
  const late = await tab.get(url);
  t.equal(late.location, undefined);
  t.match(late.body, 'This page has expired');
  t.ok(sessionOf(tab));
});

for (const [title, parameters] of [
  ['no parameters', {}],
  ['only a state', { state: 'x' }],
  ['a client without an ID token', { client_id: rp.id, post_logout_redirect_uri: bye }],
] as const)
  t.test(`${title}: the user is asked, and only the button signs out`, async (t) => {
    const service = await runProvider(t, withBye);
    const tab = openTab(service);
    await loggedIn(service, {}, tab);
    const page = await tab.get(logoutPath({ ...parameters }));
    t.equal(page.status, 200);
    t.match(page.body, 'Sign out?');
    t.ok(sessionOf(tab));
    const answer = await pressed(tab, page);
    const expected = 'client_id' in parameters ? bye : `${service.issuer}/oauth2/sign-out`;
    t.equal(answer.location?.href, expected);
    t.equal(sessionOf(tab), undefined);
    if (!('client_id' in parameters)) t.match((await tab.get(answer.location?.href ?? '')).body, 'You are signed out');
  });

t.test('the ID token of another user or of another session only asks', async (t) => {
  const service = await runProvider(t, withBye);
  const tab = openTab(service);
  const { id_token } = await loggedIn(service);
  await loggedIn(service, {}, tab);
  t.match((await tab.get(logoutPath({ id_token_hint: id_token }))).body, 'Sign out?');
  const bob = await signedIn(service, 'bob', 'builder');
  t.match((await bob.get(logoutPath({ id_token_hint: id_token }))).body, 'Sign out?');
  t.ok(sessionOf(bob));
});

t.test('a faulty request shows a page, redirects nowhere and signs nobody out', async (t) => {
  const service = await runProvider(t, withBye);
  const tab = openTab(service);
  const { id_token, access_token } = await loggedIn(service, {}, tab);
  const changed = `${id_token.slice(0, -6)}AAAAAA`;
  for (const parameters of [
    { id_token_hint: 'x', post_logout_redirect_uri: bye },
    { id_token_hint: changed, post_logout_redirect_uri: bye },
    { id_token_hint: access_token, post_logout_redirect_uri: bye },
    { id_token_hint: id_token, post_logout_redirect_uri: `${bye}?added=1` },
    { id_token_hint: id_token, post_logout_redirect_uri: callback },
    { id_token_hint: id_token, client_id: rp2.id },
    { client_id: 'unknown' },
    { post_logout_redirect_uri: bye },
  ]) {
    const page = await tab.get(logoutPath(parameters as Record<string, string>));
    t.equal(page.status, 400, JSON.stringify(parameters).slice(0, 80));
    t.equal(page.location, undefined);
  }
  const twice = await tab.get(`${logoutPath({ id_token_hint: id_token })}&id_token_hint=x`);
  t.equal(twice.status, 400);
  t.ok(sessionOf(tab));
});

t.test('without a session in the browser, the user goes straight back', async (t) => {
  const service = await runProvider(t, withBye);
  const { id_token } = await loggedIn(service);
  const answer = await openTab(service).get(logoutPath({ id_token_hint: id_token, post_logout_redirect_uri: bye }));
  t.equal(answer.location?.href, bye);
});

t.test('a confirmation from another browser or another page signs nobody out', async (t) => {
  const service = await runProvider(t);
  const [victim, attacker] = [await signedIn(service), await signedIn(service, 'bob', 'builder')];
  const page = await attacker.get(logoutPath({}));
  t.equal((await pressed(victim, page)).status, 403);
  const own = await victim.get(logoutPath({}));
  const foreign = { origin: 'https://evil.example' };
  const answer = await victim.post('/oauth2/logout/confirm', { transaction: own.field('transaction') }, foreign);
  t.equal(answer.status, 403);
  t.ok(sessionOf(victim));
});

t.test('a logout ends the tokens of the session at all its clients, but not those with offline_access', async (t) => {
  const service = await runProvider(t);
  const tab = openTab(service);
  const one = await loggedIn(service, { scope: 'openid orders.read' }, tab);
  const path = openidPath({ client_id: rp2.id, redirect_uri: callback2 });
  const two = await redeemed(service, await walk(tab, path), rp2, callback2);
  const kept = await loggedIn(service, { scope: 'openid offline_access' }, tab);
  const elsewhere = await loggedIn(service);
  const plain = await loggedIn(service, { scope: 'orders.read' }, tab);
  const waiting = answered(await walk(tab, openidPath())).code ?? '';
  t.equal((await tab.get(logoutPath({ id_token_hint: one.id_token }))).status, 303);
  for (const [answer, client] of [
    [one, rp],
    [two, rp2],
  ] as const) {
    t.equal((await userinfo(service, answer.access_token)).status, 401);
    t.equal((await refresh(service, answer.refresh_token, {}, client)).status, 400);
  }
  for (const answer of [kept, elsewhere]) t.equal((await userinfo(service, answer.access_token)).status, 200);
  t.equal((await refresh(service, plain.refresh_token, {}, rp)).status, 200, 'a grant without openid is no login');
  const late = { location: new URL(`https://x/?code=${waiting}`) } as Page;
  await t.rejects(redeemed(service, late), /invalid_grant/, 'a code of the ended session');
});

t.test('signing out on the account page ends the tokens of the session too', async (t) => {
  const service = await runProvider(t);
  const tab = openTab(service);
  const answer = await loggedIn(service, {}, tab);
  const account = await tab.get('/oauth2/account');
  await tab.post('/oauth2/sign-out', { csrf: account.field('csrf') });
  t.equal((await userinfo(service, answer.access_token)).status, 401);
});

t.test('a login of another user in the browser ends the session of the first', async (t) => {
  const service = await runProvider(t);
  const tab = openTab(service);
  const answer = await loggedIn(service, {}, tab);
  await logIn(tab, await tab.get(openidPath({ prompt: 'login' })), 'alice');
  t.equal((await userinfo(service, answer.access_token)).status, 200, 'the same user');
  await logIn(tab, await tab.get(openidPath({ prompt: 'login' })), 'bob', 'builder');
  t.equal((await userinfo(service, answer.access_token)).status, 401);
});

t.test('a session that has expired ends nothing at the clients', async (t) => {
  const clock = settableClock();
  const service = await runProvider(t, { deps: { clock } });
  const answer = await loggedIn(service, { scope: 'openid orders.read' });
  clock.advance(13 * 3_600_000);
  t.equal((await refresh(service, answer.refresh_token, {}, rp)).status, 200);
});
