import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What changes the root, or why nothing can. */
function findWay(): readonly string[] | string {
  if (process.platform !== 'linux') return 'the single executable is for Linux';
  const ways = [['chroot'], ['unshare', '--map-root-user', 'chroot']];
  const way = ways.find(([program = '', ...args]) => spawnSync(program, [...args, '/', '/bin/true']).status === 0);
  return way ?? 'this user may not change the root of a program, even in a user namespace';
}

const way = findWay();

/** For a test: why a program cannot run in a root of its own. */
export const skipWithoutRoot: string | false = typeof way === 'string' ? way : false;

/** Words for `env` that run the file in the root, without variables except these. */
export function inRoot(root: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): readonly string[] {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return ['-i', `PATH=${process.env.PATH}`, ...variables, ...way, root, ...words];
}

/** A folder with nothing but the libraries of `program`, the name `localhost`, `/tmp` and `/dev/null`. Gone after the test. */
export function emptyRoot(t: Test, program: string): string {
  const root = temporaryFolder(t);
  for (const library of librariesOf(program)) cpSync(realpathSync(library), join(root, library));
  for (const folder of ['bin', 'dev', 'etc', 'tmp']) mkdirSync(join(root, folder));
  // Node.js opens it for a process that gets no standard input, such as a worker.
  writeFileSync(join(root, 'dev/null'), '');
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n');
  return root;
}

function librariesOf(program: string): readonly string[] {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
  return [...stdout.matchAll(/\/\S+/g)].map(([path]) => path);
}
