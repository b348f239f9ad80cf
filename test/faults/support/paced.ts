import type { Test } from 'tap';
import { askedProcess } from './asked-process.ts';
import type { Paced, Plan } from './paced-program.ts';

/** Requests at a rate, from a process of their own, whether or not they are answered. */
export interface PacedLoad {
  /** What came of them since it was asked last. */
  told(): Promise<Paced>;
  /** From now on so many a second. */
  pace(perSecond: number): Promise<Paced>;
  /** From now on with these values of Authorization. */
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
