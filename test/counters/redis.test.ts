import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import type { RedisTrust } from '../../src/counters/client.ts';
import type { Counters } from '../../src/counters/counters.ts';
import { openCounters } from '../../src/counters/open.ts';
import { countersContract } from '../contracts/counters.ts';
import { freePort } from '../support/free-port.ts';
import { type RedisServer, redisServer, skipWithoutRedis as skip } from '../support/redis.ts';
import { tlsFile } from '../support/tls-file.ts';
import { until } from '../support/until.ts';

/** Starts Redis: 21 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const limit = { requests: 2, window: 60_000 };

interface Opened {
  readonly counters: Counters;
  readonly told: readonly string[];
}

/** These tests are about counting, so a machine that is slow once must not end them. */
const PATIENT = 20_000;

async function open(t: Test, url: string, deadline = PATIENT, trust?: RedisTrust): Promise<Opened> {
  const told: string[] = [];
  const log = {
    warn: (_detail: object, message: string) => void told.push(`warn: ${message}`),
    info: (message: string) => void told.push(`info: ${message}`),
  };
  const counters = openCounters(url, { clock: systemClock, log, deadline, ...(trust && { trust }) });
  t.teardown(() => counters.close());
  await counters.start();
  return { counters, told };
}

const lost = 'warn: the shared counters are unreachable: this process counts alone';
const back = 'info: the shared counters are reachable again';

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

t.test('two processes share their counts', { skip }, async (t) => {
  const { url } = await redisServer(t);
  const [one, other] = [await open(t, url), await open(t, url)];
  t.equal(await one.counters.take('a', limit), 0);
  t.equal(await other.counters.take('a', limit), 0);
  t.ok((await one.counters.take('a', limit)) > 0);
  t.ok((await other.counters.take('a', limit)) > 0);
  await one.counters.fail('a', 60_000);
  t.equal((await other.counters.fail('a', 60_000)).count, 2);
});

t.test('no key reveals whom it counts, and every key expires', { skip }, async (t) => {
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

t.test('a missing Redis is reported once, and the limit applies in this process', { skip }, async (t) => {
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

t.test('counting uses Redis again after it died and was restarted', { skip }, (t) =>
  outage(
    t,
    (server) => server.kill(),
    (server) => server.start(),
  ),
);

t.test('a Redis that stops answering delays nothing, and counting uses it again when it answers', { skip }, (t) =>
  outage(
    t,
    (server) => server.freeze(),
    (server) => server.thaw(),
  ),
);

t.test('a wrong password is an outage, and does not end the process', { skip }, async (t) => {
  const { url } = await redisServer(t);
  const { counters, told } = await open(t, url.replace('//', '//default:wrong@'));
  t.equal(await counters.take('a', limit), 0);
  t.notMatch(told.join(), 'wrong@');
});

t.test('an answer that arrived while this process was busy is not too late', { skip }, async (t) => {
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

t.test('closed counters count alone, and keep no process alive', { skip }, async (t) => {
  const { url } = await redisServer(t);
  const { counters, told } = await open(t, url);
  await counters.close();
  t.equal(counters.take('a', limit), 0);
  t.strictSame(told, []);
});

t.test('a missing engine is named', async (t) => {
  t.throws(() => openCounters('memcached://x', { clock: systemClock, log: { warn() {}, info() {} } }), /memcached:/);
});

async function client(t: Test, url: string): Promise<Redis> {
  const opened = new Redis(url, { retryStrategy: () => null });
  t.teardown(() => opened.disconnect());
  return opened;
}

t.test(
  'a key with a value of another type is counted again from zero, and other keys stay shared',
  { skip },
  async (t) => {
    const server = await redisServer(t);
    const { counters, told } = await open(t, server.url);
    const other = await client(t, server.url);
    const wrong: readonly ((key: string) => Promise<unknown>)[] = [
      (key) => other.set(key, 'x'),
      (key) => other.del(key).then(() => other.lpush(key, 'x')),
    ];
    for (const spoil of wrong) {
      await counters.take('a', limit);
      await counters.fail('a', 60_000);
      for (const key of await server.keys()) if (/:(taken|failures):/.test(key)) await spoil(key);
      t.strictSame(await counters.failures('a'), { count: 0, endsIn: 0 });
      t.strictSame([await counters.take('a', limit), await counters.take('a', limit)], [0, 0]);
      t.ok((await counters.take('a', limit)) > 0, 'the limit holds');
      t.equal((await counters.fail('a', 60_000)).count, 1);
      t.equal((await counters.fail('a', 60_000)).count, 2);
      await other.flushall();
    }
    t.strictSame(told, []);
    t.equal(counters.reachable(), true);
  },
);

t.test('a nonce whose key has another type counts as possibly used', { skip }, async (t) => {
  const server = await redisServer(t);
  const { counters, told } = await open(t, server.url);
  const other = await client(t, server.url);
  const use = { id: 'n', issuedAt: Date.now() + 60_000, lifetime: 60_000, mode: 'strict' } as const;
  t.equal(await counters.useNonce?.({ ...use, count: 1 }), 'fresh');
  for (const key of await server.keys()) if (key.includes(':nonce:')) await other.set(key, 'x');
  t.equal(await counters.useNonce?.({ ...use, count: 2 }), 'forgotten');
  await other.del('gatehouse:nonces-since');
  await other.lpush('gatehouse:nonces-since', 'x');
  t.equal(await counters.useNonce?.({ ...use, id: 'm', count: 1 }), 'fresh', 'issued after whatever was forgotten');
  t.strictSame(told, []);
});

/** Answers that a real Redis never sends: `script` answers each EVALSHA. */
async function fakeRedis(t: Test, script: (socket: Socket, command: string) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      for (const command of String(chunk).split(/^(?=\*\d+\r\n)/m)) {
        if (/\$7\r\nevalsha\r\n/i.test(command)) script(socket, command);
        else if (/\$4\r\ninfo\r\n/i.test(command)) socket.write('$19\r\nredis_version:7.0.0\r\n');
        else if (/\$6\r\nconfig\r\n/i.test(command))
          socket.write('*2\r\n$16\r\nmaxmemory-policy\r\n$10\r\nnoeviction\r\n');
        else socket.write('+OK\r\n');
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => new Promise((closed) => void server.close(closed)));
  return `redis://127.0.0.1:${(server.address() as { port: number }).port}`;
}

t.test('an invalid answer never makes a nonce count as unused', async (t) => {
  const answers = ['$-1\r\n', '*-1\r\n', '*0\r\n', '+0\r\n', '+\r\n', '*1\r\n:0\r\n', ':7\r\n', ':-1\r\n'];
  for (const answer of answers) {
    const isProbe = (command: string) => command.includes('gatehouse:probe');
    const url = await fakeRedis(t, (socket, command) => socket.write(isProbe(command) ? ':0\r\n' : answer));
    const { counters } = await open(t, url);
    t.equal(counters.reachable(), true);
    const use = { id: 'n', issuedAt: Date.now(), lifetime: 60_000, mode: 'strict', count: 1 } as const;
    t.equal(await counters.useNonce?.(use), undefined, JSON.stringify(answer));
    await counters.close();
  }
});

t.test('an answer of half a gigabyte is not buffered: its connection ends at a megabyte', async (t) => {
  let [taken, ended] = [0, 0];
  const pour = (socket: Socket) => {
    const more = Buffer.alloc(64 * 1024, 'x');
    const on = () => {
      while (!socket.destroyed && socket.write(more)) taken += more.length;
    };
    socket.write('$536870911\r\n');
    socket.on('drain', on).once('close', () => ended++);
    on();
  };
  const url = await fakeRedis(t, (socket, command) =>
    command.includes('gatehouse:probe') ? socket.write(':0\r\n') : pour(socket),
  );
  const { counters, told } = await open(t, url);
  t.equal(await counters.take('a', limit), 0);
  t.ok(await until(() => ended === 1));
  t.equal(told[0], lost);
  t.comment(`${taken} octets were taken, those in the buffers of the system among them`);
  t.ok(taken < 64 * 1024 * 1024, String(taken));
});

const pem = (name: string): RedisTrust => ({ kind: 'only', pem: readFileSync(tlsFile(`${name}.crt`), 'latin1') });

/** Whether the counters are shared there. Otherwise nothing may be sent to it. */
const trusted: Readonly<
  Record<string, readonly [certificate: string, trust: RedisTrust, host: string, reached: boolean]>
> = {
  'with its own authority it is trusted': ['server', pem('authority'), 'localhost', true],
  'with an address in its certificate it is trusted': ['server', pem('authority'), '127.0.0.1', true],
  'with the authorities of the system it is not trusted': ['server', { kind: 'system' }, 'localhost', false],
  'with another authority it is not trusted': ['server', pem('other-authority'), 'localhost', false],
  'with another name it is not trusted': ['server', pem('authority'), 'localhost.localdomain', false],
  'with a common name it is not trusted (RFC 9525 §6.3)': ['common-name', pem('common-name'), 'localhost', false],
  'without a usable file it is not trusted': ['server', { kind: 'none' }, 'localhost', false],
};

for (const variable of [undefined, '0'])
  for (const [title, [certificate, trust, host, reached]] of Object.entries(trusted))
    t.test(`a Redis over TLS, NODE_TLS_REJECT_UNAUTHORIZED=${variable}: ${title}`, { skip }, async (t) => {
      if (variable !== undefined) {
        process.env.NODE_TLS_REJECT_UNAUTHORIZED = variable;
        t.teardown(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
      }
      const server = await redisServer(t, { certificate });
      const { counters } = await open(t, server.url.replace('localhost', host), PATIENT, trust);
      t.equal(counters.reachable(), reached);
      t.equal(await counters.take('a', limit), 0, 'counted all the same');
      t.equal(
        (await server.keys()).some((key) => key.includes(':taken:')),
        reached,
      );
    });
