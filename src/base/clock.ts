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
