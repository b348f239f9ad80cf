import type { Clock } from '../../base/clock.ts';
import { usernameKey } from '../../base/username.ts';
import { type Attempt, buildThrottle, longest, type ThrottleOptions } from '../../counters/throttle.ts';
import { buildAccountCeiling, type CeilingAttempt, DAY, type Guesses } from './account-ceiling.ts';

/** One try to log in. */
export interface Try {
  readonly username: string;
  readonly address: string;
  /** The id of a browser that this account was logged in to with before. */
  readonly browser: string | undefined;
}

/** Seconds, and what they are because of; undefined both where nothing counted too many. */
interface Wait {
  readonly retryAfter: number | undefined;
  readonly limit: 'account' | 'address' | 'browser' | undefined;
}

export interface LoginAttempt extends Wait, Pick<CeilingAttempt, 'succeed'> {
  /** As of a ceiling. */
  fail(): Promise<Wait & { readonly reached: boolean }>;
}

/** Tries to log in. */
export interface LoginAttempts {
  begin(tried: Try): Promise<LoginAttempt>;
  /** For unknown browsers. */
  guesses(username: string): Promise<Guesses>;
}

export interface LoginOptions extends ThrottleOptions {
  /** Failures of one user in a day. */
  readonly ceiling: number;
  readonly clock: Clock;
}

/** So many users' worth of failures from one address are guessing too, of whichever users. */
const usersBehindAnAddress = 10;

/**
 * An unknown browser counts in three ways. By user and address together, so that guessing locks out no one elsewhere. By
 * address. And by user, up to a ceiling that many addresses cannot raise. A known browser counts for itself, so strangers
 * cannot lock it out. A client id contains no line break, so these names never collide with those of clients.
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

/** All count, whichever of them refuses. */
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
