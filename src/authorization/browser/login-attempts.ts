import { usernameKey } from '../../base/username.ts';
import { buildThrottle } from '../../storage/counters-throttle.ts';
import type { Service } from '../service.ts';

/** One try to log in. */
export interface LoginAttempt {
  /** Seconds; present where there were too many wrong ones, and this one must not be looked at. */
  readonly retryAfter: number | undefined;
  fail(): Promise<void>;
}

export interface LoginAttempts {
  begin(username: string, address: string): Promise<LoginAttempt>;
}

/** So many users' worth of failures from one address are guessing too, whoever's passwords they were. */
const usersBehindAnAddress = 10;

/**
 * By user and address together, so that guessing locks nobody out elsewhere; and by the address alone. A line break is in
 * no client id, so these names are not theirs, which are counted too.
 */
export function buildLoginAttempts({ config, counters }: Service): LoginAttempts {
  const { max_failures: most, window } = config.login;
  const byUser = buildThrottle({ counters, maxFailures: most, window });
  const byAddress = buildThrottle({ counters, maxFailures: most * usersBehindAnAddress, window });
  return {
    async begin(username, address) {
      const attempts = [
        await byUser.attempt(`user\n${usernameKey(username)}`, address),
        await byAddress.attempt('address\n', address),
      ];
      const waits = attempts.flatMap(({ retryAfter }) => (retryAfter === undefined ? [] : [retryAfter]));
      return {
        retryAfter: waits.length === 0 ? undefined : Math.max(...waits),
        fail: async () => void (await Promise.all(attempts.map((attempt) => attempt.fail()))),
      };
    },
  };
}
