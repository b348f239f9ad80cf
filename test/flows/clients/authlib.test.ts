import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { type Peer, peerTests } from './peer.ts';

/** Installs a Python library first: half a minute and more on a busy machine. */
t.setTimeout(240_000);

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const requirements = path('../../peers/python/requirements.txt');
const script = path('../../peers/python/authlib_client.py');

/** Kept between runs, until the pinned version changes. */
const environment = join(
  path('../../../node_modules/.cache'),
  `gatehouse-authlib-${createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16)}`,
);
const python = join(environment, 'bin', 'python');
const isComplete = join(environment, 'complete');

/** One by one, with a time limit in milliseconds for a slow network. */
const steps = [
  { command: 'python3', args: ['-m', 'venv', environment], timeout: 60_000 },
  {
    command: python,
    args: [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-color',
      '--disable-pip-version-check',
      '--no-deps',
      '-r',
      requirements,
    ],
    timeout: 90_000,
  },
];

function install(): string | undefined {
  if (existsSync(isComplete)) return undefined;
  rmSync(environment, { recursive: true, force: true });
  for (const { command, args, timeout } of steps) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout });
    if (status !== 0) return error?.message ?? (/^ERROR: .*$/m.exec(stderr)?.[0] || `${command}: ${stderr}`);
  }
  writeFileSync(isComplete, '');
  return undefined;
}

function prepare(): Peer {
  const fault = install();
  if (fault !== undefined) return { missing: `Authlib cannot be installed: ${fault}` };
  return { command: python, args: [script], env: { AUTHLIB_INSECURE_TRANSPORT: '1' } };
}

peerTests(t, 'Authlib', prepare, { 'other state': 'mismatching_state' });
