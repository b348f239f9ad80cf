import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import t, { type Test } from 'tap';
import { run } from '../authorization/running-service.ts';
import { follow } from '../flows/revoked.ts';
import { caller } from '../support/digest-caller.ts';
import { countsForLong, type RedisServer, redisServer, skipWithoutRedis } from '../support/redis.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';
import { percentiles } from './support/percentiles.ts';
import { type Counted, countedLoad, Observed, replayAll } from './support/redis-load.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(3_600_000);

const LOSSES = sized(2, 20, 50);

/**
 * Milliseconds until a nonce is accepted again. For five seconds after its start, a Redis cannot know which nonces were
 * used, and a lost connection is tried twice a second.
 */
const AGAIN = 8_000;

/** By turns. */
const losses: readonly ((redis: RedisServer) => Promise<void>)[] = [flushed, restarted];

async function flushed({ url }: RedisServer): Promise<void> {
  const client = new Redis(url);
  await client.flushall();
  client.disconnect();
}

async function restarted(redis: RedisServer): Promise<void> {
  await redis.kill();
  await pause(Math.random() * 500);
  await redis.start();
}

t.test(
  `Redis emptied or restarted under load, ${LOSSES} times: no replay passes, no wrong grant, and the rest is 503`,
  { skip: skipWithoutRedis },
  async (t) => {
    const redis = await redisServer(t);
    const it = await counted(t, redis);
    const seen = new Observed();
    const loading = countedLoad(it, seen);
    const times: number[] = [];
    await taken(seen, 5);
    for (let loss = 0; loss < LOSSES; loss++) {
      await pause(Math.random() * 300);
      await losses[loss % losses.length]?.(redis);
      const lost = performance.now();
      const again = taken(seen, 1).then(() => times.push(performance.now() - lost));
      await Promise.all([again, replayAll(it, seen)]);
      await replayAll(it, seen);
      await taken(seen, 10);
    }
    await loading.stop();
    await replayAll(it, seen);
    t.strictSame([...new Set(seen.wrong)], [], `none of ${seen.replays} replays is taken, ${seen.taken} uses were`);
    t.strictSame([...new Set(seen.blamed)], [], 'nobody is refused for it');
    const outages = [...seen.answers.keys()].filter((what) => /: 5/.test(what) || / 5\d\d/.test(what));
    t.strictSame(
      outages.filter((what) => !what.endsWith(': 503 counters_unavailable')),
      [],
    );
    t.ok(seen.replays > LOSSES * 5 && seen.taken > LOSSES * 5, 'there was load');
    // On a machine so busy that Redis answers after more than 250 ms, some of them are delayed.
    const { p50, text } = percentiles(times);
    t.ok(p50 < AGAIN, `nonces are taken again after ${text}`);
    t.comment([...seen.answers].map(([what, count]) => `${what}: ${count}`).join(', '));
  },
);

async function counted(t: Test, redis: RedisServer): Promise<Counted> {
  const login = { max_failures: 1_000_000, window: 60_000 };
  const tokens = { max_a_minute: 1_000_000 };
  const service = await run(t, { config: { counters: { url: redis.url }, login, tokens } });
  const upstream = await witness(t);
  const users = userFile(t, digestLines(caller.name, caller.realm, caller.password));
  const digest = { realm: caller.realm, users };
  const rate_limit = { by: 'client_id', requests: 10_000_000, per: '1h' };
  const file = {
    counters: redis.url,
    nonce_keys: [randomBytes(32).toString('base64')],
    login: { max_failures: 1_000_000, window: '1m' },
    routes: [
      { id: 'digest', match: { path: '/digest/{rest*}' }, auth: 'digest', digest, access: 'authenticated' },
      { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read', rate_limit },
    ],
  };
  const [one, two] = [await follow(t, upstream, service, { file }), await follow(t, upstream, service, { file })];
  const client = new Redis(redis.url);
  await countsForLong(client);
  client.disconnect();
  return { service, gateways: [one.url, two.url] };
}

/** Waits until so many more uses of nonces were accepted. */
async function taken(seen: Observed, more: number): Promise<void> {
  const before = seen.taken;
  for (const end = performance.now() + 60_000; seen.taken < before + more; await pause(5))
    if (performance.now() > end) throw new Error('no nonce is taken');
}
