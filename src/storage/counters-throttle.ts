import { addressBlock } from '../base/address-block.ts';
import type { Counted, Counters, Failures } from './counters.ts';

/** One try to show who one is. */
export interface Attempt {
  /** Seconds; present where there were too many failures, and the try must not be looked at. */
  readonly retryAfter: number | undefined;
  /**
   * As `retryAfter`, where this failure is one too many: of tries that were all looked at before the first had failed. What
   * it was must then not be told.
   */
  fail(): Counted<number | undefined>;
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
      const waitAbove = (most: number, { count, endsIn }: Failures) =>
        count > most ? Math.max(1, Math.ceil(endsIn / 1000)) : undefined;
      const judge = (failures: Failures): Attempt => ({
        retryAfter: waitAbove(maxFailures - 1, failures),
        fail: () => afterwards(counters.fail(key, window), (counted) => waitAbove(maxFailures, counted)),
      });
      const failures = counters.failures(key);
      return failures instanceof Promise ? failures.then(judge) : judge(failures);
    },
  };
}

/** So many users' worth of failures from one address are guessing too, whoever's passwords they were. */
const USERS_BEHIND_AN_ADDRESS = 10;

/** By name and address together as `buildThrottle`, and by the address alone. */
export function buildLoginThrottle(options: ThrottleOptions): Throttle {
  const byName = buildThrottle(options);
  const byAddress = buildThrottle({ ...options, maxFailures: options.maxFailures * USERS_BEHIND_AN_ADDRESS });
  return {
    attempt(name, address) {
      const attempts = [byName.attempt(name, address), byAddress.attempt(ADDRESS, address)] as const;
      const [one, other] = attempts;
      if (one instanceof Promise || other instanceof Promise) return Promise.all(attempts).then(together);
      return together([one, other]);
    },
  };
}

/** A line break is in no name of Basic or Digest, nor in their realms. */
const ADDRESS = 'http address\n';

function together(attempts: readonly Attempt[]): Attempt {
  return {
    retryAfter: longest(attempts.map(({ retryAfter }) => retryAfter)),
    fail() {
      const waits: (number | undefined)[] = [];
      const later: Promise<unknown>[] = [];
      for (const attempt of attempts) {
        const wait = attempt.fail();
        if (wait instanceof Promise) later.push(wait.then((told) => waits.push(told)));
        else waits.push(wait);
      }
      return later.length === 0 ? longest(waits) : Promise.all(later).then(() => longest(waits));
    },
  };
}

function longest(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function afterwards<Value, Result>(counted: Counted<Value>, read: (value: Value) => Result): Counted<Result> {
  return counted instanceof Promise ? counted.then(read) : read(counted);
}
