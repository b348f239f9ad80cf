import type { Forward } from '../../decide/outcome.ts';
import { schemeNamed } from '../../schemes/schemes-of.ts';

export interface Lifetime {
  /** Milliseconds, as configured. */
  readonly maxAge: number;
  /** Seconds since the epoch. */
  readonly now: number;
}

/**
 * Seconds. With a revocation feed, a proxy must not cache an answer for longer than the feed needs to report a
 * revocation.
 */
const LONGEST_WITH_FEED = 1;

/** Seconds. A cache that counts in whole seconds keeps an answer up to one second longer. */
const ONE_MORE = 1;

/**
 * Whole seconds for which a proxy may cache that this request passed: until the token expires, at most `max_age`. It is
 * 0 if each request counts: with a rate limit, a credential that is counted or revocable, or a route in shadow mode.
 */
export function lifetimeOf({ route, identity, shadow }: Forward, { maxAge, now }: Lifetime): number {
  const longest = Math.floor(maxAge / 1000);
  if (route.rateLimit !== undefined || shadow !== undefined) return 0;
  if (identity === undefined) return longest;
  const scheme = schemeNamed(identity.scheme);
  if (scheme?.countsUses || scheme?.isRevoked) return 0;
  const left = identity.expiresAt === undefined ? longest : Math.floor(identity.expiresAt - now) - ONE_MORE;
  const told = identity.marks === undefined ? longest : LONGEST_WITH_FEED;
  return Math.max(0, Math.min(longest, left, told));
}
