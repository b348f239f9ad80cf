import type { Forward } from '../../decide/outcome.ts';
import { schemeNamed } from '../../schemes/schemes-of.ts';

export interface Lifetime {
  /** Milliseconds, as configured. */
  readonly maxAge: number;
  /** Seconds since the epoch. */
  readonly now: number;
}

/** Seconds: a feed that tells of revoked tokens is worth nothing where they pass for longer than it takes to tell. */
const LONGEST_WITH_FEED = 1;

/** Seconds: whoever counts in whole ones keeps an answer for up to one more. */
const ONE_MORE = 1;

/**
 * Whole seconds for which a proxy may remember that this request passed: until the token ends, never beyond `max_age`.
 * 0 where each request counts: for a rate limit, a credential whose uses are counted or that can be revoked, or the record of a route that only
 * looks on.
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
