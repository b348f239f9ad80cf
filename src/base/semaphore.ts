import { answerWithin } from './answer-within.ts';

/** A queue of waiters for a slot: first in, first out. Each learns whether it gets a slot. */
export class Lane {
  readonly #waiters = new Set<(hasSlot: boolean) => void>();
  readonly #places: number;

  /** `places`: how many may wait. */
  constructor(places = Number.POSITIVE_INFINITY) {
    this.#places = places;
  }

  get size(): number {
    return this.#waiters.size;
  }

  get isFull(): boolean {
    return this.size >= this.#places;
  }

  /** Resolves with true when the waiter gets a slot. Resolves with false if the signal fires or the waiter is dismissed. */
  wait(signal?: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = () => {
        if (this.#waiters.delete(settle)) resolve(false);
      };
      const settle = (hasSlot: boolean) => {
        signal?.removeEventListener('abort', cancel);
        resolve(hasSlot);
      };
      this.#waiters.add(settle);
      signal?.addEventListener('abort', cancel, { once: true });
      if (signal?.aborted) cancel();
    });
  }

  /** Gives a slot to the first waiter. False: no one waits. */
  callFirst(): boolean {
    const [first] = this.#waiters;
    return this.#end(first, true);
  }

  /** The last waiter gives up its place. False: no one waits. */
  dismissLast(): boolean {
    return this.#end([...this.#waiters].at(-1), false);
  }

  #end(waiter: ((hasSlot: boolean) => void) | undefined, hasSlot: boolean): boolean {
    if (waiter === undefined) return false;
    this.#waiters.delete(waiter);
    waiter(hasSlot);
    return true;
  }
}

/**
 * A number of slots, with lanes for waiters. A released slot goes directly to the next waiter, so no later caller gets it
 * first.
 */
export class Semaphore {
  readonly #nextLane: () => Lane | undefined;
  #free: number;

  /** `nextLane` is called once for each released slot, and returns the lane whose turn it is. */
  constructor(slots: number, nextLane: () => Lane | undefined) {
    this.#free = slots;
    this.#nextLane = nextLane;
  }

  get isFree(): boolean {
    return this.#free > 0;
  }

  /** Takes a free slot. False: none is free, and the caller may wait in a lane. */
  tryAcquire(): boolean {
    if (!this.isFree) return false;
    this.#free--;
    return true;
  }

  /** Takes a slot, and waits in the lane if none is free. Rejects after this many milliseconds. */
  async acquire(lane: Lane, milliseconds: number): Promise<void> {
    if (this.tryAcquire()) return;
    const late = new AbortController();
    const turn = lane.wait(late.signal);
    try {
      await answerWithin(turn, milliseconds);
    } catch (cause) {
      late.abort();
      // If a slot arrives together with the deadline, the next waiter gets it.
      if (await turn) this.release();
      throw new Error(`timeout in the queue; ${lane.size + 1} waiting`, { cause });
    }
  }

  release(): void {
    if (!this.#nextLane()?.callFirst()) this.#free++;
  }
}
