import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { freePort } from './free-port.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { within } from './until.ts';

const PROGRAM = '/usr/sbin/apache2';
const isThere = spawnSync(PROGRAM, ['-v']).status === 0;

const fileOf = (module: string) => `/usr/lib/apache2/modules/mod_${module}.so`;

/** For `t.test(title, { skip: … }, …)`: false, or the reason. */
export function skipWithoutApache(modules: readonly string[]): false | string {
  if (!isThere) return 'there is no Apache';
  const missing = modules.find((module) => !existsSync(fileOf(module)));
  return missing === undefined ? false : `Apache has no mod_${missing}`;
}

export interface ApacheOptions {
  /** By default, a free one. */
  readonly port?: number;
  readonly modules: readonly string[];
  /** The rest of the configuration. `folder` is for files of this Apache, and `folder`/www has the documents. */
  readonly lines: (folder: string) => readonly string[];
}

/** The URL of an Apache in the foreground, with files and a log of its own, ended after the test. */
export async function apache(t: Test, { port, modules, lines }: ApacheOptions): Promise<string> {
  const folder = temporaryFolder(t);
  const address = `127.0.0.1:${port ?? (await freePort())}`;
  mkdirSync(join(folder, 'www'));
  const file = join(folder, 'apache.conf');
  const text = [
    `ServerRoot ${folder}`,
    `Listen ${address}`,
    'ServerName legacy.example',
    `PidFile ${folder}/pid`,
    `ErrorLog ${folder}/error.log`,
    `DocumentRoot ${folder}/www`,
    ...modules.map((name) => `LoadModule ${name}_module ${fileOf(name)}`),
    ...lines(folder),
  ];
  writeFileSync(file, `${text.join('\n')}\n`);
  const child = spawn(PROGRAM, ['-f', file, '-DFOREGROUND'], { stdio: 'ignore' });
  t.teardown(() => ended(child));
  const url = `http://${address}`;
  await within(reached(url), 20_000, 'Apache');
  return url;
}

async function reached(url: string): Promise<void> {
  const isUp = () =>
    fetch(url, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) await pause(50);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
