import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { bareEnvironment } from '../../support/environment.ts';
import { freePort } from '../../support/free-port.ts';
import { figuresOf, isInTime, lateness } from '../../support/lateness.ts';
import { launcher } from '../../support/launcher.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** One of both programs as a separate process, in an environment that a test prepares. */
export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  readonly adminUrl: string;
  readonly directory: string;
  readonly file: string;
  /** Everything that it printed. */
  output(): string;
  /** Its exit status, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export interface Surroundings {
  /** The command that runs it: `prlimit --nofile=128`. */
  readonly wrapper?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly directory?: string;
  /** Settings of its listener in addition to the address. */
  readonly listen?: object;
  /** The target of its output, instead of this process. */
  readonly stdout?: number;
}

export interface Ports {
  readonly port: number;
  readonly admin: number;
}

/** Resolves once it is ready. The file has a version and listeners only if `text` contains them. */
export async function program(
  t: Test,
  name: 'gateway' | 'authorization',
  text: (ports: Ports) => string,
  { wrapper = [], env = {}, directory = temporaryFolder(t), stdout, listen }: Surroundings = {},
): Promise<Program> {
  const ports = { port: await freePort(), admin: await freePort() };
  const file = join(directory, `${name}.yaml`);
  const address = `127.0.0.1:${ports.port}`;
  const listener = listen === undefined ? address : JSON.stringify({ host: '127.0.0.1', port: ports.port, ...listen });
  const head = `version: 1\nlisten: ${listener}\nadmin: 127.0.0.1:${ports.admin}\n`;
  writeFileSync(file, head + text(ports));
  const [command = '', ...args] = [...wrapper, process.execPath, launcher, name, '--config', file];
  const stdio = ['ignore', stdout ?? 'pipe', 'pipe'] as const;
  const child = spawn(command, args, { stdio: [...stdio], env: bareEnvironment(env) });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += String(chunk)));
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const adminUrl = `http://127.0.0.1:${ports.admin}`;
  await ready(adminUrl, child, () => printed);
  const { pid = 0 } = child;
  const url = `http://127.0.0.1:${ports.port}`;
  return { child, pid, port: ports.port, url, adminUrl, directory, file, output: () => printed, ended };
}

async function ready(adminUrl: string, child: ChildProcess, printed: () => string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const response = await fetch(`${adminUrl}/readyz`).catch(() => undefined);
    if (response?.status === 200) return;
    if (child.exitCode !== null) break;
    await pause(50);
  }
  throw new Error(`not ready: ${printed()}`);
}

/**
 * Checks that `works` returns true within so many milliseconds, plus the machine's lateness. Returns how many it took.
 */
export async function recovers(t: Test, what: string, works: () => Promise<boolean>, most: number): Promise<number> {
  const start = performance.now();
  const { between } = await lateness(t);
  for (;;) {
    const isWell = await works().catch(() => false);
    const end = performance.now();
    const figures = end - start > most ? await between(start, end) : { took: end - start, late: 0, longest: 0 };
    if (isWell || !isInTime(most, figures)) {
      t.ok(isWell && isInTime(most, figures), `${what}: ${figuresOf(most, figures)}`);
      return figures.took;
    }
    await pause(20);
  }
}
