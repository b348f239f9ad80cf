/** Bytes of a section that comes in pieces; each is copied once or twice, however small they are. */
export class ByteStore {
  #bytes = Buffer.alloc(0);
  #size = 0;
  readonly #most: number;

  /** @param most bytes */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size === this.#most;
  }

  /** Gives how many of the bytes from `from` on it took: as many as there is room for. */
  add(piece: Buffer, from: number): number {
    const taken = Math.min(piece.length - from, this.#most - this.#size);
    const size = this.#size + taken;
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size * 2, 1024));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    piece.copy(this.#bytes, this.#size, from, from + taken);
    this.#size = size;
    return taken;
  }

  /** Where this begins, at or after `from`; -1: nowhere yet. */
  indexOf(bytes: string, from: number): number {
    return this.#bytes.subarray(0, this.#size).indexOf(bytes, Math.max(0, from), 'latin1');
  }

  text(from: number, to: number): string {
    return this.#bytes.toString('latin1', from, to);
  }
}
