/**
 * The keys that were met most often, of any number of them, in bounded memory (the "space saving" algorithm of Metwally and
 * others, 2005): a new one takes the place of the one met least, and its count. A key that is more than one in `most` of
 * all that were met is always among them.
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

  /** The oldest of several. */
  #dropLeast(): number {
    const least = Math.min(...this.#times.values());
    const dropped = this.#times.entries().find(([, times]) => times === least);
    if (dropped !== undefined) this.#times.delete(dropped[0]);
    return least;
  }
}
