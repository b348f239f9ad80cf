import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import type { EventLog } from '../../../src/gateway/receiver/event-log.ts';
import { FileLog } from '../../../src/gateway/receiver/file-log.ts';
import { MemoryLog } from '../../../src/gateway/receiver/memory-log.ts';
import { RedisLog } from '../../../src/gateway/receiver/redis-log.ts';
import { entry, eventLogContract, followed } from '../../contracts/event-log.ts';
import { folder } from '../../support/front-proxy.ts';
import { redisServer, skipWithoutRedis } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

/** Starts Redis several times. */
t.setTimeout(90_000);

async function started<Log extends EventLog>(t: Test, log: Log): Promise<Log> {
  t.teardown(() => log.close());
  await log.start();
  return log;
}

const silent = { failed: () => {}, recovered: () => {} };
const inRedis = (url: string) =>
  new RedisLog({ url, trust: { kind: 'system' }, clock: systemClock, faults: silent, longest: 86_400_000 });

eventLogContract(t, 'memory', {
  isKept: false,
  place: async (t) => ({ open: () => started(t, new MemoryLog(systemClock)) }),
});

eventLogContract(t, 'file', {
  isKept: true,
  place: async (t) => {
    const path = join(folder(t), 'received.jsonl');
    return { open: () => started(t, new FileLog(path, systemClock)) };
  },
});

eventLogContract(t, 'Redis', {
  isKept: true,
  skip: skipWithoutRedis,
  place: async (t) => {
    const { url } = await redisServer(t);
    return { open: () => started(t, inRedis(url)) };
  },
});

t.test('a crash in the middle of a line loses only this line, which had no answer', async (t) => {
  const path = join(folder(t), 'received.jsonl');
  const first = await started(t, new FileLog(path, systemClock));
  await first.append(entry('1'));
  await first.append(entry('2'));
  appendFileSync(path, JSON.stringify(entry('3')).slice(0, 60));
  const second = await started(t, new FileLog(path, systemClock));
  t.strictSame(followed(t, second).keys(), ['s-1', 's-2']);
  t.strictSame(await second.append(entry('3')), { kind: 'added' });
  const third = await started(t, new FileLog(path, systemClock));
  t.strictSame(followed(t, third).keys(), ['s-1', 's-2', 's-3']);
});

t.test('an entry is in the file before it is answered, and only its owner may read the file', async (t) => {
  const path = join(folder(t), 'received.jsonl');
  const log = await started(t, new FileLog(path, systemClock));
  await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(entry(String(index)))));
  t.equal(readFileSync(path, 'utf8').split('\n').length, 51);
  t.equal(statSync(path).mode & 0o777, 0o600);
});

t.test('a file that cannot be written stops the start, with its name', async (t) => {
  const path = join(folder(t), 'missing', 'received.jsonl');
  await t.rejects(new FileLog(path, systemClock).start(), /missing/);
});

t.test(
  'without its Redis, a log accepts nothing, and its feed is lost; it continues after it',
  {
    skip: skipWithoutRedis,
  },
  async (t) => {
    const server = await redisServer(t);
    const log = await started(t, inRedis(server.url));
    const seen = followed(t, log);
    t.strictSame(await log.append(entry('1')), { kind: 'added' });
    t.ok(await until(() => seen.state() === 'in_step' && seen.keys().length === 1));
    await server.kill();
    t.ok(await until(() => seen.state() === 'lost'));
    t.match(await log.append(entry('2')), { kind: 'out' });
    await server.start();
    t.ok(await until(() => seen.state() === 'in_step'));
    t.strictSame(await log.append(entry('2')), { kind: 'added' });
    t.ok(await until(() => seen.keys().includes('s-2')));
  },
);

t.test('a Redis that lost its data gets the live entries again', { skip: skipWithoutRedis }, async (t) => {
  const server = await redisServer(t);
  const log = await started(t, inRedis(server.url));
  for (const id of ['1', '2']) await log.append(entry(id));
  t.ok(await until(() => log.size() === 2));
  await server.kill();
  await server.start();
  t.ok(await until(async () => (await server.keys()).length === 3));
  const later = await started(t, inRedis(server.url));
  const seen = followed(t, later);
  t.ok(await until(() => seen.keys().length === 2));
  t.strictSame(seen.keys().sort(), ['s-1', 's-2']);
});

t.test('a Redis that does not answer delays no request for long', { skip: skipWithoutRedis }, async (t) => {
  const server = await redisServer(t);
  const log = await started(t, inRedis(server.url));
  const seen = followed(t, log);
  server.freeze();
  t.match(await log.append(entry('1')), { kind: 'out' });
  t.ok(await until(() => seen.state() === 'lost'));
  server.thaw();
  t.ok(await until(() => seen.state() === 'in_step'));
});
