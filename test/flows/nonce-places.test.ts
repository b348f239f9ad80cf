import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import t, { type Test } from 'tap';
import { nonceOf, sendDigest as send } from '../support/digest-caller.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { endpoint, json } from '../support/endpoint.ts';
import { behind, gateway } from '../support/gateway.ts';
import { countsForLong, type RedisServer, redisServer, skipWithoutRedis } from '../support/redis.ts';
import { reloadable } from '../support/reloadable.ts';
import { digestLines, userFile } from '../support/user-files.ts';

const skip = skipWithoutRedis;
const keys = () => [randomBytes(32).toString('base64')];

function digestRoute(t: Test, match: object = { path: '/a' }, more: object = {}) {
  const digest = { realm: 'r', users: userFile(t, digestLines('alice', 'r', 'wonderland')), ...more };
  return { match, auth: 'digest', digest, access: 'authenticated' };
}

/** A Redis that has counted for a while, and the test's own client. */
async function counting(t: Test): Promise<{ readonly redis: RedisServer; readonly client: Redis }> {
  const redis = await redisServer(t);
  const client = new Redis(redis.url, { retryStrategy: () => null });
  client.on('error', () => {});
  t.teardown(() => client.disconnect());
  await countsForLong(client);
  return { redis, client };
}

/** The answer once the gateway has its Redis again. */
async function answered(url: string, nonce: string) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await send(url, nonce);
    if (answer.status !== 503) return answer;
    await pause(50);
  }
  throw new Error('Redis is not reached again');
}

t.test('a Redis that restarts from an older snapshot lets no used nonce pass', { skip }, async (t) => {
  const { redis, client } = await counting(t);
  const shared = { routes: [digestRoute(t)], counters: redis.url, nonce_keys: keys() };
  const url = `${(await gateway(t, behind(await echoUpstream(t), shared))).url}/a`;
  const nonce = await nonceOf(url);
  await client.call('SAVE');
  t.match(await send(url, nonce), { status: 200 });
  await redis.kill();
  await redis.start();
  const known = (await redis.keys()).filter((key) => /nonce/.test(key));
  t.strictSame(
    known.toSorted(),
    ['gatehouse:nonces-evicted', 'gatehouse:nonces-since'],
    'it has the snapshot, and not the use',
  );
  t.match(await answered(url, nonce), { status: 401, stale: true, code: 'nonce_stale' });
});

t.test('if Redis forbids the command for its run id, nonces are still counted', { skip }, async (t) => {
  const { redis, client } = await counting(t);
  await client.call('ACL', 'SETUSER', 'gateway', 'on', '>secret', '~*', '+@all', '-info');
  await client.set('gatehouse:nonces-since', '0 ');
  await client.set('gatehouse:nonces-evicted', '');
  const counters = redis.url.replace('redis://', 'redis://gateway:secret@');
  const shared = { routes: [digestRoute(t)], counters, nonce_keys: keys() };
  const url = `${(await gateway(t, behind(await echoUpstream(t), shared))).url}/a`;
  const nonce = await nonceOf(url);
  t.match(await send(url, nonce), { status: 200 });
  t.match(await send(url, nonce), { status: 401, code: 'nonce_replayed' });
});

t.test('a reload that moves the counters lets no nonce pass that was used before', { skip }, async (t) => {
  const [{ redis }, second] = [await counting(t), await counting(t)];
  const places = [redis.url, 'memory', second.redis.url];
  for (const [index, one] of places.entries()) {
    const other = places[(index + 1) % places.length];
    const body = behind(await echoUpstream(t), { routes: [digestRoute(t)], nonce_keys: keys() });
    const running = await reloadable(t, { ...body, counters: one });
    const url = `${running.url}/a`;
    const nonce = await nonceOf(url);
    t.match(await send(url, nonce), { status: 200 });
    t.match(await running.take({ ...body, counters: other }), { ok: true });
    t.match(await send(url, nonce), { status: 401 }, `${one}, then ${other}`);
    t.match(await send(url, await nonceOf(url)), { status: 200 }, 'a new one passes');
    t.match(await running.take({ ...body, counters: one }), { ok: true });
    t.match(await send(url, nonce), { status: 401 }, 'nor when it is counted there again');
  }
});

t.test('gateways that use one Redis as different users accept each other’s nonces', { skip }, async (t) => {
  const { redis, client } = await counting(t);
  await client.call('ACL', 'SETUSER', 'other', 'on', '>secret', '~*', '+@all');
  const shared = { routes: [digestRoute(t)], nonce_keys: keys() };
  const upstream = await echoUpstream(t);
  const counters = [redis.url, redis.url.replace('redis://', 'redis://other:secret@')];
  const [one, two] = await Promise.all(
    counters.map(async (each) => `${(await gateway(t, behind(upstream, { ...shared, counters: each }))).url}/a`),
  );
  const nonce = await nonceOf(one ?? '');
  t.match(await send(two ?? '', nonce), { status: 200 });
  t.match(await send(one ?? '', nonce), { status: 401, code: 'nonce_replayed' });
});

t.test('a nonce lives for the time of the route that issued it, on every route', { skip }, async (t) => {
  const { redis, client } = await counting(t);
  const routes = [
    digestRoute(t, { path: '/a' }, { nonce_ttl: '10s' }),
    digestRoute(t, { host: 'localhost', path: '/a' }, { nonce_ttl: '1h' }),
  ];
  const shared = { routes, counters: redis.url, nonce_keys: keys() };
  const short = `${(await gateway(t, behind(await echoUpstream(t), shared))).url}/a`;
  const nonce = await nonceOf(short);
  t.match(await send(short, nonce), { status: 200 });
  // As after its time.
  for (const key of await redis.keys()) if (key.startsWith('gatehouse:nonce:')) await client.pexpire(key, 1);
  await pause(20);
  const long = short.replace('127.0.0.1', 'localhost');
  t.match(await send(long, await nonceOf(long)), { status: 200 });
  t.match(await send(long, nonce), { status: 401 });
});

t.test('if a reload changes the keys of nonces, no use is forgotten, not even during the reload', async (t) => {
  const [old] = keys();
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const issuer = await endpoint(t, async (_request, response) => {
    asked.resolve();
    await held.promise;
    json(response, { keys: [] });
  });
  const body = behind(await echoUpstream(t), { routes: [digestRoute(t)], nonce_keys: [old] });
  const running = await reloadable(t, body);
  const url = `${running.url}/a`;
  const server = { issuer: 'http://localhost:1', jwks_uri: issuer.url, audience: 'a' };
  const next = { ...body, nonce_keys: [...keys(), old], authorization_servers: { late: server }, development: true };
  const reload = running.take(next);
  await asked.promise;
  await pause(10);
  const nonce = await nonceOf(url);
  t.match(await send(url, nonce), { status: 200 }, 'while the new file is made ready');
  held.resolve();
  t.match(await reload, { ok: true });
  t.match(await send(url, nonce), { status: 401, code: 'nonce_replayed' });
  t.match(await send(url, nonce, { count: 2 }), { status: 200 }, 'the key still verifies');
});
