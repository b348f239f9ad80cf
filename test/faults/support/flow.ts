import type { Socket } from 'node:net';
import { type Random, random } from '../../support/random.ts';

/** What happens to the bytes of one direction; several effects at once are possible. Absent: they pass. */
export interface Flow {
  /** Milliseconds from the arrival of a piece until it is forwarded. */
  readonly delay?: number;
  /** Up to so many additional milliseconds, from a seed; the order is kept. */
  readonly jitter?: number;
  /** Bytes of a write; `pause` milliseconds are between two writes. */
  readonly slice?: number;
  readonly pause?: number;
  /** RST to both sides after so many bytes, counted from the switch for an open connection. */
  readonly resetAfter?: number;
  /** FIN to the receiver after so many bytes, and nothing more. */
  readonly endAfter?: number;
  /** Bytes and FIN are read and discarded. */
  readonly hold?: boolean;
}

export interface FlowEnds {
  readonly from: Socket;
  readonly to: Socket;
  /** RST to both sides. */
  reset(): void;
  carried(bytes: number): void;
}

interface Piece {
  readonly bytes: Buffer | 'end';
  readonly due: number;
}

/** Bytes that may wait here before the sender is stopped. */
const ROOM = 1024 * 1024;

/** Forwards bytes from one socket to the other with the current `rule`. */
export class FlowOfBytes {
  readonly #ends: FlowEnds;
  readonly #random: Random;
  #rule: Flow;
  #waiting: Piece[] = [];
  #held = 0;
  #last = 0;
  /** Since the rule was set. */
  #count = 0;
  #pumping = false;
  #ended = false;

  constructor(ends: FlowEnds, rule: Flow, seed: number) {
    this.#ends = ends;
    this.#rule = rule;
    this.#random = random(seed);
    ends.from.on('data', (chunk: Buffer) => this.#arrive(chunk));
    ends.from.on('end', () => this.#arrive('end'));
  }

  set rule(rule: Flow) {
    this.#rule = rule;
    this.#count = 0;
  }

  #arrive(bytes: Buffer | 'end'): void {
    const { delay = 0, jitter = 0, slice = Number.MAX_SAFE_INTEGER, pause = 0, hold } = this.#rule;
    if (hold) return;
    const more = jitter > 0 ? this.#random.below(jitter + 1) : 0;
    this.#last = Math.max(this.#last, performance.now() + delay + more);
    if (bytes === 'end') {
      this.#waiting.push({ bytes, due: this.#last });
    } else {
      for (let at = 0; at < bytes.length; at += slice) {
        if (at > 0) this.#last += pause;
        this.#waiting.push({ bytes: bytes.subarray(at, at + slice), due: this.#last });
      }
      this.#held += bytes.length;
    }
    if (this.#held > ROOM) this.#ends.from.pause();
    void this.#pump();
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    for (let piece = this.#waiting.shift(); piece !== undefined; piece = this.#waiting.shift()) {
      await until(piece.due);
      if (this.#ends.to.destroyed) break;
      if (piece.bytes === 'end') this.#end();
      else await this.#write(piece.bytes);
    }
    this.#pumping = false;
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#held -= bytes.length;
    if (this.#held <= ROOM) this.#ends.from.resume();
    if (this.#ended || this.#rule.hold) return;
    const { resetAfter = Number.POSITIVE_INFINITY, endAfter = Number.POSITIVE_INFINITY } = this.#rule;
    const limit = Math.min(resetAfter, endAfter);
    const passing = bytes.subarray(0, Math.max(0, limit - this.#count));
    this.#count += passing.length;
    this.#ends.carried(passing.length);
    if (passing.length > 0) await written(this.#ends.to, passing);
    if (this.#count < limit) return;
    if (resetAfter <= endAfter) this.#ends.reset();
    else this.#end();
  }

  #end(): void {
    if (this.#rule.hold) return;
    this.#ended = true;
    this.#ends.to.end();
  }
}

/** Resolves when the kernel has accepted the bytes, so that a RST after them does not overtake them here. */
function written(to: Socket, bytes: Buffer): Promise<void> {
  return new Promise((done) => {
    to.write(bytes, () => done());
  });
}

async function until(due: number): Promise<void> {
  for (let left = due - performance.now(); left > 0; left = due - performance.now()) {
    // Its sockets keep the process alive; a piece that is due long after them does not.
    await new Promise((done) => setTimeout(done, left).unref());
  }
}
