import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { until } from '../../support/until.ts';

const program = fileURLToPath(new URL('loop-program.ts', import.meta.url));

/** Environment of a process whose event loop can be asked how late it was. */
export const loopProbed = { NODE_OPTIONS: `--import=${program}` };

export interface Loop {
  readonly pid: number;
  /** Everything that it printed to standard error. */
  output(): string;
}

const LINE = /^event loop late by ([\d.]+), at work for ([\d.]+)$/gm;

/** Milliseconds, since it was asked before. */
export interface Lateness {
  /** By which the event loop was late at the worst. */
  readonly late: number;
  /** That its thread worked in one turn, at the most; it may wait besides. */
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

/** A process that does nothing, and so is late only by what the machine makes it. */
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
