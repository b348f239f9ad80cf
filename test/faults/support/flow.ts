import type { Socket } from 'node:net';
import { type Random, random } from '../../support/random.ts';

/** What happens to the bytes of one direction; several at once are possible. Absent: they pass. */
export interface Flow {
  /** Milliseconds from the arrival of a piece to its going on. */
  readonly delay?: number;
  /** Up to so many milliseconds more, from a seed; the order is kept. */
  readonly jitter?: number;
  /** Bytes of a write; `pause` milliseconds lie between two. */
  readonly slice?: number;
  readonly pause?: number;
  /** After so many bytes, counted from the switch of a connection that stood already: RST to both sides. */
  readonly resetAfter?: number;
  /** After so many bytes: FIN to the receiver, and nothing more. */
  readonly endAfter?: number;
  /** Bytes and FIN are read and go nowhere. */
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

/** Carries bytes from one socket to the other as `rule` says at that moment. */
export class FlowOfBytes {
  readonly #ends: FlowEnds;
  readonly #random: Random;
  #rule: Flow;
  #waiting: Piece[] = [];
  #held = 0;
  #last = 0;
  /** Since the rule holds. */
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

/** Resolves when the kernel has taken the bytes, so that a RST after them does not overtake them here. */
function written(to: Socket, bytes: Buffer): Promise<void> {
  return new Promise((done) => {
    to.write(bytes, () => done());
  });
}

async function until(due: number): Promise<void> {
  for (let left = due - performance.now(); left > 0; left = due - performance.now()) {
    // Its sockets keep the process; a piece that is due long after them does not.
    await new Promise((done) => setTimeout(done, left).unref());
  }
}
