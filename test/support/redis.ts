import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Test } from 'tap';
import { freePort } from './free-port.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { tlsFile } from './tls-file.ts';

/** For `t.test(title, { skip: skipWithoutRedis }, …)`. */
export const skipWithoutRedis: false | string =
  spawnSync('redis-server', ['--version']).status === 0 ? false : 'redis-server is not installed';

/** A Redis in a separate process and folder, removed after the test. */
export interface RedisServer {
  readonly url: string;
  /** Every key in it. */
  keys(): Promise<readonly string[]>;
  /** Current connections of other clients. */
  connections(): Promise<number>;
  /** Milliseconds until a key expires. */
  lifetime(key: string): Promise<number>;
  /** Dies immediately, and loses all data. */
  kill(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  /** Connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
}

/** `certificate`: it accepts only TLS, with this certificate of test/vectors/tls. */
export async function redisServer(t: Test, { certificate }: { certificate?: string } = {}): Promise<RedisServer> {
  const directory = temporaryFolder(t);
  const port = await freePort();
  const tls = certificate === undefined ? [] : tlsArguments(port, certificate);
  const url = certificate === undefined ? `redis://127.0.0.1:${port}` : `rediss://localhost:${port}`;
  let child: ChildProcess | undefined;
  const start = async () => {
    const plain = [
      '--port',
      String(tls.length > 0 ? 0 : port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--dir',
      directory,
    ];
    child = spawn('redis-server', [...plain, ...tls], { stdio: 'ignore' });
    await answering(url);
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  await start();
  t.teardown(kill);
  return {
    url,
    keys: () => asking(url, (client) => client.keys('*')),
    connections: () =>
      asking(
        url,
        async (client) =>
          String(await client.client('LIST'))
            .trim()
            .split('\n').length - 1,
      ),
    lifetime: (key) => asking(url, (client) => client.pttl(key)),
    kill,
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
}

function tlsArguments(port: number, certificate: string): readonly string[] {
  const [cert, key] = ['crt', 'key'].map((ending) => tlsFile(`${certificate}.${ending}`)) as [string, string];
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', tlsFile('authority.crt')];
  return ['--tls-port', String(port), '--tls-auth-clients', 'no', ...files];
}

async function asking<Value>(url: string, ask: (client: Redis) => Promise<Value>): Promise<Value> {
  const looked = url.startsWith('rediss:') && { tls: { rejectUnauthorized: false } };
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, ...looked });
  client.on('error', () => {});
  try {
    await client.connect();
    return await ask(client);
  } finally {
    client.disconnect();
  }
}

async function answering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 800; attempt++) {
    try {
      await asking(url, (client) => client.ping());
      return;
    } catch {
      await pause(25);
    }
  }
  throw new Error('redis-server does not answer');
}

/** The state of a Redis that has counted the uses of nonces for a while. */
export async function countsForLong(client: Redis): Promise<void> {
  const [, run = ''] = /run_id:(\w+)/.exec(await client.info('server')) ?? [];
  const [, evicted = ''] = /evicted_keys:(\d+)/.exec(await client.info('stats')) ?? [];
  await client.set('gatehouse:nonces-since', `0 ${run}`);
  await client.set('gatehouse:nonces-evicted', evicted);
}
