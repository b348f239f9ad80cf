import type { Clock } from '../../base/clock.ts';

/** Limits fetches that turn out to be useless: a short burst, and a rate for each second in the long run. */
export interface FetchBudget {
  /** False: no more fetches for now. */
  take(): boolean;
  /** The fetch was useful. */
  give(): void;
}

export function fetchBudget({ burst, perSecond }: { burst: number; perSecond: number }, clock: Clock): FetchBudget {
  let left = burst;
  let last = clock.monotonic();
  return {
    take() {
      const now = clock.monotonic();
      left = Math.min(burst, left + ((now - last) / 1000) * perSecond);
      last = now;
      if (left < 1) return false;
      left--;
      return true;
    },
    give() {
      left = Math.min(burst, left + 1);
    },
  };
}
