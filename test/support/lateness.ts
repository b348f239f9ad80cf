import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { Span } from './bystander.ts';

/** Milliseconds. */
export interface Figures {
  readonly took: number;
  /** That the machine gave to others meanwhile: by so much in all a bystander was late. */
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

/** `performance.now` counts from the start of this process, by the clock that all processes share. */
const BEGIN = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/**
 * How late the machine is. What is promised within N ms is judged in one round by `took <= N + late`: a machine that does
 * other things meanwhile breaks no promise, and hides no wait of ours. The bystander is gone after the test.
 */
export async function lateness(t: Test): Promise<Lateness> {
  // The runner adds what it measures its own processes with.
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = fork(program, { env, execArgv: [] });
  t.teardown(() => end(child));
  const told = answersOf(child);
  await told();
  let before: Promise<unknown> = Promise.resolve();
  const between = async (from: number, to: number) => {
    // One question after the other: the bystander answers them in the order of their ends.
    const answer = before.then(async () => {
      // What never ended was late by nothing that is known.
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

/** The next that it says. One that ends says nothing any more. */
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

/** Judges what is promised within so many milliseconds. */
export function judgeTime(t: Test, what: string, bound: number, figures: Figures): void {
  t.ok(isInTime(bound, figures), `${what}: ${figuresOf(bound, figures)}`);
}

/** Judges it, and tells the figures. */
export function inTime(t: Test, what: string, bound: number, figures: Figures): void {
  judgeTime(t, what, bound, figures);
  t.comment(`${what}: ${figuresOf(bound, figures)}`);
}
