import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { until } from '../../support/until.ts';

const program = fileURLToPath(new URL('loop-program.ts', import.meta.url));

/** Environment of a process whose event loop reports how late it was. */
export const loopProbed = { NODE_OPTIONS: `--import=${program}` };

export interface Loop {
  readonly pid: number;
  /** Everything that it printed to standard error. */
  output(): string;
}

const LINE = /^event loop late by ([\d.]+), at work for ([\d.]+)$/gm;

/** Milliseconds since the last call. */
export interface Lateness {
  /** The worst delay of the event loop. */
  readonly late: number;
  /** The longest time that its thread worked in one turn; waiting does not count. */
  readonly worked: number;
}

export async function latest({ pid, output }: Loop): Promise<Lateness> {
  const said = () => [...output().matchAll(LINE)];
  const before = said().length;
  process.kill(pid, 'SIGUSR2');
  if (!(await until(() => said().length > before))) throw new Error('the process does not tell of its loop');
  const [, late, worked] = said().at(-1) ?? [];
  return { late: Number(late), worked: Number(worked) };
}

/** An idle process, which is late only because of the machine. */
export async function idleLoop(t: Test): Promise<Loop> {
  const child: ChildProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.error("up")'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...loopProbed },
  });
  let printed = '';
  child.stderr?.on('data', (chunk) => (printed += chunk));
  t.teardown(() => child.kill('SIGKILL'));
  const loop = { pid: child.pid ?? 0, output: () => printed };
  if (!(await until(() => printed.includes('up')))) throw new Error('the idle process does not start');
  return loop;
}
