import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Test } from 'tap';
import { freePort } from './free-port.ts';

/** Debian keeps them outside of PATH, in one folder for each version. */
const folders = [...debian('/usr/lib/postgresql'), ...(process.env.PATH ?? '').split(delimiter)];
const programs = folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));

function debian(root: string): string[] {
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).sort((left, right) => Number(right) - Number(left));
  return versions.map((version) => join(root, version, 'bin'));
}

/**
 * The server refuses to run as root, so root switches to the user that Debian created for it. It does so without a
 * program in between: `runuser` stops together with its child, and a stopped program neither forwards a signal nor
 * reports an end.
 */
const isRoot = process.getuid?.() === 0;
const asServer = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};

/** NaN: the user does not exist. */
function idOf(what: '-u' | '-g'): number {
  const { status, stdout } = spawnSync('id', [what, 'postgres'], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : Number.NaN;
}

/** For `t.test(title, { skip: skipWithoutPostgres }, …)`. */
export const skipWithoutPostgres: false | string = whyNot() ?? false;

function whyNot(): string | undefined {
  if (programs === undefined) return 'PostgreSQL is not installed';
  return Number.isNaN(asServer.uid) ? 'there is no user to run PostgreSQL as' : undefined;
}

/** A PostgreSQL in a separate folder, on a loopback port and a socket in the folder. Removed after the test. */
export interface PostgresServer {
  readonly port: number;
  /** The folder of the socket, where a test may also keep files that the server reads. */
  readonly directory: string;
  /** The URL of a new, empty database. */
  database(): Promise<string>;
  /** Deletes all our rows. */
  empty(url: string): Promise<void>;
  /** Queries as the superuser. */
  ask(sql: string, url?: string): Promise<readonly Record<string, unknown>[]>;
  /** Lines for postgresql.conf, used at the next start. */
  configure(lines: string): void;
  /** Like `pg_ctl stop -m immediate`: every process aborts, and the next start recovers. */
  abort(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  /** Connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
}

export async function postgresServer(t: Test): Promise<PostgresServer> {
  const directory = newFolder();
  const data = join(directory, 'data');
  const port = await freePort();
  const url = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  let server: ChildProcess | undefined;
  let databases = 0;

  await runAsServer('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N']);
  appendFileSync(join(data, 'postgresql.conf'), settings(directory, port));

  async function start(): Promise<void> {
    server = spawnAsServer('postgres', ['-D', data]);
    server.unref();
    await answering(url('postgres'));
  }
  async function abort(): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.ref();
    server.kill('SIGQUIT');
    // A stopped process gets no other signal.
    signalAll('SIGCONT');
    await exited;
  }
  const ask = (sql: string, at = url('postgres')) => asking(at, async (client) => (await client.query(sql)).rows);

  const signalAll = (name: NodeJS.Signals) => {
    for (const pid of processesOf(server)) sendSignal(pid, name);
  };

  await start();
  t.teardown(async () => {
    await abort();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    port,
    directory,
    async database() {
      const name = `test${++databases}`;
      await ask(`CREATE DATABASE ${name}`);
      return url(name);
    },
    empty: async (url) => void (await ask(deleteAll, url)),
    ask,
    configure: (lines) => appendFileSync(join(data, 'postgresql.conf'), `${lines}\n`),
    abort,
    start,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
  };
}

/**
 * SQL that deletes all our rows. TRUNCATE writes new files for each table and index, and takes twice as long. In the
 * role of a replica, foreign keys prescribe no order.
 */
export const deleteAll = `
  DO $$ DECLARE each TEXT; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR each IN SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migration'
    LOOP EXECUTE 'DELETE FROM ' || each; END LOOP;
  END $$`;

/** Without fsync: these tests do not check that a disk keeps synced data, and a server that aborts loses nothing. */
function settings(directory: string, port: number): string {
  return [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${directory}'`,
    'fsync = off',
    'max_connections = 60',
    'shared_buffers = 32MB',
    "log_min_messages = 'panic'",
    '',
  ].join('\n');
}

function newFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  mkdirSync(join(directory, 'data'));
  if (isRoot) {
    spawnSync('chown', ['-R', 'postgres', directory]);
    chmodSync(directory, 0o755);
  }
  return directory;
}

function spawnAsServer(program: string, parameters: readonly string[]): ChildProcess {
  return spawn(join(programs ?? '', program), parameters, { stdio: 'ignore', cwd: '/', ...asServer });
}

async function runAsServer(program: string, parameters: readonly string[]): Promise<void> {
  const [status] = await once(spawnAsServer(program, parameters), 'exit');
  if (status !== 0) throw new Error(`${program} failed with ${status}`);
}

/** The server and its child processes. */
function processesOf(server: ChildProcess | undefined): number[] {
  return server?.pid === undefined ? [] : [server.pid, ...below(server.pid)];
}

function below(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  const children = stdout
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(Number);
  return children.flatMap((child) => [child, ...below(child)]);
}

/** A process of the server may have ended in the meantime. */
function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function asking<Value>(url: string, ask: (client: Client) => Promise<Value>): Promise<Value> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await ask(client);
  } finally {
    await client.end();
  }
}

async function answering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    try {
      await asking(url, (client) => client.query('SELECT 1'));
      return;
    } catch {
      await pause(25);
    }
  }
  throw new Error('PostgreSQL does not answer');
}
