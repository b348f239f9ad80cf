import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Command } from './children.ts';

/** Debian keeps them outside of PATH, in one folder for each version. */
const folders = [...debian('/usr/lib/postgresql'), ...(process.env.PATH ?? '').split(delimiter)];
const programs = folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));

function debian(root: string): string[] {
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).sort((left, right) => Number(right) - Number(left));
  return versions.map((version) => join(root, version, 'bin'));
}

/** The server refuses to run as root, so root switches to the user that Debian created for it. */
const isRoot = process.getuid?.() === 0;
const asServer = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];

/** Why there is none; undefined if there is one. */
export function postgresMissing(): string | undefined {
  if (programs === undefined) return 'PostgreSQL is not installed';
  if (runAs(['true']).status !== 0) return 'there is no user to run PostgreSQL as';
  return undefined;
}

function runAs(command: readonly string[]) {
  const [file = '', ...args] = [...asServer, ...command];
  return spawnSync(file, args, { encoding: 'utf8', cwd: '/' });
}

/** A cluster in a separate folder. Every setting that affects durability has the server's default. */
export function makePostgres(folder: string, port: number): Command {
  const data = join(folder, 'data');
  if (isRoot) {
    chmodSync(folder, 0o755);
    spawnSync('chown', ['postgres', folder]);
  }
  const program = (name: string) => join(programs ?? '', name);
  const made = runAs([
    program('initdb'),
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  ]);
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  appendFileSync(join(data, 'postgresql.conf'), settings(folder, port));
  const [file = '', ...args] = [...asServer, program('postgres'), '-D', data];
  return { file, args, ports: [port] };
}

export function postgresUrl(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

function settings(folder: string, port: number): string {
  return [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    'shared_buffers = 256MB',
    '',
  ].join('\n');
}
