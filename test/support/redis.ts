import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Test } from 'tap';
import { freePort } from './free-port.ts';
import { tlsFile } from './tls-file.ts';

/** For `t.test(title, { skip: skipWithoutRedis }, …)`. */
export const skipWithoutRedis: false | string =
  spawnSync('redis-server', ['--version']).status === 0 ? false : 'redis-server is not installed';

/** A Redis in a process and a folder of its own, gone after the test. */
export interface RedisServer {
  readonly url: string;
  /** Every key that it holds. */
  keys(): Promise<readonly string[]>;
  /** Connections of others at the moment. */
  connections(): Promise<number>;
  /** Milliseconds that a key still has. */
  lifetime(key: string): Promise<number>;
  /** Dies at once, and forgets everything. */
  kill(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  /** Connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
}

/** `certificate`: it speaks TLS only, with this one of test/vectors/tls. */
export async function redisServer(t: Test, { certificate }: { certificate?: string } = {}): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'));
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
  t.teardown(async () => {
    await kill();
    rmSync(directory, { recursive: true, force: true });
  });
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

/** As when it has been counting uses of nonces for a while. */
export async function countsForLong(client: Redis): Promise<void> {
  const [, run = ''] = /run_id:(\w+)/.exec(await client.info('server')) ?? [];
  const [, evicted = ''] = /evicted_keys:(\d+)/.exec(await client.info('stats')) ?? [];
  await client.set('gatehouse:nonces-since', `0 ${run}`);
  await client.set('gatehouse:nonces-evicted', evicted);
}
