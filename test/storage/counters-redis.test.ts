import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import type { Counters } from '../../src/storage/counters.ts';
import { openCounters } from '../../src/storage/counters-open.ts';
import { countersContract } from '../contracts/counters.ts';
import { freePort } from '../support/free-port.ts';
import { type RedisServer, redisServer, skipWithoutRedis as skip } from '../support/redis.ts';
import { until } from '../support/until.ts';

const limit = { requests: 2, window: 60_000 };

interface Opened {
  readonly counters: Counters;
  readonly told: readonly string[];
}

/** The rules are about counting: a machine that is slow for once must not end them. */
const PATIENT = 20_000;

async function open(t: Test, url: string, deadline = PATIENT): Promise<Opened> {
  const told: string[] = [];
  const log = {
    warn: (_detail: object, message: string) => void told.push(`warn: ${message}`),
    info: (message: string) => void told.push(`info: ${message}`),
  };
  const counters = openCounters(url, { clock: systemClock, log, deadline });
  t.teardown(() => counters.close());
  await counters.start();
  return { counters, told };
}

const lost = 'warn: the shared counters cannot be reached: this process counts for itself';
const back = 'info: the shared counters are reached again';

countersContract(t, 'redis', {
  async open(t) {
    const server = await redisServer(t);
    return (await open(t, server.url)).counters;
  },
  pass: async (milliseconds) => void (await pause(Math.max(0, milliseconds) + 2)),
  skip,
});

const reachable = ({ counters }: Opened) => until(() => counters.reachable());
const unreachable = ({ counters }: Opened) => until(() => !counters.reachable());

t.test('two processes share what they count', { skip }, async (t) => {
  const { url } = await redisServer(t);
  const [one, other] = [await open(t, url), await open(t, url)];
  t.equal(await one.counters.take('a', limit), 0);
  t.equal(await other.counters.take('a', limit), 0);
  t.ok((await one.counters.take('a', limit)) > 0);
  t.ok((await other.counters.take('a', limit)) > 0);
  await one.counters.fail('a', 60_000);
  t.equal((await other.counters.fail('a', 60_000)).count, 2);
});

t.test('no key tells who was counted, and every key ends by itself', { skip }, async (t) => {
  const server = await redisServer(t);
  const { counters } = await open(t, server.url);
  await counters.take('alice', limit);
  await counters.fail('192.0.2.7', 60_000);
  const keys = await server.keys();
  t.ok(keys.length >= 2);
  for (const key of keys) {
    t.match(key, /^gatehouse:(probe$|taken:60000:[\w-]{43}$|failures:[\w-]{43}$)/);
    const lifetime = await server.lifetime(key);
    t.ok(lifetime === -2 || (lifetime > 0 && lifetime <= 63_000), `${key}: ${lifetime}`);
  }
});

t.test('a Redis that is not there is told of once, and the limit holds in this process', { skip }, async (t) => {
  const { counters, told } = await open(t, `redis://127.0.0.1:${await freePort()}`);
  t.equal(counters.reachable(), false);
  const waits = [counters.take('a', limit), counters.take('a', limit), counters.take('a', limit)];
  t.strictSame(waits.slice(0, 2), [0, 0], 'without a promise');
  t.ok((waits[2] as number) > 0);
  await pause(1200);
  t.strictSame(told, [lost]);
});

async function outage(t: Test, end: (server: RedisServer) => unknown, mend: (server: RedisServer) => unknown) {
  const server = await redisServer(t);
  const opened = await open(t, server.url, 2_000);
  const { counters, told } = opened;
  await counters.take('a', limit);
  await end(server);
  const answers: number[] = [];
  for (let time = 0; time < 6; time++) answers.push(await counters.take('b', limit));
  t.equal(answers.filter((wait) => wait === 0).length, 2, 'the limit holds while it is away');
  t.ok(await unreachable(opened));
  await mend(server);
  t.ok(await reachable(opened));
  t.equal(await counters.take('c', limit), 0);
  t.ok(
    (await server.keys()).some((key) => key.startsWith('gatehouse:taken:')),
    'counted there again',
  );
  t.strictSame(told, [lost, back]);
}

t.test('a Redis that dies and is started anew is counted on again', { skip }, (t) =>
  outage(
    t,
    (server) => server.kill(),
    (server) => server.start(),
  ),
);

t.test('a Redis that stops answering is not waited for, and counted on again when it does', { skip }, (t) =>
  outage(
    t,
    (server) => server.freeze(),
    (server) => server.thaw(),
  ),
);

t.test('a password that is wrong is an outage, not a stop', { skip }, async (t) => {
  const { url } = await redisServer(t);
  const { counters, told } = await open(t, url.replace('//', '//default:wrong@'));
  t.equal(await counters.take('a', limit), 0);
  t.notMatch(told.join(), 'wrong@');
});

t.test('an answer that came while this process was busy is not too late', { skip }, async (t) => {
  const { url } = await redisServer(t);
  const { counters, told } = await open(t, url, 1_000);
  await counters.fail('a', 60_000);
  const asked = [counters.take('a', limit), counters.fail('a', 60_000)] as const;
  const end = performance.now() + 1_500;
  while (performance.now() < end);
  t.strictSame([await asked[0], (await asked[1]).count], [0, 2]);
  t.strictSame(told, []);
  t.equal(counters.reachable(), true);
});

t.test('closed counters count for themselves, and keep no process alive', { skip }, async (t) => {
  const { url } = await redisServer(t);
  const { counters, told } = await open(t, url);
  await counters.close();
  t.equal(counters.take('a', limit), 0);
  t.strictSame(told, []);
});

t.test('an engine that is not there is named', async (t) => {
  t.throws(() => openCounters('memcached://x', { clock: systemClock, log: { warn() {}, info() {} } }), /memcached:/);
});
