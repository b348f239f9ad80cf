/** The source of time, which tests can replace. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch: for `exp`, `iat` and other times that another machine reads. */
  now(): number;
  /** Monotonic milliseconds: for cache lifetimes and waits, which a step of the wall clock must not change. */
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
 * Seconds by which a wall clock may have been fast. Tokens from that time stay valid. Tokens from a clock that was even faster
 * are invalid, because they would live too long.
 */
export const LONGEST_STEP = 86_400;

/**
 * The clock for deleting ended things, in whole seconds. A wall clock may jump ahead and be set back later. Meanwhile, nothing
 * that was revoked or used may be forgotten. So this clock stays behind by the size of the jump, at most a day. It follows a
 * step back at once.
 */
export function forgettingClock(clock: Clock): () => number {
  const start = clock.now() - clock.monotonic();
  return () => {
    const wall = seconds(clock);
    const steady = Math.floor((start + clock.monotonic()) / 1000);
    return Math.max(Math.min(wall, steady), wall - LONGEST_STEP);
  };
}
