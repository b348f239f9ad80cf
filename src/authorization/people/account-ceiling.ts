import { addressBlock } from '../../base/client-address.ts';
import type { Clock } from '../../base/clock.ts';
import type { Counters, Failures } from '../../counters/counters.ts';

/** Wrong passwords for one name in the day that began with the first. */
export interface Guesses {
  readonly count: number;
  /** Seconds until unknown browsers may try again; undefined: they may try now. */
  readonly closedFor: number | undefined;
}

export interface CeilingAttempt {
  /** Seconds; present if the ceiling is reached. */
  readonly retryAfter: number | undefined;
  /** `retryAfter`: this failure is over the ceiling. `reached`: this failure reached the ceiling. */
  fail(): Promise<{ readonly retryAfter: number | undefined; readonly reached: boolean }>;
  /** The password was right. From this address, the ceiling no longer blocks the name. */
  succeed(): Promise<void>;
}

/** Most guesses for one name, from all addresses. Unknown names have the same limit. */
export interface AccountCeiling {
  attempt(user: string, address: string): Promise<CeilingAttempt>;
  guesses(user: string): Promise<Guesses>;
}

export interface CeilingOptions {
  readonly counters: Counters;
  readonly clock: Clock;
  /** `login.max_failures_a_day`. */
  readonly most: number;
}

/** Milliseconds. */
export const DAY = 24 * 3_600_000;
const MONTH = 30 * DAY;

/**
 * Anyone can bring a name to its ceiling, so the ceiling must not lock out the user. An address that sent the right password in
 * the last month is exempt; only the limits for each address apply to it. Such a record expires a month after its first entry.
 * So each month has its own record, and the record of the last month is checked too. If the counters are in this process, a
 * restart clears both.
 */
export function buildAccountCeiling({ counters, clock, most }: CeilingOptions): AccountCeiling {
  const keyOf = (user: string) => `user a day\n${user}`;
  const isKnown = async (place: string, month: number) => {
    const told = await Promise.all([month, month - 1].map((each) => counters.failures(`${each} ${place}`)));
    return told.some(({ count }) => count > 0);
  };
  return {
    async attempt(user, address) {
      const block = addressBlock(address);
      const place = `right password\n${block.length}:${block}${user}`;
      const month = Math.floor(clock.now() / MONTH);
      const [failures, known] = await Promise.all([counters.failures(keyOf(user)), isKnown(place, month)]);
      const waitAbove = (limit: number, told: Failures) => (known || told.count <= limit ? undefined : waitOf(told));
      return {
        retryAfter: waitAbove(most - 1, failures),
        async fail() {
          const told = await counters.fail(keyOf(user), DAY);
          return { retryAfter: waitAbove(most, told), reached: told.count === most };
        },
        succeed: async () => void (await counters.fail(`${month} ${place}`, 2 * MONTH)),
      };
    },
    async guesses(user) {
      const told = await counters.failures(keyOf(user));
      return { count: told.count, closedFor: told.count < most ? undefined : waitOf(told) };
    },
  };
}

function waitOf({ endsIn }: Failures): number {
  return Math.max(1, Math.ceil(endsIn / 1000));
}
