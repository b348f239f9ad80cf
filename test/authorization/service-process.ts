import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { bareEnvironment } from '../support/environment.ts';
import { launcher } from '../support/launcher.ts';

export interface ServiceProcess {
  readonly child: ChildProcess;
  /** Its exit status, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  stdout(): string;
  stderr(): string;
}

export interface ProcessOptions {
  readonly args?: readonly string[];
  /** Prepended to the command line of the service, as `sh -c` would run it. */
  readonly shell?: string;
  /** A program that runs it and watches it. */
  readonly wrapper?: readonly string[];
}

/** `gatehouse authorization` as a separate process, ended with the test. */
export function spawnService(
  t: Test,
  config: string,
  { args = [], shell, wrapper = [] }: ProcessOptions = {},
): ServiceProcess {
  const command = [...wrapper, process.execPath, launcher, 'authorization', '--config', config, ...args];
  const [program = '', ...rest] = shell === undefined ? command : ['sh', '-c', `${shell}; exec "$@"`, 'sh', ...command];
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: bareEnvironment() });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk) => (written[name] += chunk));
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  t.teardown(() => child.kill('SIGKILL'));
  return { child, ended, stdout: () => written.stdout, stderr: () => written.stderr };
}

/** Resolves with the URL once the service reports that it is ready. */
export async function ready(service: ServiceProcess): Promise<string> {
  for (;;) {
    const url = /"url":"([^"]+)".*ready/.exec(service.stdout())?.[1];
    if (url !== undefined) return url;
    const ended = await Promise.race([once(service.child.stdout as NodeJS.ReadableStream, 'data'), service.ended]);
    if (!Array.isArray(ended)) throw new Error(`ended with ${ended}: ${service.stderr()}`);
  }
}

export function writeConfig(
  directory: string,
  changes: { listen?: string; storage?: string; extra?: string } = {},
): string {
  const file = join(directory, 'authorization.yaml');
  writeFileSync(
    file,
    `version: 1
issuer: http://localhost:8081
listen: ${changes.listen ?? '127.0.0.1:0'}
storage: ${changes.storage ?? 'sqlite:gatehouse.db'}
resources: [https://api.example.com]
scopes: { orders.read: Read your orders }
clients:
  - { client_id: shop, client_secret: cs_shop-secret-of-32-bytes-or-so, scope: orders.read, grant_types: [client_credentials] }
  - { client_id: gateway, client_secret: cs_gateway-secret-of-32-bytes, grant_types: [], introspect: true }
${changes.extra ?? ''}
`,
  );
  return file;
}
