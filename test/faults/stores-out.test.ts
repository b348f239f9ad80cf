import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import t, { type Test } from 'tap';
import { basic, other as otherClient, run, shop } from '../authorization/running-service.ts';
import { credentialsFor, nonceOf } from '../support/digest-caller.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { countsForLong, redisServer, skipWithoutRedis } from '../support/redis.ts';
import { audience, hmacServer, jwt } from '../support/tokens.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';
import { type FaultProxy, faultProxy } from './support/fault-proxy.ts';
import { dependency, type Expected, type Rows, type Scene } from './support/point.ts';
import { sized } from './support/size.ts';
import { tell, tellWith } from './support/tell.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);
t.jobs = 24;

/** Milliseconds. A connection to Redis gets time to open, and then there is a pause. */
const RECOVERY = sized(15_000, 3_000, 3_000);

/** Milliseconds that a call to Redis, and one to a database, may take. */
const [COUNTER, STORE] = [250, 4_000];

const postgres = skipWithoutPostgres === false ? await postgresServer(t) : undefined;
const redis = skipWithoutRedis === false ? await redisServer(t) : undefined;
const encryption_keys = [randomBytes(32).toString('base64')];
const open = { match: { path: '/other/{rest*}' }, access: 'public' };

async function before(t: Test, routes: readonly object[], file: object): Promise<TestGateway> {
  const { url } = await witness(t);
  return gateway(t, behind(url, { admin: '127.0.0.1:0', routes: [...routes, open], ...file }));
}

function scene({ url, adminUrl = '' }: TestGateway, proxy: FaultProxy, more: Pick<Scene, 'good' | 'bad'>): Scene {
  return { proxy, adminUrl, none: () => tell(`${url}/orders/1`), other: () => tell(`${url}/other/1`), ...more };
}

function all(out: Expected, slow: Expected): Rows {
  return {
    refusing: out,
    resetting: out,
    hanging_up: out,
    garbage: out,
    silent: out,
    unreachable: out,
    'half-open': out,
    slow,
  };
}

/** A process without Redis counts alone: the limit applies in each process. */
async function counters(t: Test): Promise<Scene> {
  const proxy = await faultProxy(t, redis?.url ?? '');
  const rate_limit = { by: 'client_id', requests: 100_000, per: '1h' };
  const route = { match: { path: '/orders/{rest*}' }, scope: 'orders.read', rate_limit };
  const running = await before(t, [route], { counters: proxy.url, authorization_servers: hmacServer });
  const token = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
  const orders = `${running.url}/orders/1`;
  return scene(running, proxy, {
    good: () => tellWith(orders, token),
    bad: () => tellWith(orders, `${token.slice(0, -6)}AAAAAA`),
  });
}

if (redis !== undefined) {
  const counted: Expected = { good: ['200'], took: [0, 3 * COUNTER] };
  dependency(t, 'Redis of rate limits', counters, all(counted, counted));
}

/** A nonce that may have been used elsewhere is rejected everywhere. */
async function nonces(t: Test): Promise<Scene> {
  const proxy = await faultProxy(t, redis?.url ?? '');
  const digest = { realm: 'r', users: userFile(t, digestLines('alice', 'r', 'wonderland')) };
  const route = { match: { path: '/orders/{rest*}' }, auth: 'digest', digest, access: 'authenticated' };
  const nonce_keys = [randomBytes(32).toString('base64')];
  const login = { max_failures: 100_000, window: '1m' };
  const running = await before(t, [route], { counters: proxy.url, nonce_keys, login, authorization_servers: {} });
  const orders = `${running.url}/orders/1`;
  const send = async (password?: string) => {
    const authorization = credentialsFor('/orders/1', await nonceOf(orders), 1, password);
    return tell(orders, { headers: { authorization } });
  };
  return scene(running, proxy, { good: () => send(), bad: () => send('looking-glass') });
}

if (redis !== undefined) {
  const client = new Redis(redis.url);
  t.teardown(() => client.disconnect());
  await countsForLong(client);
  const uncounted: Expected = {
    good: ['503 counters_unavailable'],
    bad: ['401 password_wrong', '503 counters_unavailable'],
    retryAfter: true,
    took: [0, 3 * COUNTER],
    recovers: RECOVERY,
  };
  dependency(t, 'Redis of nonces', nonces, all(uncounted, uncounted));
}

/** The database that both halves share. */
async function sharedStore(t: Test): Promise<Scene> {
  const storage = (await postgres?.database()) ?? '';
  const service = await run(t, { config: { storage, encryption_keys } });
  const proxy = await faultProxy(t, storage);
  const route = { match: { path: '/orders/{rest*}' }, scope: 'orders.read' };
  const main = {
    issuer: 'http://localhost:8081',
    audience,
    verify: 'store',
    storage: proxy.url,
    jwks_uri: `${service.url}/oauth2/jwks`,
    cache: { ttl: '0s', negative_ttl: '0s' },
  };
  const running = await before(t, [route], { authorization_servers: { main } });
  const token = await service.token({ scope: 'orders.read' });
  const orders = `${running.url}/orders/1`;
  return scene(running, proxy, {
    good: () => tellWith(orders, token),
    bad: () => tellWith(orders, `${token.slice(0, -6)}AAAAAA`),
  });
}

/** A caller that gave up may have to undo what was begun. */
const inTime = [0, 1.4 * STORE] as const;

if (postgres !== undefined) {
  const out: Expected = {
    good: ['503 authorization_server_unavailable'],
    bad: ['503 authorization_server_unavailable'],
    retryAfter: true,
    ready: 503,
    took: inTime,
    recovers: RECOVERY,
  };
  dependency(t, 'PostgreSQL of `verify: store`', sharedStore, all(out, { good: ['200'] }));
}

type Changes = Parameters<typeof run>[1] extends infer Options | undefined
  ? Options extends { config?: infer Config }
    ? Config
    : never
  : never;

/** The authorization service: who may have a token, and who may not. */
async function service(t: Test, proxy: FaultProxy, config: Changes): Promise<Scene> {
  const login = { max_failures: 100_000, window: 60_000 };
  const tokens = { max_a_minute: 1_000_000 };
  const { url, admin } = await run(t, { config: { login, tokens, ...config } });
  const grant = (headers: Record<string, string>) =>
    tell(`${url}/oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: 'grant_type=client_credentials',
    });
  return {
    proxy,
    adminUrl: admin,
    good: () => grant(basic(shop)),
    bad: () => grant(basic({ ...shop, secret: otherClient.secret })),
    none: () => grant({}),
    other: () => tell(`${url}/oauth2/jwks`),
  };
}

if (postgres !== undefined) {
  const open = async (t: Test) => {
    const storage = await postgres.database();
    const proxy = await faultProxy(t, storage);
    return service(t, proxy, { storage: proxy.url, encryption_keys });
  };
  const out: Expected = {
    good: ['503 temporarily_unavailable'],
    bad: ['401 invalid_client', '503 temporarily_unavailable'],
    none: ['401 invalid_client', '503 temporarily_unavailable'],
    retryAfter: true,
    ready: 503,
    took: inTime,
    recovers: RECOVERY,
  };
  dependency(t, 'PostgreSQL of the service', open, all(out, { good: ['200'] }));
}

if (redis !== undefined) {
  const open = async (t: Test) => {
    const proxy = await faultProxy(t, redis.url);
    return service(t, proxy, { counters: { url: proxy.url } });
  };
  const counted: Expected = { good: ['200'], took: [0, 4 * COUNTER] };
  dependency(t, 'Redis of the service', open, all(counted, counted));
}
