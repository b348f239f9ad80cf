/** Bytes of the longest page. A longer chunk gets a page of its own length. */
const LONGEST = 64 * 1024;

const EMPTY = Buffer.alloc(0);

/**
 * The bytes of a held body. A Buffer of one byte takes hundreds of bytes, and over HTTP/2 it keeps all bytes of the
 * same read. So chunks are copied into pages. Each page is as long as all earlier pages together. So the pages take at
 * most twice the received bytes, however small the chunks are.
 */
export class Gathered {
  readonly #take: (bytes: number) => boolean;
  readonly #pages: Buffer[] = [];
  /** Used bytes of the last page. */
  #filled = 0;
  bytes = 0;
  /** Bytes in all pages. */
  allocated = 0;

  /** `take` reserves memory for each chunk. False: no memory is left. */
  constructor(take: (bytes: number) => boolean) {
    this.#take = take;
  }

  /** False: no memory is left, so this is the last chunk. It is kept, because the reader must get it. */
  add(chunk: Buffer): boolean {
    const rest = chunk.subarray(this.#fill(chunk));
    if (rest.length > 0) {
      this.#grow(rest.length);
      this.#fill(rest);
    }
    this.bytes += chunk.length;
    return this.#take(chunk.length);
  }

  /** The received bytes, in few pieces. */
  get pieces(): readonly Buffer[] {
    return this.#pages.map((page, index) => (index < this.#pages.length - 1 ? page : page.subarray(0, this.#filled)));
  }

  /** The received bytes, in one piece. */
  get whole(): Buffer {
    const [first, ...more] = this.pieces;
    return first !== undefined && more.length === 0 ? first : Buffer.concat(this.pieces, this.bytes);
  }

  /** Copies as much of the chunk as fits into the last page. Returns the number of bytes. */
  #fill(chunk: Buffer): number {
    const copied = chunk.copy(this.#pages.at(-1) ?? EMPTY, this.#filled);
    this.#filled += copied;
    return copied;
  }

  /** Adds a page with its own memory. A page of Node's pool would keep the whole pool alive. */
  #grow(least: number): void {
    const length = Math.max(least, Math.min(this.bytes, LONGEST));
    this.#pages.push(Buffer.allocUnsafeSlow(length));
    this.#filled = 0;
    this.allocated += length;
  }
}
