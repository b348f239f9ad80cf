import { Duplex } from 'node:stream';

const nothing = (): void => {};

/**
 * A connection in memory, as an HTTP client sees it. The test pushes the upstream's bytes, and gets the client's bytes.
 */
export class MemoryWire extends Duplex {
  readonly #heard: (bytes: Buffer, wire: MemoryWire) => void;

  constructor(heard: (bytes: Buffer, wire: MemoryWire) => void = nothing) {
    super({ allowHalfOpen: false });
    this.#heard = heard;
    this.on('error', nothing);
  }

  /** Bytes; each string is a separate packet; `ends`: the upstream ends. */
  says(pieces: readonly Buffer[], ends: boolean): void {
    for (const piece of pieces) if (!this.destroyed) this.push(piece);
    if (ends && !this.destroyed) this.push(null);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#heard(chunk, this);
    done();
  }

  /** As on a socket. Nothing waits here. */
  setTimeout(): this {
    return this;
  }
}

/**
 * The buffer is reused, as on a connection that reads into one buffer. A reader that keeps a piece finds other bytes in
 * it later.
 */
export class LentWire extends MemoryWire {
  hear: ((piece: Buffer) => void) | undefined;

  override says(pieces: readonly Buffer[], ends: boolean): void {
    for (const piece of pieces) this.#lend(piece);
    super.says([], ends);
    // As a socket does it: no other reader is allowed.
    if (ends) this.read(0);
  }

  #lend(piece: Buffer): void {
    if (this.destroyed) return;
    if (this.hear === undefined) {
      super.says([piece], false);
      return;
    }
    const memory = Buffer.from(piece);
    this.hear(memory);
    memory.fill('!');
  }
}
