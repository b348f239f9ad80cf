import t, { type Test } from 'tap';
import { openStore } from '../../../src/authorization/open-service.ts';
import { waitAfter } from '../../../src/authorization/outbox/settle.ts';
import { type Clock, seconds, systemClock } from '../../../src/base/clock.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { openTab, signedIn } from '../browser/walk.ts';
import { loggedIn, rp, runProvider, verified } from '../openid/provider.ts';
import { onLoopback } from '../openid/relying-party.ts';
import { type Changes, configuration, passwordHash, type RunOptions, run } from '../running-service.ts';
import { claimsOf, type EventServer, eventServer, receiving, shortly } from './receiver.ts';

const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';

function runWith(t: Test, server: EventServer, { config, ...options }: RunOptions = {}) {
  return run(t, { ...options, config: { ...onLoopback, ...receiving(server), ...config } });
}

const signOut = (subject: string) => ({ subject, now: seconds(systemClock), keysUntil: undefined });

t.test('a logout is a signed token in a request of RFC 8935', async (t) => {
  const server = await eventServer(t);
  const authorization = 'Bearer a-secret-of-the-receiver';
  const service = await runProvider(t, { config: { ...onLoopback, ...receiving(server, { authorization }) } });
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  await tab.get(`/oauth2/logout?id_token_hint=${id_token}`);
  t.ok(await until(() => server.pushed.length === 1));
  const [{ token, method, headers } = { token: '', method: '', headers: {} }] = server.pushed;
  t.equal(method, 'POST');
  t.match(headers, { 'content-type': 'application/secevent+jwt', accept: 'application/json', authorization });
  const claims = await verified(service, token, { audience: 'https://crm.example.com', typ: 'secevent+jwt' });
  t.same(Object.keys(claims).sort(), ['aud', 'events', 'iat', 'iss', 'jti', 'sub_id']);
  t.same(claims.events, { [`${CAEP}session-revoked`]: { event_timestamp: claims.iat } });
  t.match(claims.sub_id, {
    format: 'complex',
    user: { format: 'iss_sub', iss: service.issuer, sub: 'alice' },
    session: { format: 'opaque', id: /^[\w-]{22}$/ },
  });
  const audited = '"event":"security_event","receiver":"crm","sub":"alice","type":"session-revoked"';
  t.ok(await until(() => service.logged().includes(audited)));
  t.notMatch(service.logged(), /a-secret-of-the-receiver/);
  const metrics = await (await fetch(`${service.admin}/metrics`)).text();
  t.match(metrics, 'gatehouse_authorization_security_events_total{receiver="crm",result="told"} 1');
  t.match(metrics, 'gatehouse_authorization_security_events 0');
});

t.test('if the audience is a client, the token names user and session as its ID tokens do', async (t) => {
  const server = await eventServer(t);
  const config = { ...onLoopback, ...receiving(server, { audience: rp.id }) };
  const service = await runProvider(t, { client: { subject_type: 'pairwise' }, config });
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  const { sub, sid } = await verified(service, id_token);
  t.not(sub, 'alice');
  await tab.get(`/oauth2/logout?id_token_hint=${id_token}`);
  t.ok(await until(() => server.pushed.length === 1));
  const { sub_id } = claimsOf(server.pushed[0]?.token ?? '');
  t.match(sub_id, { user: { sub: String(sub) }, session: { id: String(sid) } });
});

t.test('what a user ends on the account page is an event: a session, an application, everything', async (t) => {
  const server = await eventServer(t);
  const service = await runProvider(t, { config: { ...onLoopback, ...receiving(server) } });
  const elsewhere = await signedIn(service);
  const [other] = await service.service.records.listSessions('alice', seconds(systemClock));
  const tab = openTab(service);
  await loggedIn(service, {}, tab);
  const csrf = (await tab.get('/oauth2/account')).field('csrf');
  await tab.post('/oauth2/account/end-session', { csrf, session: other?.id ?? '' });
  t.ok(await until(() => server.pushed.length === 1));
  t.equal((await elsewhere.get('/oauth2/account')).field('csrf'), '', 'the other browser is signed out');
  await tab.post('/oauth2/account/disconnect', { csrf, client_id: rp.id });
  t.ok(await until(() => server.pushed.length === 2));
  await tab.post('/oauth2/account/sign-out-everywhere', { csrf });
  t.ok(await until(() => server.pushed.length === 3));
  t.same(new Set(server.pushed.map(shortly)), new Set(['session-revoked alice']));
  const subjects = server.pushed.map(({ token }) => claimsOf(token).sub_id);
  t.match(subjects[0], { session: { format: 'opaque', id: /^[\w-]{22}$/ } });
  t.match(subjects[1], { application: { format: 'opaque', id: rp.id } });
  t.same(Object.keys(subjects[2] ?? {}), ['format', 'user']);
});

t.test('a new password is an event, even if no token ends and no bell rings', async (t) => {
  const server = await eventServer(t);
  const service = await runWith(t, server);
  const { records } = service.service;
  const carol = { subject: 's-carol', username: 'carol', name: undefined, claims: {}, createdAt: 0 };
  await records.addAccount({ ...carol, passwordHash: passwordHash('first') });
  await records.setPassword({ username: 'carol', passwordHash: passwordHash('second'), now: seconds(systemClock) });
  t.ok(await until(() => server.pushed.length === 2));
  t.same(server.pushed.map(shortly).sort(), ['credential-change s-carol', 'session-revoked s-carol']);
});

t.test('a receiver that is down gets the event later, with the same jti', async (t) => {
  const server = await eventServer(t, [[503], [401, '{"err":"authentication_failed"}'], [400, 'Bad Request'], [202]]);
  const clock = settableClock();
  const directory = temporaryFolder(t);
  const { records, delayed } = await recordsWithDelays(directory, clock);
  const service = await runWith(t, server, { clock, directory, records });
  await records.signOutEverywhere({ ...signOut('alice'), now: seconds(clock) });
  service.service.sessionEnded.ring();
  for (const attempts of [1, 2, 3]) {
    t.ok(await until(() => delayed() === attempts), `attempt ${attempts}`);
    clock.advance(waitAfter(attempts) * 1000);
    service.service.sessionEnded.ring();
  }
  t.ok(await until(async () => (await records.countSecurityEvents()) === 0));
  t.equal(server.pushed.length, 4);
  t.equal(new Set(server.pushed.map(({ token }) => claimsOf(token).jti)).size, 1);
  t.match(service.logged(), '"event":"security_event_delayed","receiver":"crm","detail":"status 503"');
});

/** Counts the delays that are stored. Before that, the clock must not move. */
async function recordsWithDelays(directory: string, clock: Clock) {
  const records = await openStore(configuration(), { directory, clock });
  let delayed = 0;
  const delaySecurityEvent: typeof records.delaySecurityEvent = async (...notice) => {
    await records.delaySecurityEvent(...notice);
    delayed++;
  };
  const watched = new Proxy(records, {
    get: (target, verb) => (verb === 'delaySecurityEvent' ? delaySecurityEvent : Reflect.get(target, verb)),
  });
  return { records: watched, delayed: () => delayed };
}

t.test('400 with `err` ends the attempts, and the audit log says why', async (t) => {
  const server = await eventServer(t, [[400, '{"err":"invalid_audience"}']]);
  const service = await runWith(t, server);
  await service.service.records.signOutEverywhere(signOut('alice'));
  service.service.sessionEnded.ring();
  t.ok(await until(() => service.logged().includes('"event":"security_event_refused"')));
  t.match(service.logged(), '"type":"session-revoked","detail":"status 400 invalid_audience"');
  t.equal(await service.service.records.countSecurityEvents(), 0);
});

t.test('after a day without an answer the service gives up, and the audit log says so', async (t) => {
  const server = await eventServer(t, Array(100).fill([503]));
  const clock = settableClock();
  const service = await runWith(t, server, { clock });
  await service.service.records.signOutEverywhere({ ...signOut('alice'), now: seconds(clock) });
  service.service.sessionEnded.ring();
  t.ok(await until(() => server.pushed.length === 1));
  t.ok(await until(() => service.logged().includes('security_event_delayed')));
  clock.advance(25 * 3_600_000);
  service.service.sessionEnded.ring();
  t.ok(await until(() => service.logged().includes('"event":"security_event_failed"')));
  t.equal(await service.service.records.countSecurityEvents(), 0);
});

t.test('a URL that leads to a private address is never connected to', async (t) => {
  const server = await eventServer(t);
  const service = await run(t, { config: receiving(server) });
  await service.service.records.signOutEverywhere(signOut('alice'));
  service.service.sessionEnded.ring();
  t.ok(await until(() => service.logged().includes('is not a public address')));
  t.equal(server.pushed.length, 0);
});

t.test('without asymmetric keys for other tokens, the events still have one, and JWTs keep their secret', async (t) => {
  const server = await eventServer(t);
  const signing = { alg: 'HS256', secret_base64url: Buffer.alloc(32, 7).toString('base64url') } as const;
  const service = await runWith(t, server, { config: { signing } });
  const token = await service.token({}, { id: 'shop-jwt', secret: 'cs_shop-secret-of-32-bytes-or-so' });
  t.match(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString(), '"HS256"');
  await service.service.records.signOutEverywhere(signOut('alice'));
  service.service.sessionEnded.ring();
  t.ok(await until(() => server.pushed.length === 1));
  const { kid, alg } = JSON.parse(
    Buffer.from(server.pushed[0]?.token.split('.')[0] ?? '', 'base64url').toString(),
  ) as Record<string, string>;
  const { keys } = (await (await fetch(`${service.url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] };
  t.equal(alg, 'RS256');
  t.same(
    keys.map((key) => key.kid),
    [kid],
  );
});

t.test(
  'another password or other claims in the file are events at the next start, and equal claims are none',
  async (t) => {
    const server = await eventServer(t);
    const directory = temporaryFolder(t);
    const [alice, bob] = configuration().users;
    if (alice === undefined || bob === undefined) throw new Error('no users');
    const tokens = configuration().tokens;
    const claims = { tenant: { of: 'user', name: 'tenant' }, plan: { of: 'client', name: 'plan' } } as const;
    const start = async (users: Changes['users']) => {
      const config = { users, tokens: { ...tokens, access: { ...tokens.access, claims } } } as Changes;
      const service = await runWith(t, server, { directory, config });
      return service;
    };
    const first = await start([alice, bob]);
    await first.stop();
    const other = { ...bob, claims: { hobby: 'chess' } };
    const second = await start([{ ...alice, claims: { tenant: 'globex', hobby: 'chess' } }, other]);
    t.ok(await until(() => server.pushed.length === 1));
    await second.stop();
    t.same(claimsOf(server.pushed[0]?.token ?? '').events[`${CAEP}token-claims-change`]?.claims, { tenant: 'globex' });
    const third = await start([
      { ...alice, claims: {} },
      { ...other, password_argon2: passwordHash('new') },
    ]);
    t.ok(await until(() => server.pushed.length === 4));
    await third.stop();
    t.same(server.pushed.map(shortly).slice(1).sort(), [
      'credential-change bob',
      'session-revoked bob',
      'token-claims-change alice',
    ]);
    const gone = server.pushed.find((each, index) => index > 0 && shortly(each).startsWith('token-claims-change'));
    t.same(claimsOf(gone?.token ?? '').events[`${CAEP}token-claims-change`]?.claims, { tenant: null });
  },
);
