import type { Clock } from './clock.ts';

/** Milliseconds after which the same line is logged again. */
export const HOUR = 3_600_000;

/** Lines in an hour. */
export const MOST_LINES = 16;

/**
 * Limits log lines that outsiders can cause without end. Each name is logged again after an hour, so new events are not missed.
 * The number of lines in an hour is bounded. Skipped lines are counted, and reported with the first line of the next hour.
 */
export class LogLimiter {
  readonly #clock: Clock;
  readonly #tellLeftOut: (count: number) => void;
  readonly #told = new Map<string, number>();
  #began = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #leftOut = 0;

  constructor(clock: Clock, tellLeftOut: (count: number) => void) {
    this.#clock = clock;
    this.#tellLeftOut = tellLeftOut;
  }

  /** True if this line is due. It then counts as logged. */
  isDue(name: string): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#began >= HOUR) this.#begin(now);
    const last = this.#told.get(name);
    if (last !== undefined && now - last < HOUR) return false;
    if (this.#lines === MOST_LINES) {
      this.#leftOut++;
      return false;
    }
    this.#lines++;
    this.#told.set(name, now);
    return true;
  }

  #begin(now: number): void {
    for (const [name, last] of this.#told) if (now - last >= HOUR) this.#told.delete(name);
    const count = this.#leftOut;
    this.#began = now;
    this.#lines = 0;
    this.#leftOut = 0;
    if (count > 0) this.#tellLeftOut(count);
  }
}
