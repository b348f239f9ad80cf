import type { Clock } from '../../src/base/clock.ts';

export interface SettableClock extends Clock {
  /** Milliseconds. */
  advance(by: number): void;
}

/** The clock changes only when a test moves it. */
export function settableClock(start = Date.now()): SettableClock {
  let now = start;
  return {
    now: () => now,
    monotonic: () => now,
    advance(by) {
      now += by;
    },
  };
}
