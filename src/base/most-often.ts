/**
 * The most frequent of any number of keys, in bounded memory (the "space saving" algorithm of Metwally and others, 2005). A new
 * key replaces the least frequent one, and inherits its count. A key with more than one in `most` of all occurrences is always
 * in the list.
 */
export class MostOften {
  readonly #times = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  meet(key: string): void {
    const times = this.#times.get(key) ?? (this.#times.size < this.#most ? 0 : this.#dropLeast());
    this.#times.set(key, times + 1);
  }

  keys(): Iterable<string> {
    return this.#times.keys();
  }

  /** If several are least frequent, drops the oldest. */
  #dropLeast(): number {
    const least = Math.min(...this.#times.values());
    const dropped = this.#times.entries().find(([, times]) => times === least);
    if (dropped !== undefined) this.#times.delete(dropped[0]);
    return least;
  }
}
