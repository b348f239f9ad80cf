import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { isFullSize } from '../support/long.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** The tested checkout. */
export const checkout = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The files of a checkout that npm, tsc and the license need for packing. No other file can get into the package by
 * mistake.
 */
const source = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'LICENSE', 'src', 'tools'];

export interface Packed {
  readonly tarball: string;
  /** Path → text, as they are in the tarball. */
  readonly files: ReadonlyMap<string, string>;
}

/** The files that npm needs for packing, with `more` of the checkout, and with its packages. */
export function copyOfCheckout(t: Test, more: readonly string[] = []): string {
  const copy = join(temporaryFolder(t), 'checkout');
  const { files } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  const packed = files.filter((name: string) => name !== 'dist' && !name.startsWith('!'));
  for (const name of [...source, 'README.md', ...packed, ...more])
    cpSync(join(checkout, name), join(copy, name), { recursive: true, preserveTimestamps: true });
  linkModules(join(copy, 'node_modules'));
  return copy;
}

/** `npm pack` in a copy, because it writes dist/. */
export function pack(t: Test): Packed {
  const copy = copyOfCheckout(t);
  const [{ filename, files: listed }] = JSON.parse(npm(['pack', '--json', '--silent'], copy));
  const listing: readonly { path: string }[] = listed;
  return {
    tarball: join(copy, filename),
    files: new Map(listing.map(({ path }) => [path, readFileSync(join(copy, path), 'utf8')])),
  };
}

/** All except tap, which `prepare` would build again under the running tests. */
function linkModules(folder: string): void {
  mkdirSync(folder);
  for (const name of readdirSync(join(checkout, 'node_modules')))
    if (name !== 'tap') symlinkSync(join(checkout, 'node_modules', name), join(folder, name));
}

export interface Installed {
  /** The working folder of a user. */
  readonly folder: string;
  /** The folder of the package. */
  readonly root: string;
}

/** With no server at this address, npm would try each package for a minute. */
const tries = `--fetch-retries=${isFullSize ? 2 : 0}`;

/** Into an empty folder; throws with npm's output. */
export function install(t: Test, { tarball }: Packed): Installed {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  npm(['install', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline', tries, tarball], folder);
  return { folder, root: join(folder, 'node_modules/gatehouse-oauth') };
}

/** Without the programs of the checkout, and with the Node.js of this process. */
export const elsewhere = {
  ...process.env,
  PATH: [
    dirname(process.execPath),
    ...(process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(checkout)),
  ].join(delimiter),
};

/** The test runner adds NODE_OPTIONS to each process that it starts, so they are removed where it cannot see it. */
export const plainly: readonly string[] = ['-u', 'NODE_OPTIONS'];

export function npm(args: readonly string[], cwd: string, program = 'npm'): string {
  const { status, stdout, stderr, error } = spawnSync('/usr/bin/env', [...plainly, program, ...args], {
    cwd,
    encoding: 'utf8',
    env: program === 'npx' ? elsewhere : process.env,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `exit status ${status}`}\n${stdout}${stderr}`);
  return stdout;
}

export interface Started {
  output(): string;
  prints(text: string): Promise<boolean>;
  ended(): Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** What the program reads from standard input. */
  readonly input?: string;
  readonly flags?: readonly string[];
}

/** Runs the installed `gatehouse …` in the folder of the user. */
export function start(
  t: Test,
  { folder, root }: Installed,
  args: readonly string[],
  options: StartOptions = {},
): Started {
  const { env = {}, input = '', flags = [] } = options;
  const words = [...plainly, process.execPath, ...flags, join(root, 'bin/gatehouse.js'), ...args];
  return startWith(t, words, { cwd: folder, env: { ...elsewhere, ...env }, input });
}

/** `env …` with these words. The program ends with the test. */
export function startWith(
  t: Test,
  words: readonly string[],
  { input = '', ...place }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string },
): Started {
  const child = spawn('/usr/bin/env', words, { ...place, stdio: 'pipe' });
  child.stdin.on('error', () => undefined).end(input);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
  const closed = once(child, 'close');
  t.teardown(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await closed;
  });
  return {
    output: () => printed,
    prints: (text) => until(() => printed.includes(text) || child.exitCode !== null).then(() => printed.includes(text)),
    ended: async () => {
      await closed;
      return child.exitCode;
    },
    kill: (signal) => void child.kill(signal),
  };
}
