import type { Forward } from '../../decide/outcome.ts';
import { schemeNamed } from '../../schemes/schemes-of.ts';

export interface Lifetime {
  /** Milliseconds, as configured. */
  readonly maxAge: number;
  /** Seconds since the epoch. */
  readonly now: number;
}

/** Seconds: what is revoked within a second must not pass for longer at a proxy. */
const LONGEST_IF_TOLD = 1;

/** Seconds: whoever counts in whole ones keeps an answer for up to one more. */
const ONE_MORE = 1;

/**
 * Whole seconds for which a proxy may remember that this request passed: until the token ends, never beyond `max_age`.
 * 0 where each request counts: for a rate limit, a credential whose uses are counted, or the record of a route that only
 * looks on.
 */
export function lifetimeOf({ route, identity, shadow }: Forward, { maxAge, now }: Lifetime): number {
  const longest = Math.floor(maxAge / 1000);
  if (route.rateLimit !== undefined || shadow !== undefined) return 0;
  if (identity === undefined) return longest;
  const scheme = schemeNamed(identity.scheme);
  if (scheme?.countsUses) return 0;
  const left = identity.expiresAt === undefined ? longest : Math.floor(identity.expiresAt - now) - ONE_MORE;
  const isTold = identity.marks !== undefined || scheme?.isRevoked === true;
  const told = isTold ? LONGEST_IF_TOLD : longest;
  return Math.max(0, Math.min(longest, left, told));
}
