import { Duplex } from 'node:stream';

const nothing = (): void => {};

/** A connection in memory, as an HTTP client sees one: what the upstream says is pushed, and what it hears is told. */
export class MemoryWire extends Duplex {
  readonly #heard: (bytes: Buffer, wire: MemoryWire) => void;

  constructor(heard: (bytes: Buffer, wire: MemoryWire) => void = nothing) {
    super({ allowHalfOpen: false });
    this.#heard = heard;
    this.on('error', nothing);
  }

  /** Bytes, each string a packet of its own; `ends`: the upstream is done. */
  says(pieces: readonly Buffer[], ends: boolean): void {
    for (const piece of pieces) if (!this.destroyed) this.push(piece);
    if (ends && !this.destroyed) this.push(null);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#heard(chunk, this);
    done();
  }

  /** Of a socket; nobody waits here. */
  setTimeout(): this {
    return this;
  }
}

/** As a connection whose bytes are heard where they were read: whoever keeps a piece finds something else there. */
export class LentWire extends MemoryWire {
  hear: ((piece: Buffer) => void) | undefined;

  override says(pieces: readonly Buffer[], ends: boolean): void {
    for (const piece of pieces) this.#lend(piece);
    super.says([], ends);
    // As a socket does it: nobody else may read.
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
