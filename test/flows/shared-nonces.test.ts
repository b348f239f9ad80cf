import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import t, { type Test } from 'tap';
import { type DigestAnswer, nonceOf, sendDigest } from '../support/digest-caller.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway } from '../support/gateway.ts';
import { countsForLong, redisServer, skipWithoutRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { digestLines, userFile } from '../support/user-files.ts';

const skip = skipWithoutRedis;

async function pair(t: Test, nc: 'strict' | 'window' = 'strict') {
  const redis = await redisServer(t);
  const users = userFile(t, digestLines('alice', 'r', 'wonderland'));
  const digest = { realm: 'r', users, nc };
  const routes = [{ match: { path: '/a' }, auth: 'digest', digest, access: 'authenticated' }];
  const shared = { routes, counters: redis.url, nonce_keys: [randomBytes(32).toString('base64')] };
  const upstream = await echoUpstream(t);
  const [one, two] = [await gateway(t, behind(upstream, shared)), await gateway(t, behind(upstream, shared))];
  const client = new Redis(redis.url, { retryStrategy: () => null });
  client.on('error', () => {});
  t.teardown(() => client.disconnect());
  await countsForLong(client);
  return { redis, client, urls: [`${one.url}/a`, `${two.url}/a`] as const, logs: [one.log, two.log] as const };
}

function send(url: string, nonce: string, count = 1): Promise<DigestAnswer> {
  return sendDigest(url, nonce, { count, keep: true });
}

t.test('a count that one gateway accepted is refused by the other', { skip }, async (t) => {
  const { urls } = await pair(t);
  const nonce = await nonceOf(urls[0]);
  t.match(await send(urls[0], nonce, 2), { status: 200 });
  for (const count of [2, 1, 0])
    t.match(await send(urls[1], nonce, count), { status: 401, stale: true, code: 'nonce_replayed' });
  t.match(await send(urls[1], nonce, 3), { status: 200 });
  t.match(await send(urls[0], nonce, 3), { status: 401 });
});

t.test('of a hundred equal requests to both one passes', { skip }, async (t) => {
  for (const mode of ['strict', 'window'] as const) {
    const { urls } = await pair(t, mode);
    const nonce = await nonceOf(urls[0]);
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, index) => send(urls[index % 2 === 0 ? 0 : 1], nonce)),
    );
    t.equal(all.filter(({ status }) => status === 200).length, 1, mode);
  }
});

t.test('in a window both accept counts in any order, each once, and none that is 64 behind', { skip }, async (t) => {
  const { urls } = await pair(t, 'window');
  const nonce = await nonceOf(urls[0]);
  const taken: number[] = [];
  for (const [index, count] of [5, 3, 3, 4, 70, 6, 7, 7, 69, 71, 70, 0xffffffff, 71].entries())
    taken.push((await send(urls[index % 2 === 0 ? 0 : 1], nonce, count)).status);
  t.strictSame(taken, [200, 200, 401, 200, 200, 401, 200, 401, 200, 200, 401, 200, 401]);
});

t.test('a Redis that was emptied lets no nonce pass that was used or may have been', { skip }, async (t) => {
  const { urls, client } = await pair(t);
  const [used, unused] = [await nonceOf(urls[0]), await nonceOf(urls[1])];
  t.match(await send(urls[0], used), { status: 200 });
  await client.flushall();
  t.match(await send(urls[1], used), { status: 401, stale: true, code: 'nonce_stale' });
  t.match(await send(urls[0], unused), { status: 401, stale: true, code: 'nonce_stale' });
});

t.test('without its Redis a gateway lets no Digest request pass, and reports an outage', { skip }, async (t) => {
  const { urls, redis } = await pair(t);
  const nonce = await nonceOf(urls[0]);
  t.match(await send(urls[0], nonce), { status: 200 });
  await redis.kill();
  for (const count of [1, 2])
    t.match(await send(urls[0], nonce, count), { status: 503, code: 'counters_unavailable', retryAfter: '1' });
});

t.test('the keys in Redis name no user, and expire with their nonce', { skip }, async (t) => {
  const { urls, redis } = await pair(t);
  await send(urls[0], await nonceOf(urls[0]));
  const keys = (await redis.keys()).filter((key) => key.startsWith('gatehouse:nonce:'));
  t.equal(keys.length, 1);
  const lifetime = await redis.lifetime(keys[0] ?? '');
  t.ok(lifetime > 290_000 && lifetime <= 310_000, String(lifetime));
});

function eviction(t: Test, redis: { readonly url: string }, routes: readonly object[]) {
  const shared = { routes, counters: redis.url, nonce_keys: [randomBytes(32).toString('base64')] };
  const start = async () => gateway(t, behind(await echoUpstream(t), shared));
  const client = new Redis(redis.url);
  t.teardown(() => client.disconnect());
  return { start, client };
}

const digestRoute = (t: Test) => {
  const digest = { realm: 'r', users: userFile(t, digestLines('alice', 'r', 'wonderland')) };
  return { match: { path: '/a' }, auth: 'digest', digest, access: 'authenticated' };
};

t.test('a gateway with Digest does not start with a Redis that evicts keys', { skip }, async (t) => {
  const { start, client } = eviction(t, await redisServer(t), [digestRoute(t)]);
  for (const policy of ['allkeys-lru', 'volatile-ttl']) {
    await client.config('SET', 'maxmemory-policy', policy);
    const message = new RegExp(`maxmemory-policy ${policy}\\): write .maxmemory-policy noeviction. in redis.conf`);
    await t.rejects(start(), { name: 'CannotStart', message });
  }
  await client.config('SET', 'maxmemory-policy', 'noeviction');
  t.ok(await start());
});

t.test('a Redis that begins to evict keys while it runs lets no used nonce pass', { skip }, async (t) => {
  const { urls, client, logs } = await pair(t);
  const nonce = await nonceOf(urls[0]);
  t.match(await send(urls[0], nonce), { status: 200 });
  await client.config('SET', 'maxmemory-policy', 'volatile-lru');
  await client.config('SET', 'maxmemory', '1500kb');
  const value = 'x'.repeat(10_000);
  for (let n = 0; n < 200; n++) await client.set(`other:${n}`, value, 'EX', 600);
  t.equal((await client.keys('gatehouse:nonce:*')).length, 0, 'the use is forgotten');
  t.equal(await client.exists('gatehouse:nonces-since'), 1, 'and when it was begun to keep them is not');
  for (let time = 0; time < 3; time++)
    t.match(await send(urls[0], nonce), { status: 503, code: 'counters_unavailable' });
  const told = logs[0].filter(({ msg }) => /can evict keys/.test(String(msg)));
  t.strictSame(
    told.map(({ level, policy }) => [level, policy]),
    [[40, 'volatile-lru']],
    'which is said, once',
  );
  await client.config('SET', 'maxmemory', '0');
  await client.config('SET', 'maxmemory-policy', 'noeviction');
  for (const url of urls) t.match(await send(url, nonce), { status: 401, stale: true, code: 'nonce_stale' });
  t.equal(logs[0].filter(({ msg }) => /can no longer evict keys/.test(String(msg))).length, 1);
});

t.test('rate limits alone do not require a certain eviction policy', { skip }, async (t) => {
  const { start, client } = eviction(t, await redisServer(t), [{ match: { path: '/a' }, access: 'public' }]);
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  t.ok(await start());
});

t.test('if Redis forbids reading the policy, the gateway logs it and starts', { skip }, async (t) => {
  const redis = await redisServer(t);
  const { client } = eviction(t, redis, []);
  await client.call('ACL', 'SETUSER', 'gateway', 'on', '>secret', '~*', '+@all', '-config');
  const url = redis.url.replace('redis://', 'redis://gateway:secret@');
  const running = await eviction(t, { url }, [digestRoute(t)]).start();
  t.ok(running.log.some(({ msg, reason }) => /maxmemory-policy/.test(String(msg)) && /NOPERM/.test(String(reason))));
});

t.test(
  'a policy that changed after the start is an outage after the next reconnection to Redis',
  { skip },
  async (t) => {
    const { redis, urls, client } = await pair(t);
    t.match(await send(urls[0], await nonceOf(urls[0])), { status: 200 });
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    const nonce = await nonceOf(urls[0]);
    // nothing is logged either until the gateway has its connection again, and has read the policy
    for (let count = 1; count <= 15; count++) {
      t.match(await send(urls[0], nonce, count), { status: 503, code: 'counters_unavailable' });
      await pause(100);
    }
    t.ok(await until(async () => (await redis.connections()) >= 3), 'both are connected again');
  },
);
