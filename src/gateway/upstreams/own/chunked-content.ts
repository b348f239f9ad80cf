import { QUOTED_STRING, TOKEN } from '../../message/http-grammar.ts';
import { judgeTrailer, readTrailers } from './answer-head.ts';
import { InvalidAnswer } from './invalid-answer.ts';

/**
 * RFC 9112 §7.1, without whitespace. Extensions are ignored. Leading zeros do not count, and thirteen digits are still
 * exact.
 */
const SIZE = new RegExp(`^(0*[0-9A-Fa-f]{1,13})(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED_STRING}))?)*\\r\\n$`);

const LINE_END = '\r\n';
const LONGEST_SIZE_LINE = 1024;
const LONGEST_TRAILERS = 64 * 1024;

type State = 'size' | 'data' | 'data-end' | 'trailers';

/** Decodes the chunked coding, piece by piece. */
export class ChunkedContent {
  #state: State = 'size';
  /** Missing bytes of the chunk. */
  #left = 0;
  #line = '';
  #trailers = '';
  /** The trailers. Undefined: the content has not ended. */
  ended: readonly string[] | undefined;
  /** Content of the last piece. Undefined: it had none. */
  data: Buffer | undefined;

  /**
   * Reads up to the next content, or to the end of the piece. Returns the position where it stopped. Throws
   * InvalidAnswer.
   */
  read(piece: Buffer, from: number): number {
    this.data = undefined;
    let at = from;
    while (at < piece.length && this.data === undefined && this.ended === undefined) at = this.#step(piece, at);
    return at;
  }

  #step(piece: Buffer, at: number): number {
    return this.#state === 'data' ? this.#readData(piece, at) : this.#readLine(piece, at);
  }

  #readData(piece: Buffer, at: number): number {
    const end = Math.min(piece.length, at + this.#left);
    this.data = piece.subarray(at, end);
    this.#left -= end - at;
    if (this.#left === 0) this.#state = 'data-end';
    return end;
  }

  #readLine(piece: Buffer, at: number): number {
    const found = piece.indexOf(0x0a, at);
    const end = found < 0 ? piece.length : found + 1;
    this.#line += piece.toString('latin1', at, end);
    if (this.#state === 'data-end' && !LINE_END.startsWith(this.#line))
      throw new InvalidAnswer('a chunk is longer than its announced size');
    if (this.#line.length > LONGEST_SIZE_LINE && this.#state === 'size')
      throw new InvalidAnswer('the size line of a chunk is too long');
    if (this.#line.length + this.#trailers.length > LONGEST_TRAILERS)
      throw new InvalidAnswer('the trailers are too long');
    if (found >= 0) this.#endLine();
    return end;
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = '';
    if (this.#state === 'size') this.#begin(line);
    else if (this.#state === 'trailers') this.#endTrailer(line);
    else this.#state = 'size';
  }

  #begin(line: string): void {
    const [, size] = SIZE.exec(line) ?? [];
    if (size === undefined) throw new InvalidAnswer('the size of a chunk is invalid');
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'data';
  }

  #endTrailer(line: string): void {
    if (line === LINE_END) this.ended = readTrailers(this.#trailers);
    else {
      judgeTrailer(line);
      this.#trailers += line;
    }
  }
}
