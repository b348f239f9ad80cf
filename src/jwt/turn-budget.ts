/** Microseconds for one turn of the event loop: about a dozen ES256 signatures. */
const MOST = 1_000;

/**
 * How much verification one turn of the event loop does, in microseconds of the benchmark's machine. However many
 * tokens arrive at once, other work waits at most this long. After a turn with more work, threads verify everything
 * until a turn has less. So a flood leaves the event loop free. The cost of a key is fixed by measurement. A clock
 * would also count the time of other processes, and send work to threads when they are slowest. All verifiers of one
 * event loop share one budget.
 */
export class TurnBudget {
  readonly #nextTurn: (begin: () => void) => unknown;
  /** The requested work of this turn, done or not. */
  #asked = 0;
  #isFlooded = false;
  #isTurnAwaited = false;

  /** `nextTurn` calls `begin` once, in the next turn of the event loop. */
  constructor(nextTurn: (begin: () => void) => unknown = (begin) => setImmediate(begin)) {
    this.#nextTurn = nextTurn;
  }

  /** Reserves time of this turn. False: too little is left, so a thread does the work. */
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
