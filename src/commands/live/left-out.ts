/** Milliseconds between two reports. */
const EVERY = 1000;

/** Counts decisions that gateways left out, and reports them to the person, at most once a second. */
export class LeftOut {
  readonly #say: (text: string) => void;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  add(count: number): void {
    if (count === 0) return;
    this.#count += count;
    this.#timer ??= setTimeout(() => this.report(), EVERY);
  }

  /** Reports what is counted and not reported yet. */
  report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const count = this.#count;
    this.#count = 0;
    if (count === 0) return;
    const decisions = count === 1 ? '1 more decision is' : `${count} more decisions are`;
    this.#say(`${decisions} not shown: each process of a gateway sends at most 200 a second. Use a narrower filter`);
  }
}
