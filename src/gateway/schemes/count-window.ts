import { NONCE_WINDOW } from '../../counters/counters.ts';

/** Bits of a word. Two words make the window, because arithmetic on a BigInt allocates memory. */
const WORD = 32;

/** Which of the last 64 counts of a nonce were used, up to its highest count. */
export class CountWindow {
  /** Bit n of `#near`: the count `highest - n` was used. `#far` has the 32 counts before these. */
  #near = 1;
  #far = 0;

  /** A count that is higher by `steps` was used. */
  advance(steps: number): void {
    if (steps < WORD) this.#shift(steps);
    else this.#shiftWord(steps);
    this.#near |= 1;
  }

  /** Shifts both words. A shift by 32 would do nothing, so `steps` is smaller. */
  #shift(steps: number): void {
    this.#far = (this.#far << steps) | (this.#near >>> (WORD - steps));
    this.#near <<= steps;
  }

  #shiftWord(steps: number): void {
    this.#far = steps < NONCE_WINDOW ? this.#near << (steps - WORD) : 0;
    this.#near = 0;
  }

  /** Whether the count that is `behind` the highest one is in the window and was not used. It counts as used now. */
  takes(behind: number): boolean {
    if (behind >= NONCE_WINDOW) return false;
    const bit = 1 << (behind % WORD);
    const before = behind < WORD ? this.#near : this.#far;
    if (behind < WORD) this.#near |= bit;
    else this.#far |= bit;
    return (before & bit) === 0;
  }
}
