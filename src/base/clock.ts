/** Time comes in from outside, so that tests can hold it still. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch: for `exp`, `iat` and everything else that another machine reads. */
  now(): number;
  /** Monotonic milliseconds: for lifetimes of cache entries and waits, which a step of the wall clock must not change. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** The wall clock in whole seconds, the unit of RFC 7519 NumericDate. */
export function seconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}

/**
 * Seconds by which a wall clock may have been ahead by mistake. Tokens from that time stay valid. Tokens of a clock that was
 * further ahead do not: they would live too long by that much.
 */
export const LONGEST_STEP = 86_400;

/**
 * Whole seconds for what lets go of things that have ended: a wall clock that jumps ahead must not make it forget what was
 * revoked or used, since it may be set back. It stays behind by the jump, a day at most, and follows a step back at once.
 */
export function forgettingClock(clock: Clock): () => number {
  const start = clock.now() - clock.monotonic();
  return () => {
    const wall = seconds(clock);
    const steady = Math.floor((start + clock.monotonic()) / 1000);
    return Math.max(Math.min(wall, steady), wall - LONGEST_STEP);
  };
}
