/** Bytes of the longest page; a chunk that is longer gets one of its own length. */
const LONGEST = 64 * 1024;

const EMPTY = Buffer.alloc(0);

/**
 * The bytes of a held body. A chunk of one byte takes hundreds of bytes as a Buffer, and over HTTP/2 it keeps all bytes of
 * the same read. So chunks are copied into pages. A page is as long as all pages before it, so at most twice the received
 * bytes are allocated, however small the chunks are.
 */
export class Gathered {
  readonly #take: (bytes: number) => boolean;
  readonly #pages: Buffer[] = [];
  /** Bytes of the last page that are filled. */
  #filled = 0;
  bytes = 0;
  /** Bytes in all pages. */
  allocated = 0;

  /** `take`: asked for the bytes of each chunk; false: there is no memory for them. */
  constructor(take: (bytes: number) => boolean) {
    this.#take = take;
  }

  /** False: no memory is left, so this is the last chunk. It is kept, because a reader must get it. */
  add(chunk: Buffer): boolean {
    const rest = chunk.subarray(this.#fill(chunk));
    if (rest.length > 0) {
      this.#grow(rest.length);
      this.#fill(rest);
    }
    this.bytes += chunk.length;
    return this.#take(chunk.length);
  }

  /** What arrived, in few pieces. */
  get pieces(): readonly Buffer[] {
    return this.#pages.map((page, index) => (index < this.#pages.length - 1 ? page : page.subarray(0, this.#filled)));
  }

  /** What arrived, in one piece. */
  get whole(): Buffer {
    const [first, ...more] = this.pieces;
    return first !== undefined && more.length === 0 ? first : Buffer.concat(this.pieces, this.bytes);
  }

  /** How many bytes of it have found a place. */
  #fill(chunk: Buffer): number {
    const copied = chunk.copy(this.#pages.at(-1) ?? EMPTY, this.#filled);
    this.#filled += copied;
    return copied;
  }

  /** A page of its own memory: one of Node's pool would keep all of the pool. */
  #grow(least: number): void {
    const length = Math.max(least, Math.min(this.bytes, LONGEST));
    this.#pages.push(Buffer.allocUnsafeSlow(length));
    this.#filled = 0;
    this.allocated += length;
  }
}
