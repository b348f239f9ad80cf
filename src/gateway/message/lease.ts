/**
 * Counts the users of a resource and closes it once, after the last user has gone. The creator of a lease is its first
 * user.
 */
export class Lease {
  #users = 1;
  readonly #ends: (() => void)[] = [];

  take(): void {
    this.#users++;
  }

  release(): void {
    if (--this.#users === 0) for (const end of this.#ends.splice(0)) end();
  }

  onEnd(end: () => void): void {
    this.#ends.push(end);
  }
}
