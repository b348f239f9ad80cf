/**
 * Milliseconds to wait between attempts. Each wait is twice the one before. A random part keeps gateways from coming at
 * the same time.
 */
export interface Backoff {
  next(): number;
  reset(): void;
}

const FIRST = 250;
const LONGEST = 15_000;

export function backoff(random: () => number = Math.random): Backoff {
  let wait = FIRST;
  return {
    next() {
      const now = wait * (0.5 + random() / 2);
      wait = Math.min(wait * 2, LONGEST);
      return now;
    },
    reset() {
      wait = FIRST;
    },
  };
}
