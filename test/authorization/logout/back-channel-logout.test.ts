import t, { type Test } from 'tap';
import { openStore } from '../../../src/authorization/open-service.ts';
import { waitAfter } from '../../../src/authorization/outbox/settle.ts';
import { type Clock, seconds, systemClock } from '../../../src/base/clock.ts';
import { sha256 } from '../../../src/base/secret.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { type FrontService, openTab, signedIn } from '../browser/walk.ts';
import { callback2, loggedIn, openidPath, redeemed, rp, rp2, runProvider, verified, walk } from '../openid/provider.ts';
import { onLoopback, type RelyingParty, relyingParty, silentParty } from '../openid/relying-party.ts';
import { basic, callback, configuration } from '../running-service.ts';

const logout = (id_token: string) => `/oauth2/logout?${new URLSearchParams({ id_token_hint: id_token })}`;

async function providerFor(t: Test, party: Pick<RelyingParty, 'url'>, more: Parameters<typeof runProvider>[1] = {}) {
  return runProvider(t, { client: { backchannel_logout_uri: party.url }, config: onLoopback, ...more });
}

t.test('each client of the session gets a logout token, and no other client does', async (t) => {
  const [party, bystander] = [await relyingParty(t), await relyingParty(t)];
  const service = await providerFor(t, party, {
    clients: [
      { client_id: 'bystander', client_secret: rp.secret, scope: 'openid', backchannel_logout_uri: bystander.url },
    ],
  });
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  const claims = await verified(service, id_token);
  await redeemed(service, await walk(tab, openidPath({ client_id: rp2.id, redirect_uri: callback2 })), rp2, callback2);
  await tab.get(logout(id_token));
  t.ok(await until(() => party.tokens.length > 0));
  const [token = ''] = party.tokens;
  const told = await verified(service, token, { typ: 'logout+jwt' });
  t.match(told, { sub: 'alice', aud: rp.id, sid: claims.sid, jti: /./ });
  t.strictSame(told.events, { 'http://schemas.openid.net/event/backchannel-logout': {} });
  t.equal(told.nonce, undefined);
  t.equal(Number(told.exp) - Number(told.iat), 120);
  t.ok(await until(async () => (await service.service.records.countLogoutNotices()) === 0));
  t.equal(party.tokens.length, 1);
  t.equal(bystander.tokens.length, 0);
  t.match(service.logged(), '"event":"backchannel_logout"');
});

t.test('the ID token and the logout token are not valid in each other’s place', async (t) => {
  const party = await relyingParty(t);
  const service = await providerFor(t, party);
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  await tab.get(logout(id_token));
  t.ok(await until(() => party.tokens.length > 0));
  const [token = ''] = party.tokens;
  t.equal((await tab.get(logout(token))).status, 400);
});

t.test('a client that fails gets the token again, with the same jti, until it answers 200 or 204', async (t) => {
  const party = await relyingParty(t, [500, 302, 204]);
  const clock = settableClock();
  const directory = temporaryFolder(t);
  const { records, delayed } = await recordsWithDelays(directory, clock);
  const service = await providerFor(t, party, { deps: { clock, directory, records } });
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  await tab.get(logout(id_token));
  for (const attempts of [1, 2]) {
    t.ok(await until(() => delayed() === attempts), `attempt ${attempts}`);
    clock.advance(waitAfter(attempts) * 1000);
    service.service.sessionEnded.ring();
  }
  t.ok(await until(async () => (await service.service.records.countLogoutNotices()) === 0));
  const ids = await Promise.all(party.tokens.map(async (token) => payload(token).jti));
  t.equal(new Set(ids).size, 1);
  t.equal(party.tokens.length, 3);
});

/** Counts the delays that are stored. Before that, the clock must not move. */
async function recordsWithDelays(directory: string, clock: Clock) {
  const records = await openStore(configuration(), { directory, clock });
  let delayed = 0;
  const delayLogoutNotice: typeof records.delayLogoutNotice = async (...notice) => {
    await records.delayLogoutNotice(...notice);
    delayed++;
  };
  const watched = new Proxy(records, {
    get: (target, verb) => (verb === 'delayLogoutNotice' ? delayLogoutNotice : Reflect.get(target, verb)),
  });
  return { records: watched, delayed: () => delayed };
}

t.test('a client that does not answer delays only its own logout tokens', async (t) => {
  const [party, silent] = [await relyingParty(t), await silentParty(t)];
  const slow = { id: 'slow', secret: rp.secret };
  const service = await providerFor(t, party, {
    config: { outbound: { ...onLoopback.outbound, timeout: 600_000 } },
    clients: [
      {
        client_id: slow.id,
        client_secret: slow.secret,
        scope: 'openid',
        grant_types: ['authorization_code'],
        redirect_uris: [callback],
        backchannel_logout_uri: silent.url,
      },
    ],
  });
  const path = openidPath({ client_id: slow.id });
  for (let sessions = 0; sessions < 25; sessions++) {
    const tab = openTab(service);
    await tab.get(logout((await redeemed(service, await walk(tab, path), slow)).id_token));
  }
  t.ok(await until(() => silent.asked() === 8));
  const tab = openTab(service);
  await tab.get(logout((await loggedIn(service, {}, tab)).id_token));
  t.ok(await until(() => party.tokens.length === 1));
  t.equal(silent.asked(), 8);
  silent.close();
});

t.test('a client with many ended sessions gets all logout tokens', async (t) => {
  const party = await relyingParty(t);
  const service = await providerFor(t, party);
  for (let sessions = 0; sessions < 25; sessions++) await loggedIn(service);
  const tab = await signedIn(service);
  const account = await tab.get('/oauth2/account');
  await tab.post('/oauth2/account/sign-out-everywhere', { csrf: account.field('csrf') });
  t.ok(await until(() => party.tokens.length === 25));
  t.ok(await until(async () => (await service.service.records.countLogoutNotices()) === 0));
  t.equal(new Set(party.tokens.map((token) => payload(token).jti)).size, 25);
});

function payload(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

t.test('400 ends the attempts, and the audit log says so', async (t) => {
  const party = await relyingParty(t, [400]);
  const service = await providerFor(t, party);
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  await tab.get(logout(id_token));
  t.ok(await until(() => service.logged().includes('"event":"backchannel_logout_refused"')));
  t.equal(await service.service.records.countLogoutNotices(), 0);
});

t.test('after a day without an answer the service gives up, and the audit log says so', async (t) => {
  const party = await relyingParty(t, Array(100).fill(503));
  const clock = settableClock();
  const service = await providerFor(t, party, { deps: { clock } });
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  await tab.get(logout(id_token));
  t.ok(await until(() => party.tokens.length === 1));
  clock.advance(25 * 3_600_000);
  service.service.sessionEnded.ring();
  t.ok(await until(() => service.logged().includes('"event":"backchannel_logout_failed"')));
  t.equal(await service.service.records.countLogoutNotices(), 0);
});

const stored = { id: 'stored', secret: 'cs_stored-secret-of-32-bytes-or-more' };

/** Replaces the registration of the stored client. */
async function register({ service }: FrontService, metadata: Record<string, unknown>): Promise<void> {
  const { records, clock } = service;
  const createdAt = seconds(clock);
  const secrets = [{ hash: sha256(stored.secret), createdAt, expiresAt: undefined }];
  await records.unregisterClient(stored.id);
  await records.addClient({ id: stored.id, metadata, secrets, createdAt });
}

/** A session of a stored client has ended, and its registration cannot be read. */
async function endedUnread(t: Test) {
  const party = await relyingParty(t);
  const clock = settableClock();
  const service = await runProvider(t, { config: onLoopback, deps: { clock } });
  const metadata = {
    redirect_uris: [callback],
    scope: 'openid',
    grant_types: ['authorization_code'],
    backchannel_logout_uri: party.url,
  };
  await register(service, metadata);
  const tab = openTab(service);
  await redeemed(service, await walk(tab, openidPath({ client_id: stored.id })), stored);
  const account = await tab.get('/oauth2/account');
  await register(service, { ...metadata, redirect_uris: 'not a list' });
  await tab.post('/oauth2/sign-out', { csrf: account.field('csrf') });
  const told = (event: string) => until(() => service.logged().includes(`"event":"backchannel_logout_${event}"`));
  return { party, clock, service, metadata, told };
}

t.test(
  'a client whose registration cannot be read gets no more attempts after a day, and the audit log says so',
  async (t) => {
    const { party, clock, service, told } = await endedUnread(t);
    const { records, sessionEnded } = service.service;
    t.ok(await told('delayed'));
    t.equal(await records.countLogoutNotices(), 1);
    t.ok(await until(() => service.logged().includes('the client stored in the store cannot be read')));
    clock.advance(25 * 3_600_000);
    sessionEnded.ring();
    t.ok(await told('failed'));
    t.ok(await until(async () => (await records.countLogoutNotices()) === 0));
    t.match(service.logged(), '"detail":"the registration of the client cannot be read"');
    t.equal(party.tokens.length, 0);
  },
);

t.test('a registration that is repaired within the day gets its logout token', async (t) => {
  const { party, clock, service, metadata, told } = await endedUnread(t);
  t.ok(await told('delayed'));
  await register(service, metadata);
  clock.advance(waitAfter(1) * 1000);
  service.service.sessionEnded.ring();
  t.ok(await until(() => party.tokens.length === 1));
});

t.test('the wait doubles from attempt to attempt, up to an hour', async (t) => {
  t.strictSame([1, 2, 3, 11, 12, 40].map(waitAfter), [2, 4, 8, 2048, 3600, 3600]);
});

t.test('signing out everywhere tells the clients of all sessions', async (t) => {
  const party = await relyingParty(t);
  const service = await providerFor(t, party);
  const sids = new Set<unknown>();
  for (let i = 0; i < 3; i++) sids.add((await verified(service, (await loggedIn(service)).id_token)).sid);
  const tab = await signedIn(service);
  const account = await tab.get('/oauth2/account');
  await tab.post('/oauth2/account/sign-out-everywhere', { csrf: account.field('csrf') });
  t.ok(await until(() => party.tokens.length === 3));
  t.strictSame(new Set(party.tokens.map((token) => payload(token).sid)), sids);
});

t.test('a URL that leads to a private address is never connected to', async (t) => {
  const party = await relyingParty(t);
  const service = await runProvider(t, { client: { backchannel_logout_uri: party.url } });
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  await tab.get(logout(id_token));
  t.ok(
    await until(async () => (await (await fetch(`${service.admin}/metrics`)).text()).includes('result="failed"} 1')),
  );
  t.equal(party.tokens.length, 0);
});

t.test('the notice of a client that was removed is dropped', async (t) => {
  const service = await runProvider(t);
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  await tab.get(logout(id_token));
  t.ok(await until(async () => (await service.service.records.countLogoutNotices()) === 0));
});

t.test(
  'a service that is no longer an OpenID Provider refreshes without ID tokens, and still sends logout tokens',
  async (t) => {
    const party = await relyingParty(t);
    const before = await providerFor(t, party);
    const tab = openTab(before);
    const { refresh_token = '' } = await loggedIn(before, {}, tab);
    await before.stop();
    const { openid } = before.service.config;
    const after = await providerFor(t, party, {
      deps: { directory: before.directory },
      openid: { ...openid, enabled: false },
    });
    const response = await after.post('/oauth2/token', { grant_type: 'refresh_token', refresh_token }, basic(rp));
    t.equal(response.status, 200);
    t.notOk('id_token' in ((await response.json()) as object));
    await after.service.records.signOutEverywhere({
      subject: 'alice',
      now: seconds(systemClock),
      keysUntil: undefined,
    });
    after.service.sessionEnded.ring();
    t.ok(await until(() => party.tokens.length === 1));
  },
);
