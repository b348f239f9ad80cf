import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { stringify } from 'yaml';
import { basic, run } from '../authorization/running-service.ts';
import { followed } from '../flows/revoked.ts';
import { nonceOf, sendDigest } from '../support/digest-caller.ts';
import { active, authorizationServer, hmacServer, jwt } from '../support/tokens.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';
import { movedClock, skipWithoutFaketime as skip } from './support/moved-clock.ts';
import { type Program, program, recovers } from './support/program.ts';
import { sized } from './support/size.ts';
import { tellWith } from './support/tell.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);
t.jobs = 8;

const [SECONDS, HOURS] = [30, 7_200];
const OFFSETS = [SECONDS, -SECONDS, HOURS, -HOURS] as const;
const RECOVERY = sized(15_000, 2_000, 2_000);
/** Milliseconds for which a clock is wrong: with `ci`, the store is swept in this time. */
const WRONG = sized(2_500, 65_000, 200_000);

const now = () => Math.floor(Date.now() / 1000);

const log = { level: 'warn', format: 'json' };
const routes = [
  { match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
  { match: { path: '/open' }, access: 'public', rate_limit: { by: 'address', requests: 5, per: '1h' } },
  { match: { path: '/open2' }, access: 'public', rate_limit: { by: 'address', requests: 5, per: '1h' } },
];

async function gatewayAt(t: Test, offset: number, file: object): Promise<{ served: Program; move(by: number): void }> {
  const { url } = await witness(t);
  const clock = movedClock(t, offset);
  const all = { log, upstreams: { api: { url } }, defaults: { upstream: 'api' }, routes, ...file };
  const served = await program(t, 'gateway', () => stringify(all), { env: clock.env });
  return { served, move: clock.move };
}

const said = async ({ url }: Program, token: string, path = '/orders/1') => (await tellWith(url + path, token)).said;

for (const offset of OFFSETS)
  t.test(
    `a gateway whose clock is ${offset} s off judges by its leeway, and works when its clock is corrected`,
    { skip },
    async (t) => {
      const main = { ...hmacServer.main, clock_skew: '45s' };
      const { served, move } = await gatewayAt(t, offset, { authorization_servers: { main } });
      const token = (from: number, to: number) =>
        jwt({ scope: 'orders.read', iat: now() + from, nbf: now() + from, exp: now() + to }, { alg: 'HS256' });
      const [good, ended] = [await token(0, 300), await token(-9_000, -8_000)];
      const within = Math.abs(offset) === SECONDS;
      const wrong = offset > 0 ? '401 token_expired' : '401 token_not_yet_valid';
      t.equal(await said(served, good), within ? '200' : wrong);
      t.equal(await said(served, ended), '401 token_expired');
      // 45 s of leeway and 30 s off: 60 s after the expiry is too late for a clock that is ahead, and 80 s for one
      // behind
      if (within) t.equal(await said(served, await token(-600, offset > 0 ? -20 : -80)), '401 token_expired');
      move(0);
      await recovers(t, 'well again', async () => (await said(served, good)) === '200', RECOVERY);
      t.equal(await said(served, ended), '401 token_expired');
      const short = await token(-60, -41);
      t.equal(await said(served, short), '200');
      await pause(5_200);
      t.equal(await said(served, short), '401 token_expired', 'tokens expire in the end');
    },
  );

for (const offset of OFFSETS)
  t.test(`a clock step of ${offset} s extends no cached entry, and drops none`, { skip }, async (t) => {
    const cache = { ttl: '2s', negative_ttl: '2s' };
    const server = await authorizationServer(t, { changes: { verify: 'introspection', cache, jwks_uri: undefined } });
    const { introspection, tokens } = server;
    const { served, move } = await gatewayAt(t, 0, { authorization_servers: server.config });
    // of an expiry that both clocks have before them
    const lasting = active('orders.read', { exp: now() + 20_000 });
    for (const name of ['kept', 'revoked']) tokens.set(name, lasting);
    t.equal(await said(served, 'late'), '401 token_inactive');
    for (const name of ['kept', 'revoked']) t.equal(await said(served, name), '200');
    const before = introspection.calls.length;
    move(offset);
    tokens.delete('revoked');
    tokens.set('late', lasting);
    for (const name of ['kept', 'kept', 'revoked']) t.equal(await said(served, name), '200', 'as it was cached');
    t.equal(introspection.calls.length, before, 'no storm of questions');
    await pause(2_200);
    t.equal(await said(served, 'revoked'), '401 token_inactive', 'no eternal entry');
    t.equal(await said(served, 'late'), '200', 'nor one of a refusal');
    t.equal(await said(served, 'kept'), '200');
    move(0);
    const asked = introspection.calls.length;
    t.equal(await said(served, 'kept'), '200');
    t.equal(await said(served, 'late'), '200');
    t.equal(introspection.calls.length, asked, 'nor one when it steps back');
    await pause(2_200);
    tokens.clear();
    t.equal(await said(served, 'kept'), '401 token_inactive');
  });

t.test(
  "revoked tokens stay revoked while the gateway's clock is ahead, and after it stepped back",
  { skip },
  async (t) => {
    const service = await run(t);
    const block = followed(service);
    const { served, move } = await gatewayAt(t, 0, { authorization_servers: block, development: true });
    const jwtClient = { id: 'shop-jwt', secret: 'cs_shop-secret-of-32-bytes-or-so' };
    const [gone, kept] = [await service.token({}, jwtClient), await service.token({}, jwtClient)];
    for (const token of [gone, kept]) t.equal(await said(served, token), '200');
    await service.post('/oauth2/revoke', { token: gone }, basic(jwtClient));
    const revoked = async () => (await said(served, gone)) === '401 token_revoked';
    await recovers(t, 'revoked', revoked, RECOVERY);
    for (const offset of [HOURS, -HOURS, SECONDS, -SECONDS]) {
      move(offset);
      // its lists are swept every second
      await pause(2_500);
      t.match(await said(served, gone), /^401 /);
      move(0);
      t.equal(await said(served, gone), '401 token_revoked', `after ${offset} s`);
      t.equal(await said(served, kept), '200');
    }
  },
);

t.test('rate limits neither open nor close with a step of the clock', { skip }, async (t) => {
  const { served, move } = await gatewayAt(t, 0, { authorization_servers: hmacServer });
  const get = async (path: string) => {
    const response = await fetch(served.url + path);
    await response.arrayBuffer();
    return response;
  };
  for (let count = 0; count < 5; count++) t.equal((await get('/open')).status, 200);
  const first = Number((await get('/open')).headers.get('retry-after'));
  t.equal((await get('/open2')).status, 200);
  for (const offset of OFFSETS) {
    move(offset);
    const shut = await get('/open');
    const retryAfter = Number(shut.headers.get('retry-after'));
    t.equal(shut.status, 429, `shut at ${offset} s`);
    t.ok(retryAfter <= first && retryAfter > first - 60, `Retry-After: ${retryAfter} after ${first}`);
    t.equal((await get('/open2')).status, 200, `open at ${offset} s`);
  }
  t.equal((await get('/open2')).status, 429);
});

t.test('Digest nonces neither expire nor become valid again with a step of the clock', { skip }, async (t) => {
  const digest = { realm: 'r', users: userFile(t, digestLines('alice', 'r', 'wonderland')) };
  const route = { match: { path: '/digest' }, auth: 'digest', digest, access: 'authenticated' };
  const { served, move } = await gatewayAt(t, 0, { routes: [route], authorization_servers: {} });
  const url = `${served.url}/digest`;
  const first = await nonceOf(url);
  let count = 1;
  t.equal((await sendDigest(url, first, { count })).status, 200);
  for (const offset of [...OFFSETS, 0]) {
    move(offset);
    t.equal((await sendDigest(url, first, { count: ++count })).status, 200, `one from before, at ${offset} s`);
    t.match(await sendDigest(url, first, { count: 1 }), { status: 401, stale: true }, 'a count that was used');
    const fresh = await nonceOf(url);
    t.equal((await sendDigest(url, fresh)).status, 200, `a new one, at ${offset} s`);
    t.equal((await sendDigest(url, fresh)).status, 401, 'once');
  }
});

const shop = { id: 'shop', secret: 'cs_shop-secret-of-32-bytes-or-so' };
const brief = { id: 'brief', secret: 'cs_brief-secret-of-32-bytes-or-so' };
const judge = { id: 'gateway', secret: 'cs_gateway-secret-of-32-bytes' };
const serviceFile = `issuer: http://localhost:8081
storage: sqlite:gatehouse.db
log: { level: warn, format: json }
resources: [https://api.example.com]
scopes: { orders.read: Read your orders }
login: { max_failures: 3, window: 10m }
clients:
  - { client_id: shop, client_secret: ${shop.secret}, scope: orders.read, grant_types: [client_credentials] }
  - { client_id: shop-jwt, client_secret: ${shop.secret}, scope: orders.read, grant_types: [client_credentials], access_token_format: jwt }
  - { client_id: brief, client_secret: ${brief.secret}, scope: orders.read, grant_types: [client_credentials] }
  - { client_id: gateway, client_secret: ${judge.secret}, grant_types: [], introspect: true }
`;

t.test(
  'revocations, throttles and expiry of the authorization service survive steps of its clock',
  { skip },
  async (t) => {
    const clock = movedClock(t);
    const served = await program(t, 'authorization', () => serviceFile, { env: clock.env });
    const post = (path: string, form: Record<string, string>, client: typeof shop) =>
      fetch(served.url + path, { method: 'POST', headers: basic(client), body: new URLSearchParams(form) });
    const token = async (client: typeof shop) => {
      const response = await post('/oauth2/token', { grant_type: 'client_credentials' }, client);
      return ((await response.json()) as { access_token: string }).access_token;
    };
    const isActive = async (value: string) => {
      const response = await post('/oauth2/introspect', { token: value }, judge);
      return ((await response.json()) as { active: boolean }).active;
    };
    const jwtClient = { id: 'shop-jwt', secret: shop.secret };
    const [opaque, gone, kept] = [await token(shop), await token(jwtClient), await token(jwtClient)];
    t.equal((await post('/oauth2/revoke', { token: gone }, jwtClient)).status, 200);
    const guess = () => post('/oauth2/token', { grant_type: 'client_credentials' }, { ...brief, secret: 'cs_no' });
    for (let count = 0; count < 3; count++) t.equal((await guess()).status, 401);
    t.equal((await guess()).status, 429);
    for (const offset of OFFSETS) {
      clock.move(offset);
      if (offset === HOURS) await pause(WRONG);
      t.equal((await guess()).status, 429, `the throttle holds at ${offset} s`);
      t.equal(await isActive(gone), false, `revoked at ${offset} s`);
      t.equal(await isActive(opaque), offset !== HOURS, 'the end of a token is that of the clock');
      const fresh = await token(shop);
      t.equal(await isActive(fresh), true);
      clock.move(0);
      t.equal(await isActive(gone), false, `revoked after ${offset} s`);
      for (const value of [opaque, kept]) t.equal(await isActive(value), true, `alive after ${offset} s`);
      const now = await token(shop);
      t.equal(await isActive(now), true);
    }
    t.equal((await fetch(`${served.adminUrl}/readyz`)).status, 200);
    t.equal(served.child.exitCode, null);
  },
);
