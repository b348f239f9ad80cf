/** Bytes of a section that arrives in pieces. Each byte is copied once or twice, however small the pieces are. */
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

  /** Adds bytes from `from` on, as long as there is room. Returns how many it added. */
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

  /** The first position of `bytes` at or after `from`, or -1. */
  indexOf(bytes: string, from: number): number {
    return this.#bytes.subarray(0, this.#size).indexOf(bytes, Math.max(0, from), 'latin1');
  }

  text(from: number, to: number): string {
    return this.#bytes.toString('latin1', from, to);
  }
}
