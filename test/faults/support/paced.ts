import type { Test } from 'tap';
import { askedProcess } from './asked-process.ts';
import type { Paced, Plan } from './paced-program.ts';

/** Requests at a rate, from a separate process, whether or not they are answered. */
export interface PacedLoad {
  /** The results since the last call. */
  told(): Promise<Paced>;
  /** The new rate a second. */
  pace(perSecond: number): Promise<Paced>;
  /** The new values of Authorization. */
  take(values: readonly string[]): Promise<Paced>;
  stop(): Promise<void>;
}

export function paced(t: Test, plan: Plan): PacedLoad {
  const { ask, stop } = askedProcess<Paced>(t, 'paced-program.ts', plan);
  return {
    told: () => ask(),
    pace: (perSecond) => ask(JSON.stringify({ perSecond })),
    take: (values) => ask(JSON.stringify({ values })),
    stop,
  };
}
