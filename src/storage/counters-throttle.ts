import { addressBlock } from '../base/address-block.ts';
import type { Counted, Counters, Failures } from './counters.ts';

/** One try to show who one is. */
export interface Attempt {
  /** Seconds; present where there were too many failures, and the try must not be looked at. */
  readonly retryAfter: number | undefined;
  fail(): Counted<void>;
}

/** Where its counters are shared by several processes, it answers later. */
export interface Throttle {
  attempt(name: string, address: string): Counted<Attempt>;
}

export interface ThrottleOptions {
  readonly counters: Counters;
  readonly maxFailures: number;
  /** Milliseconds from the first failure. */
  readonly window: number;
}

/** Counts failures by name and address together: guessing from one address does not lock the name out elsewhere. */
export function buildThrottle({ counters, maxFailures, window }: ThrottleOptions): Throttle {
  return {
    attempt(name, address) {
      const block = addressBlock(address);
      const key = `${block.length}:${block}${name}`;
      const judge = ({ count, endsIn }: Failures): Attempt => ({
        retryAfter: count >= maxFailures ? Math.max(1, Math.ceil(endsIn / 1000)) : undefined,
        fail: () => nothing(counters.fail(key, window)),
      });
      const failures = counters.failures(key);
      return failures instanceof Promise ? failures.then(judge) : judge(failures);
    },
  };
}

function nothing(counted: Counted<Failures>): Counted<void> {
  return counted instanceof Promise ? counted.then(() => {}) : undefined;
}
