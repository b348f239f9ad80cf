import type { Clock } from '../../base/clock.ts';
import { usernameKey } from '../../base/username.ts';
import { type Attempt, buildThrottle, longest, type ThrottleOptions } from '../../counters/throttle.ts';
import { buildAccountCeiling, type CeilingAttempt, DAY, type Guesses } from './account-ceiling.ts';

/** One attempt to log in. */
export interface Try {
  readonly username: string;
  readonly address: string;
  /** The id of a browser in which this account has logged in before. */
  readonly browser: string | undefined;
}

/** Seconds, and the limit that requires the wait; both undefined if no limit was reached. */
interface Wait {
  readonly retryAfter: number | undefined;
  readonly limit: 'account' | 'address' | 'browser' | undefined;
}

export interface LoginAttempt extends Wait, Pick<CeilingAttempt, 'succeed'> {
  /** `reached`: this failure reached the ceiling. */
  fail(): Promise<Wait & { readonly reached: boolean }>;
}

/** Counts attempts to log in. */
export interface LoginAttempts {
  begin(tried: Try): Promise<LoginAttempt>;
  /** The wrong passwords from unknown browsers. */
  guesses(username: string): Promise<Guesses>;
}

export interface LoginOptions extends ThrottleOptions {
  /** Allowed failures of one user in a day. */
  readonly ceiling: number;
  readonly clock: Clock;
}

/** Failures from one address are guessing if they exceed the limit of this many users together. */
const usersBehindAnAddress = 10;

/**
 * An unknown browser has three counts. The count by user and address does not lock out the user at other addresses. The second
 * is by address. The third is by user, up to a ceiling that many addresses cannot raise. A known browser has its own count, so
 * strangers cannot lock it out. A client id contains no line break, so these names never collide with names of clients.
 */
export function buildLoginAttempts(options: LoginOptions): LoginAttempts {
  const { counters, clock, maxFailures, ceiling: most } = options;
  const byUser = buildThrottle(options);
  const byAddress = buildThrottle({ ...options, maxFailures: maxFailures * usersBehindAnAddress });
  const ofDay = buildThrottle({ counters, maxFailures: most, window: DAY });
  const ceiling = buildAccountCeiling({ counters, clock, most });
  return {
    async begin({ username, address, browser }) {
      const user = usernameKey(username);
      if (browser !== undefined) {
        const name = `${browser} ${user}`;
        const attempts = [byUser.attempt(`browser\n${name}`, ''), ofDay.attempt(`browser a day\n${name}`, '')];
        return together('browser', await Promise.all(attempts));
      }
      const attempts = [byUser.attempt(`user\n${user}`, address), byAddress.attempt('address\n', address)];
      return together('address', await Promise.all(attempts), await ceiling.attempt(user, address));
    },
    guesses: (username) => ceiling.guesses(usernameKey(username)),
  };
}

/** All counts increase, whichever of them refuses. */
function together(name: 'address' | 'browser', attempts: readonly Attempt[], ceiling = unlimited): LoginAttempt {
  const waitOf = (account: number | undefined, waits: readonly (number | undefined)[]): Wait => {
    const retryAfter = longest([account, ...waits]);
    const limit = account === undefined ? name : 'account';
    return { retryAfter, limit: retryAfter === undefined ? undefined : limit };
  };
  return {
    ...waitOf(
      ceiling.retryAfter,
      attempts.map((each) => each.retryAfter),
    ),
    async fail() {
      const [account, ...waits] = await Promise.all([ceiling.fail(), ...attempts.map((each) => each.fail())]);
      return { ...waitOf(account.retryAfter, waits), reached: account.reached };
    },
    succeed: ceiling.succeed,
  };
}

const unlimited: CeilingAttempt = {
  retryAfter: undefined,
  fail: async () => ({ retryAfter: undefined, reached: false }),
  succeed: async () => {},
};
