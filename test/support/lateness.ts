import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { Span } from './bystander.ts';

/** Milliseconds. */
export interface Figures {
  readonly took: number;
  /** Time that the machine gave to other programs during the work: the sum of a bystander's lateness. */
  readonly late: number;
  /** The longest of these times. */
  readonly longest: number;
}

export interface Lateness {
  /** Of the bystander. */
  readonly pid: number;
  measure(work: () => Promise<unknown>): Promise<Figures>;
  /** Between two times of `performance.now`. */
  between(from: number, to: number): Promise<Figures>;
}

const program = fileURLToPath(new URL('bystander.ts', import.meta.url));

/** `performance.now` counts from the start of this process, with the clock that all processes share. */
const BEGIN = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/**
 * How late the machine is. A promise of N ms is kept in a round if `took <= N + late`. So other work on the machine
 * breaks no promise, and hides no wait of ours. The bystander ends after the test.
 */
export async function lateness(t: Test): Promise<Lateness> {
  // The test runner adds what it uses to measure its own processes.
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = fork(program, { env, execArgv: [] });
  t.teardown(() => end(child));
  const told = answersOf(child);
  await told();
  let before: Promise<unknown> = Promise.resolve();
  const between = async (from: number, to: number) => {
    // One question after the other, because the bystander answers them in the order of their ends.
    const answer = before.then(async () => {
      // For work that never ended, no lateness is known.
      if (!Number.isFinite(to)) return [];
      child.send({ from: BEGIN + from, to: BEGIN + to } satisfies Span);
      return (await told()) as readonly number[];
    });
    before = answer;
    const late = await answer;
    return { took: to - from, late: late.reduce((sum, each) => sum + each, 0), longest: Math.max(0, ...late) };
  };
  return {
    pid: child.pid ?? 0,
    between,
    async measure(work) {
      const from = performance.now();
      await work();
      return between(from, performance.now());
    },
  };
}

/** Its next line. A bystander that has ended prints nothing more. */
function answersOf(child: ChildProcess): () => Promise<unknown> {
  const gone = once(child, 'exit').then(([status]) => {
    throw new Error(`the bystander ended with ${status}`);
  });
  gone.catch(() => {});
  return () => Promise.race([once(child, 'message').then(([said]) => said), gone]);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

export function isInTime(bound: number, { took, late }: Figures): boolean {
  return took <= bound + late;
}

export function figuresOf(bound: number, { took, late, longest }: Figures): string {
  return `${took.toFixed(0)} ms of ${bound.toFixed(0)}, the machine late by ${late.toFixed(0)}, by ${longest.toFixed(0)} at once`;
}

/** Checks work that must take at most so many milliseconds. */
export function judgeTime(t: Test, what: string, bound: number, figures: Figures): void {
  t.ok(isInTime(bound, figures), `${what}: ${figuresOf(bound, figures)}`);
}

/** Checks it, and prints the figures. */
export function inTime(t: Test, what: string, bound: number, figures: Figures): void {
  judgeTime(t, what, bound, figures);
  t.comment(`${what}: ${figuresOf(bound, figures)}`);
}
