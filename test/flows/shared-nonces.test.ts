import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import t, { type Test } from 'tap';
import { formatDigest } from '../../src/http-auth/digest.ts';
import { digestResponse, storedHash } from '../../src/http-auth/digest-response.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway } from '../support/gateway.ts';
import { redisServer, skipWithoutRedis } from '../support/redis.ts';
import { digestLines, userFile } from '../support/user-files.ts';

const skip = skipWithoutRedis;
const ha1 = storedHash('SHA-256', 'alice', 'r', 'wonderland');

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly stale: boolean;
  readonly retryAfter: string | null;
}

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
  // As on a Redis that has been counting for a while.
  await client.set('gatehouse:nonces-since', '0');
  return { redis, client, urls: [`${one.url}/a`, `${two.url}/a`] as const };
}

async function nonceOf(url: string): Promise<string> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return /nonce="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1] ?? '';
}

async function send(url: string, nonce: string, count = 1): Promise<Answer> {
  const protection = { qop: 'auth', nc: count.toString(16).padStart(8, '0') } as const;
  const said = { nonce, uri: '/a', cnonce: 'c', protection, algorithm: 'SHA-256' } as const;
  const response = digestResponse({ ...said, ha1, method: 'GET' });
  const credentials = { ...said, username: 'alice', userhash: false, realm: 'r', response, opaque: undefined };
  const answer = await fetch(url, { headers: { authorization: formatDigest(credentials) } });
  const { code } = (await answer.json()) as { code?: string };
  const stale = /stale=true/.test(answer.headers.get('www-authenticate') ?? '');
  return { status: answer.status, code, stale, retryAfter: answer.headers.get('retry-after') };
}

t.test('a count that one gateway took the other takes no more', { skip }, async (t) => {
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

t.test('in a window both take counts in any order, each once, and none that is 64 behind', { skip }, async (t) => {
  const { urls } = await pair(t, 'window');
  const nonce = await nonceOf(urls[0]);
  const taken: number[] = [];
  for (const [index, count] of [5, 3, 3, 4, 70, 6, 7, 7, 69, 71, 70, 0xffffffff, 71].entries())
    taken.push((await send(urls[index % 2 === 0 ? 0 : 1], nonce, count)).status);
  t.strictSame(taken, [200, 200, 401, 200, 200, 401, 200, 401, 200, 200, 401, 200, 401]);
});

t.test('a Redis that was emptied lets no used nonce pass, and none that may have been', { skip }, async (t) => {
  const { urls, client } = await pair(t);
  const [used, unused] = [await nonceOf(urls[0]), await nonceOf(urls[1])];
  t.match(await send(urls[0], used), { status: 200 });
  await client.flushall();
  t.match(await send(urls[1], used), { status: 401, stale: true, code: 'nonce_stale' });
  t.match(await send(urls[0], unused), { status: 401, stale: true, code: 'nonce_stale' });
});

t.test('without its Redis a gateway lets nobody pass by Digest, and says that it is an outage', { skip }, async (t) => {
  const { urls, redis } = await pair(t);
  const nonce = await nonceOf(urls[0]);
  t.match(await send(urls[0], nonce), { status: 200 });
  await redis.kill();
  for (const count of [1, 2])
    t.match(await send(urls[0], nonce, count), { status: 503, code: 'counters_unavailable', retryAfter: '1' });
});

t.test('what Redis keeps names nobody, and ends with its nonce', { skip }, async (t) => {
  const { urls, redis } = await pair(t);
  await send(urls[0], await nonceOf(urls[0]));
  const keys = (await redis.keys()).filter((key) => key.startsWith('gatehouse:nonce:'));
  t.equal(keys.length, 1);
  const lifetime = await redis.lifetime(keys[0] ?? '');
  t.ok(lifetime > 290_000 && lifetime <= 310_000, String(lifetime));
});
