import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import { type EventLog, LARGEST_ENTRY } from '../../../src/gateway/receiver/event-log.ts';
import { FileLog } from '../../../src/gateway/receiver/file-log.ts';
import { LiveEntries } from '../../../src/gateway/receiver/live-entries.ts';
import { MemoryLog } from '../../../src/gateway/receiver/memory-log.ts';
import { openLogForReading } from '../../../src/gateway/receiver/open-log.ts';
import { RedisLog } from '../../../src/gateway/receiver/redis-log.ts';
import { entry, eventLogContract, followed } from '../../contracts/event-log.ts';
import { smallDisk } from '../../faults/support/small-disk.ts';
import { redisServer, skipWithoutRedis } from '../../support/redis.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

/** Starts Redis several times. */
t.setTimeout(90_000);

async function started<Log extends EventLog>(t: Test, log: Log): Promise<Log> {
  t.teardown(() => log.close());
  await log.start();
  return log;
}

const silent = { failed: () => {}, recovered: () => {} };
const inRedis = (url: string, clock = systemClock, most?: number) =>
  new RedisLog({ url, trust: { kind: 'system' }, clock, faults: silent, longest: 86_400_000, most });

/** A Redis, a log in it, and a client that changes its data. */
async function withClient(t: Test) {
  const { url } = await redisServer(t);
  const redis = new Redis(url);
  t.teardown(() => redis.disconnect());
  return { url, redis, log: await started(t, inRedis(url)) };
}

eventLogContract(t, 'memory', {
  isKept: false,
  place: async (t) => ({ open: () => started(t, new MemoryLog(systemClock)) }),
});

eventLogContract(t, 'file', {
  isKept: true,
  place: async (t) => {
    const path = join(temporaryFolder(t), 'received.jsonl');
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
  const path = join(temporaryFolder(t), 'received.jsonl');
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
  const path = join(temporaryFolder(t), 'received.jsonl');
  const log = await started(t, new FileLog(path, systemClock));
  await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(entry(String(index)))));
  t.equal(readFileSync(path, 'utf8').split('\n').length, 51);
  t.equal(statSync(path).mode & 0o777, 0o600);
});

t.test('a file that cannot be written stops the start, with its name', async (t) => {
  const path = join(temporaryFolder(t), 'missing', 'received.jsonl');
  await t.rejects(new FileLog(path, systemClock).start(), /missing/);
});

t.test('an entry that arrives as the file is shortened is in the new file', async (t) => {
  const path = join(temporaryFolder(t), 'received.jsonl');
  const none = Date.now() / 1000 - 86_401;
  const log = await started(t, new FileLog(path, systemClock, -1));
  await log.append(entry('1', { until: none }));
  await log.append(entry('2'));
  await log.append(entry('3'));
  const later = await started(t, new FileLog(path, systemClock));
  t.strictSame(followed(t, later).keys(), ['s-2', 's-3']);
});

t.test('a folder that is full or read-only later rejects no entry while the file itself has space', async (t) => {
  const path = join(temporaryFolder(t), 'received.jsonl');
  const log = await started(t, new FileLog(path, systemClock, -1));
  await log.append(entry('1'));
  mkdirSync(join(`${path}.new`, 'in the way'), { recursive: true });
  t.strictSame(await log.append(entry('2')), { kind: 'added' });
  rmSync(`${path}.new`, { recursive: true });
  const later = await started(t, new FileLog(path, systemClock));
  t.strictSame(followed(t, later).keys(), ['s-1', 's-2']);
});

t.test('a write that fails halfway spoils no later entry', async (t) => {
  const disk = smallDisk(t, 1);
  if (disk === undefined) return t.comment('this user may not mount a disk');
  const path = join(disk.directory, 'received.jsonl');
  const log = await started(t, new FileLog(path, systemClock));
  await log.append(entry('1'));
  disk.fill();
  t.match(await log.append(entry('2'.repeat(6_000))), { kind: 'out' });
  t.not(readFileSync(path, 'utf8').at(-1), '\n', 'a part is in the file');
  disk.free();
  t.strictSame(await log.append(entry('3')), { kind: 'added' });
  const later = await started(t, new FileLog(path, systemClock));
  t.strictSame(followed(t, later).keys(), ['s-1', 's-3']);
});

t.test('a file that was removed is written again, with the entries of a process that replaced it', async (t) => {
  const path = join(temporaryFolder(t), 'received.jsonl');
  const first = await started(t, new FileLog(path, systemClock));
  await first.append(entry('1'));
  rmSync(path);
  await first.append(entry('2'));
  const second = await started(t, new FileLog(path, systemClock));
  await second.append(entry('3'));
  await first.append(entry('4'));
  const third = await started(t, new FileLog(path, systemClock));
  t.strictSame(followed(t, third).keys().sort(), ['s-1', 's-2', 's-3', 's-4']);
});

t.test('a symbolic link to the file stays, and a pipe stops the start', async (t) => {
  const place = temporaryFolder(t);
  const [path, link, pipe] = [join(place, 'received.jsonl'), join(place, 'link'), join(place, 'pipe')];
  writeFileSync(path, '');
  symlinkSync(path, link);
  const log = await started(t, new FileLog(link, systemClock));
  await log.append(entry('1'));
  t.ok(lstatSync(link).isSymbolicLink());
  t.match(readFileSync(path, 'utf8'), /s-1/);
  execFileSync('mkfifo', [pipe]);
  await t.rejects(new FileLog(pipe, systemClock).start(), /pipe is not a regular file/);
});

t.test('a full log confirms only followers that have all entries', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const live = new LiveEntries(systemClock, 1);
  t.teardown(() => live.close());
  const states: string[][] = [[], []];
  const follow = (index: number) =>
    live
      .feed('https://a.example')(({ kind }) => states[index]?.push(kind))
      .start();
  live.become('in_step');
  follow(0);
  for (const id of ['1', '2']) live.add(entry(id));
  follow(1);
  mock.timers.tick(6_000);
  t.strictSame(states, [
    ['in_step', 'event', 'event', 'in_step'],
    ['event', 'lost'],
  ]);
});

/** Two hours ahead while `isAhead`. */
function jumpingClock() {
  const clock = {
    isAhead: false,
    now: () => Date.now() + (clock.isAhead ? 2 * 3_600_000 : 0),
    monotonic: () => performance.now(),
  };
  return clock;
}

t.test('a process whose clock is ahead loses no entry of the file', async (t) => {
  const path = join(temporaryFolder(t), 'received.jsonl');
  const first = await started(t, new FileLog(path, systemClock));
  await first.append(entry('1'));
  const clock = jumpingClock();
  clock.isAhead = true;
  const second = await started(t, new FileLog(path, clock));
  // Each of the two replaces the file of the other one.
  await first.append(entry('2'));
  await second.append(entry('3'));
  clock.isAhead = false;
  const third = await started(t, new FileLog(path, systemClock));
  for (const log of [second, third]) t.strictSame(followed(t, log).keys().sort(), ['s-1', 's-2', 's-3']);
});

t.test('a command whose clock is ahead reads every entry of the file', async (t) => {
  const directory = temporaryFolder(t);
  const first = await started(t, new FileLog(join(directory, 'received.jsonl'), systemClock));
  await first.append(entry('1'));
  const config = { counters: { url: 'memory' }, receiver: { file: 'received.jsonl' } } as GatewayConfig;
  const clock = jumpingClock();
  clock.isAhead = true;
  const log = (await openLogForReading(config, { clock, log: pino({ enabled: false }), directory })) as EventLog;
  t.teardown(() => log.close());
  t.strictSame(followed(t, log).keys(), ['s-1']);
});

t.test(
  'entries that a replica read while its clock was ahead count at this replica',
  {
    skip: skipWithoutRedis,
  },
  async (t) => {
    const { log, url } = await withClient(t);
    const clock = jumpingClock();
    const other = await started(t, inRedis(url, clock));
    clock.isAhead = true;
    const seen = followed(t, other);
    await log.append(entry('1'));
    t.ok(await until(() => seen.keys().length === 1, 10_000));
    clock.isAhead = false;
    t.strictSame(followed(t, other).keys(), ['s-1']);
  },
);

t.test('entries that have ended leave their places to live entries', async (t) => {
  const clock = jumpingClock();
  const live = new LiveEntries(clock, 10);
  t.teardown(() => live.close());
  live.become('in_step');
  clock.isAhead = true;
  for (let id = 0; id < 10; id++) live.add(entry(String(id)));
  t.ok(live.hasRoom('https://a.example', 9));
  const later = Date.now() / 1000 + 3 * 3_600;
  for (let id = 10; id < 20; id++) live.add(entry(String(id), { until: later }));
  t.equal(live.size, 10);
  const states: string[] = [];
  const follow = () =>
    live
      .feed('https://a.example')(({ kind }) => states.push(kind))
      .start();
  follow();
  t.equal(states.at(-1), 'in_step');
  clock.isAhead = false;
  follow();
  t.equal(states.at(-1), 'lost', 'the clock is set back, so a later follower lacks entries');
});

t.test('a flood of one server leaves places for the entries of another one', async (t) => {
  const live = new LiveEntries(systemClock, 100);
  t.teardown(() => live.close());
  live.become('in_step');
  for (let id = 0; id < 200; id++) if (live.hasRoom('https://a.example', 1)) live.add(entry(String(id)));
  t.equal(live.size, 90);
  const b = { issuer: 'https://b.example' };
  t.ok(live.hasRoom(b.issuer, 9));
  for (let id = 0; id < 9; id++) live.add(entry(String(id), b));
  t.equal(live.size, 99);
});

t.test('an accepted entry keeps its place after a restart, and only entries with events are missed', async (t) => {
  const live = new LiveEntries(systemClock, 100);
  t.teardown(() => live.close());
  live.become('in_step');
  for (let id = 0; id < 100; id++) live.add(entry(String(id)));
  t.equal(live.size, 100, 'more than the share of one server');
  const b = { issuer: 'https://b.example' };
  live.add(entry('a mark', { ...b, events: [] }));
  live.add(entry('no place'));
  const states = new Map<string, string[]>([
    ['https://a.example', []],
    [b.issuer, []],
  ]);
  for (const [issuer, kinds] of states)
    live
      .feed(issuer)(({ kind }) => kinds.push(kind))
      .start();
  t.equal(states.get('https://a.example')?.at(-1), 'lost');
  t.equal(states.get(b.issuer)?.at(-1), 'in_step', 'only followers of the full server lack entries');
});

t.test('a flood of one server leaves places in Redis too', { skip: skipWithoutRedis }, async (t) => {
  const server = await redisServer(t);
  const log = await started(t, inRedis(server.url, systemClock, 10));
  const tenth = async (id: number) => (await log.append(entry(String(id)))).kind;
  for (let id = 0; id < 9; id++) {
    t.equal(await tenth(id), 'added');
    t.ok(await until(() => log.size() === id + 1));
  }
  t.equal(await tenth(9), 'out');
  t.equal(await tenth(3), 'again', 'a repeat needs no place');
  const behind = inRedis(server.url, systemClock, 0);
  t.teardown(() => behind.close());
  t.strictSame(await behind.append(entry('3')), { kind: 'again' }, 'at a replica that has not read the entry, too');
  t.strictSame(await log.append(entry('1', { issuer: 'https://b.example' })), { kind: 'added' });
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

/** What happens to the data → how. */
const losses: Readonly<Record<string, (redis: Redis) => Promise<unknown>>> = {
  'all of it': (redis) => redis.flushall(),
  'only the stream, as in an eviction': (redis) => redis.del('gatehouse:{received}:log'),
  'its newest entry, as in a failover': async (redis) => {
    const [newest] = await redis.xrevrange('gatehouse:{received}:log', '+', '-', 'COUNT', 1);
    await redis.xdel('gatehouse:{received}:log', newest?.[0] as string);
  },
};

for (const [what, lose] of Object.entries(losses))
  t.test(`entries come back although another one was first: lost is ${what}`, { skip: skipWithoutRedis }, async (t) => {
    const { log, redis, url } = await withClient(t);
    for (const id of ['1', '2']) await log.append(entry(id));
    t.ok(await until(() => log.size() === 2));
    await lose(redis);
    t.strictSame(await log.append(entry('3')), { kind: 'added' });
    t.ok(await until(async () => (await redis.xlen('gatehouse:{received}:log')) === 3));
    const seen = followed(t, await started(t, inRedis(url)));
    t.ok(await until(() => seen.keys().length === 3));
    t.strictSame(await log.append(entry('1')), { kind: 'again' });
  });

t.test(
  'a log whose work of adding entries again was interrupted continues it, and is not in step before',
  {
    skip: skipWithoutRedis,
  },
  async (t) => {
    const { url } = await redisServer(t);
    const redis = new Redis(url);
    t.teardown(() => redis.disconnect());
    let faults = 0;
    const counting = { failed: () => faults++, recovered: () => {} };
    const options = { url, trust: { kind: 'system' }, clock: systemClock, longest: 86_400_000 } as const;
    const log = await started(t, new RedisLog({ ...options, faults: counting }));
    await log.append(entry('1'));
    const [id = ''] = await redis.keys('gatehouse:{received}:id:*');
    await log.append(entry('2'));
    t.ok(await until(() => log.size() === 2));
    const seen = followed(t, log);
    // The script fails for the first entry.
    await redis.multi().flushall().lpush(id, 'not the id of an entry').exec();
    t.ok(await until(() => faults >= 2, 10_000), 'a new connection continues');
    t.equal(seen.state(), 'lost');
    await redis.del(id);
    t.ok(await until(() => seen.state() === 'in_step', 10_000));
    t.equal(await redis.xlen('gatehouse:{received}:log'), 2);
  },
);

t.test('an id counts only with its entry', { skip: skipWithoutRedis }, async (t) => {
  const { log, redis } = await withClient(t);
  await redis.set('gatehouse:{received}:log', 'not a stream');
  t.match(await log.append(entry('1')), { kind: 'out' });
  await redis.del('gatehouse:{received}:log');
  t.strictSame(await log.append(entry('1')), { kind: 'added' });
});

t.test('a clock that is years ahead removes no entries of other replicas', { skip: skipWithoutRedis }, async (t) => {
  const { log, redis, url } = await withClient(t);
  for (let id = 0; id < 300; id++) await log.append(entry(String(id)));
  const years = 3 * 365 * 86_400_000;
  const ahead = { now: () => Date.now() + years, monotonic: () => performance.now() };
  const other = await started(t, inRedis(url, ahead));
  await other.append(entry('ahead'));
  t.equal(await redis.xlen('gatehouse:{received}:log'), 301);
});

t.test(
  'entries that come at once share one connection, and a closed log opens none',
  {
    skip: skipWithoutRedis,
  },
  async (t) => {
    const server = await redisServer(t);
    const log = await started(t, inRedis(server.url));
    await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(entry(String(index)))));
    t.equal(await server.connections(), 2, 'a reader and a writer');
    await log.close();
    t.match(await log.append(entry('late')), { kind: 'out' });
    t.ok(await until(async () => (await server.connections()) === 0));
  },
);

t.test(
  'an entry is added although the idle connection of the writer was cut',
  {
    skip: skipWithoutRedis,
  },
  async (t) => {
    const { log, redis } = await withClient(t);
    const cut = async () => {
      const [, writer = ''] = /^id=(\d+) .* cmd=eval /m.exec(String(await redis.client('LIST'))) ?? [];
      t.equal(await redis.client('KILL', 'ID', writer), 1);
    };
    await log.append(entry('1'));
    await cut();
    t.strictSame(await log.append(entry('2')), { kind: 'added' }, 'this process may not have noticed it yet');
    await cut();
    await pause(100);
    t.strictSame(await log.append(entry('3')), { kind: 'added' }, 'this process has noticed it');
    await cut();
    const kinds = await Promise.all(['4', '5', '6'].map(async (id) => (await log.append(entry(id))).kind));
    t.strictSame(kinds, ['added', 'added', 'added']);
    t.equal(await redis.xlen('gatehouse:{received}:log'), 6);
  },
);

t.test('a reader takes entries of the largest size', { skip: skipWithoutRedis }, async (t) => {
  const { log, url } = await withClient(t);
  const events = [{ kind: 'sid' as const, key: 's', until: entry('').until }];
  const id = (index: number) => `${index}`.padEnd(LARGEST_ENTRY - JSON.stringify(entry('', { events })).length, 'x');
  await Promise.all(Array.from({ length: 250 }, (_, index) => log.append(entry(id(index), { events }))));
  const later = await started(t, inRedis(url));
  t.ok(await until(() => later.size() === 250));
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
