/** Microseconds of one turn of the event loop: about a dozen signatures by ES256. */
const MOST = 1_000;

/**
 * How much verification one turn of the event loop holds, in microseconds of the benchmark's machine. However many tokens
 * arrive at once, everyone else waits for this much of it. After a turn with more than that, threads verify all, until a
 * turn has less: a flood finds the event loop free. Work counts by what it takes on that machine. A clock would also count
 * what other processes take, and send the work to threads when they are dearest. One budget serves all that share an event
 * loop.
 */
export class TurnBudget {
  readonly #nextTurn: (begin: () => void) => unknown;
  /** What this turn was asked for, done or not. */
  #asked = 0;
  #isFlooded = false;
  #isTurnAwaited = false;

  /** `nextTurn` calls once in the next turn of the event loop. */
  constructor(nextTurn: (begin: () => void) => unknown = (begin) => setImmediate(begin)) {
    this.#nextTurn = nextTurn;
  }

  /** Takes so many microseconds of this turn. False: it does not have them, and a thread does the work. */
  take(microseconds: number): boolean {
    this.#awaitTurn();
    this.#asked += microseconds;
    return !this.#isFlooded && this.#asked <= MOST;
  }

  #awaitTurn(): void {
    if (this.#isTurnAwaited) return;
    this.#isTurnAwaited = true;
    this.#nextTurn(() => {
      this.#isTurnAwaited = false;
      this.#isFlooded = this.#asked > MOST;
      this.#asked = 0;
    });
  }
}
