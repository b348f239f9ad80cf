import { usernameKey } from '../../base/username.ts';
import { type Attempt, buildThrottle, type ThrottleOptions } from '../../storage/counters-throttle.ts';

/** Tries to log in. */
export interface LoginAttempts {
  begin(username: string, address: string): Promise<Attempt>;
}

/** So many users' worth of failures from one address are guessing too, whoever's passwords they were. */
const usersBehindAnAddress = 10;

/**
 * By user and address together, so that guessing locks nobody out elsewhere; and by the address alone. A line break is in
 * no client id, so these names are not theirs, which are counted too.
 */
export function buildLoginAttempts(options: ThrottleOptions): LoginAttempts {
  const byUser = buildThrottle(options);
  const byAddress = buildThrottle({ ...options, maxFailures: options.maxFailures * usersBehindAnAddress });
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
