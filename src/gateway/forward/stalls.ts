import type { Clock } from '../../base/clock.ts';

/** Something that a stranger could hold open. */
export interface Watched {
  /** Called about once a second; ends itself when its patience is over. `now` is monotonic milliseconds. */
  check(now: number): void;
}

/** One timer for everything that may stall: a timer a request would cost more than the request. */
export class Stalls {
  readonly #watched = new Set<Watched>();
  readonly #timer: NodeJS.Timeout;

  constructor(clock: Clock, interval = 1000) {
    this.#timer = setInterval(() => {
      const now = clock.monotonic();
      for (const each of this.#watched) each.check(now);
    }, interval);
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
}
