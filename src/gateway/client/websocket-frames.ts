import { Transform, type TransformCallback } from 'node:stream';

/** RFC 6455 §5.2: two bytes, a longer length, and a mask. */
function headLength([, second = 0]: readonly number[]): number {
  const length = second & 0x7f;
  const extended = length === 126 ? 2 : length === 127 ? 8 : 0;
  return 2 + extended + ((second & 0x80) === 0 ? 0 : 4);
}

function payloadLength(head: readonly number[]): number {
  const short = (head[1] as number) & 0x7f;
  const bytes = short === 126 ? head.slice(2, 4) : short === 127 ? head.slice(2, 10) : [short];
  return bytes.reduce((length, byte) => length * 256 + byte, 0);
}

/** Finds where frames begin and end in a stream of bytes. It keeps none of the bytes. */
export class FrameBoundaries {
  #head: number[] = [];
  #left = 0;

  get between(): boolean {
    return this.#head.length === 0 && this.#left === 0;
  }

  /** Reads a chunk. With `toBoundary`, it stops where the open frame ends. Returns the number of bytes read. */
  read(chunk: Uint8Array, toBoundary: boolean): number {
    let at = 0;
    while (at < chunk.length && !(toBoundary && this.between)) at += this.#step(chunk, at);
    return at;
  }

  #step(chunk: Uint8Array, at: number): number {
    if (this.#left > 0) {
      const taken = Math.min(this.#left, chunk.length - at);
      this.#left -= taken;
      return taken;
    }
    this.#head.push(chunk[at] as number);
    if (this.#head.length >= 2 && this.#head.length === headLength(this.#head)) {
      this.#left = payloadLength(this.#head);
      this.#head = [];
    }
    return 1;
  }
}

/** A Close frame of a server, which is not masked (RFC 6455 §5.1, §5.5.1). */
export function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason);
  const frame = Buffer.alloc(4 + text.length);
  frame.writeUInt8(0x88, 0);
  frame.writeUInt8(2 + text.length, 1);
  frame.writeUInt16BE(code, 2);
  text.copy(frame, 4);
  return frame;
}

/** The bytes of a WebSocket server. The gateway can end them between two frames with its own Close frame. */
export class EndableFrames extends Transform {
  readonly #boundaries = new FrameBoundaries();
  #last: Buffer | undefined;
  #over = false;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (!this.#over) {
      const taken = this.#boundaries.read(chunk, this.#last !== undefined);
      if (taken > 0) this.push(taken === chunk.length ? chunk : chunk.subarray(0, taken));
      this.#finish();
    }
    done();
  }

  /** Ends after the open frame, if there is one. Later bytes are dropped. */
  endWith(last: Buffer): void {
    this.#last ??= last;
    this.#finish();
  }

  #finish(): void {
    if (this.#last === undefined || this.#over || !this.#boundaries.between) return;
    this.#over = true;
    this.push(this.#last);
    this.push(null);
  }
}
