import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { sha256 } from '../base/secret.ts';

/** One try to show who one is. */
export interface Attempt {
  /** Seconds; present where there were too many failures, and the try must not be looked at. */
  readonly retryAfter: number | undefined;
  fail(): void;
}

export interface Throttle {
  attempt(client: string, address: string): Attempt;
}

export interface ThrottleOptions {
  readonly clock: Clock;
  readonly maxFailures: number;
  /** Milliseconds from the first failure. */
  readonly window: number;
}

interface Failures {
  readonly count: number;
  readonly until: number;
}

const capacity = 50_000;

/** Counts failures by client and address together: guessing from one address does not lock the client out elsewhere. */
export function buildThrottle({ clock, maxFailures, window }: ThrottleOptions): Throttle {
  const counters = new LRUCache<string, Failures>({ max: capacity });
  const current = (key: string) => {
    const failures = counters.get(key);
    return failures !== undefined && failures.until > clock.monotonic() ? failures : undefined;
  };
  return {
    attempt(client, address) {
      const key = sha256(`${address.length}:${address}${client}`).toString('base64');
      const failures = current(key);
      const isOver = failures !== undefined && failures.count >= maxFailures;
      return {
        retryAfter: isOver ? Math.ceil((failures.until - clock.monotonic()) / 1000) : undefined,
        fail() {
          const counted = current(key) ?? { count: 0, until: clock.monotonic() + window };
          counters.set(key, { count: counted.count + 1, until: counted.until });
        },
      };
    },
  };
}
