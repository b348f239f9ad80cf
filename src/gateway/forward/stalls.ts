import type { Clock } from '../../base/clock.ts';

/** Something that a stranger could hold open. */
export interface Watched {
  /** Called about once a second; ends itself when its patience is over. `now` is monotonic milliseconds. */
  check(now: number): void;
}

/** A look at many takes so many turns: a thousand that end in one would hold up everybody else. */
const TURNS = 50;

/** One timer for everything that may stall: a timer a request would cost more than the request. */
export class Stalls {
  readonly #watched = new Set<Watched>();
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  readonly #pause: number;
  #isLooking = false;

  constructor(clock: Clock, interval = 1000) {
    this.#clock = clock;
    // The turns are over before the next look begins, though each is a little late.
    this.#pause = interval / (2 * TURNS);
    this.#timer = setInterval(() => this.#begin(), interval);
    this.#timer.unref();
  }

  watch(each: Watched): void {
    this.#watched.add(each);
  }

  forget(each: Watched): void {
    this.#watched.delete(each);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watched.clear();
  }

  #begin(): void {
    if (!this.#isLooking) this.#look([...this.#watched], 0);
  }

  #look(all: readonly Watched[], from: number): void {
    const to = from + Math.ceil(all.length / TURNS);
    const now = this.#clock.monotonic();
    for (const each of all.slice(from, to)) if (this.#watched.has(each)) each.check(now);
    this.#isLooking = to < all.length;
    if (this.#isLooking) setTimeout(() => this.#look(all, to), this.#pause).unref();
  }
}
