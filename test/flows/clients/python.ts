import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneAtATime } from '../../support/one-at-a-time.ts';
import type { Peer } from './peer.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const peers = path('../../peers/python');

interface Python {
  /** For the name of the virtual environment. */
  readonly name: string;
  /** A file of test/peers/python with the library and its dependencies. Each is pinned. */
  readonly requirements: string;
  /** A file of test/peers/python. */
  readonly script: string;
}

/** A script with a library, in a virtual environment that is kept between runs, until another version is pinned. */
export function pythonPeer({ name, requirements, script }: Python, env: Record<string, string> = {}): Peer {
  const file = join(peers, requirements);
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16);
  const environment = path(`../../../node_modules/.cache/gatehouse-${name}-${hash}`);
  mkdirSync(dirname(environment), { recursive: true });
  const fault = installOnce(environment, file);
  if (fault !== undefined) return { missing: `${name} cannot be installed: ${fault}` };
  return { command: pythonOf(environment), args: [join(peers, script)], env };
}

const pythonOf = (environment: string) => join(environment, 'bin', 'python');

const pip = ['-m', 'pip', 'install', '--quiet', '--no-color', '--disable-pip-version-check', '--no-deps', '-r'];

/** Milliseconds. The longest installation takes the sum of the times below. */
const INSTALLATION = 150_000;

/** Two files can share an environment, and run at the same time. One of them installs it. */
function installOnce(environment: string, requirements: string): string | undefined {
  try {
    return oneAtATime(`${environment}.lock`, INSTALLATION, () => install(environment, requirements));
  } catch (error) {
    return `another process is installing it: ${(error as Error).message}`;
  }
}

/** What is wrong, if it cannot be installed. The times in milliseconds allow for a slow network. */
function install(environment: string, requirements: string): string | undefined {
  const isComplete = join(environment, 'complete');
  if (existsSync(isComplete)) return undefined;
  rmSync(environment, { recursive: true, force: true });
  for (const { command, args, timeout } of [
    { command: 'python3', args: ['-m', 'venv', environment], timeout: 60_000 },
    { command: pythonOf(environment), args: [...pip, requirements], timeout: 90_000 },
  ]) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout });
    if (status !== 0) return error?.message ?? (/^ERROR: .*$/m.exec(stderr)?.[0] || `${command}: ${stderr}`);
  }
  writeFileSync(isComplete, '');
  return undefined;
}
