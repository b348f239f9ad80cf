import { Readable } from 'node:stream';
import type { ClientRequest } from './client-message.ts';
import type { Loan } from './entity-budget.ts';
import { Gathered } from './gathered.ts';
import { countStreamed } from './gc-pressure.ts';

export class BodyTooLarge extends Error {}
export class ClientGone extends Error {}

/** Once this many bytes have arrived, the body is worth a connection. */
export const FIRST = 64 * 1024;
/** Milliseconds after the last byte. A client that pauses for longer may wait for an answer. */
const PAUSE = 250;

/** The chunks that arrived before there was a reader. */
interface Ahead {
  readonly loan: Loan;
  readonly gathered: Gathered;
  timer: NodeJS.Timeout;
  isWhole: boolean;
  /** Undefined: it has been called. */
  here: (() => void) | undefined;
}

/**
 * The client's body on its way to the upstream. It separates the two ends, so that neither can end the other:
 * destroying it leaves the client's connection open for an answer. It also counts bytes for limits and rates.
 */
export class RequestBody extends Readable {
  readonly #request: ClientRequest;
  readonly #limit: number;
  #ahead: Ahead | undefined;
  /** Bytes so far. */
  received = 0;
  /** Whether the client must send the next byte. Otherwise the upstream is the slow side. */
  waiting = false;

  constructor(request: ClientRequest, limit: number) {
    super({ highWaterMark: FIRST });
    this.#request = request;
    this.#limit = limit;
    request.on('data', this.#data).on('end', this.#end).on('error', this.#gone).on('close', this.#gone);
    request.pause();
    // The reader listens while it reads. A later failure has no consequence.
    this.on('error', nothing);
  }

  /**
   * Reads the body before it has a reader. It calls `here` once: when 64 KiB or the end has arrived, when the client
   * pauses, or when no memory is left. If the body fails before that, it does not call `here`.
   */
  readAhead(loan: Loan, here: () => void): void {
    const timer = setTimeout(isHere, PAUSE, this);
    const gathered = new Gathered((bytes) => loan.spare(bytes));
    this.#ahead = { loan, gathered, timer, isWhole: false, here };
    this.waiting = true;
    this.#request.resume();
  }

  /**
   * Stops reading. `taken`: the bytes that the caller read. Returns them with all later bytes, to put back in front of
   * the request.
   */
  giveBack(taken: Buffer): Buffer {
    this.pause();
    this.unshift(taken);
    const all: Buffer = this.read();
    this.destroy();
    return all;
  }

  override _read(): void {
    const ahead = this.#ahead;
    if (ahead !== undefined && this.#giveOut(ahead)) return;
    this.waiting = true;
    this.#request.resume();
  }

  /** Passes the received bytes to the reader. True: the body is complete. */
  #giveOut({ gathered, isWhole }: Ahead): boolean {
    this.#endAhead();
    for (const piece of gathered.pieces) this.push(piece);
    // The end follows a turn later. Otherwise undici would know the length and send it instead of chunks.
    if (isWhole) process.nextTick(endOf, this);
    return isWhole;
  }

  #endAhead(): void {
    if (this.#ahead === undefined) return;
    clearTimeout(this.#ahead.timer);
    this.#ahead.loan.end();
    this.#ahead = undefined;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.waiting = false;
    this.#endAhead();
    const request = this.#request;
    request.off('data', this.#data).off('end', this.#end).off('close', this.#gone);
    request.pause();
    done(error);
  }

  /** The read-ahead is over. The body pauses until it has a reader. */
  isHere(): void {
    const here = this.#ahead?.here;
    if (this.#ahead === undefined || here === undefined) return;
    clearTimeout(this.#ahead.timer);
    this.#ahead.here = undefined;
    this.waiting = false;
    this.#request.pause();
    here();
  }

  readonly #data = (chunk: Buffer): void => {
    this.received += chunk.length;
    countStreamed(chunk.length);
    if (this.received > this.#limit) {
      this.destroy(new BodyTooLarge());
      return;
    }
    if (this.#ahead !== undefined) {
      this.#hold(this.#ahead, chunk);
      return;
    }
    if (!this.push(chunk)) {
      this.waiting = false;
      this.#request.pause();
    }
  };

  #hold(ahead: Ahead, chunk: Buffer): void {
    const isTaken = ahead.gathered.add(chunk);
    if (!isTaken || ahead.gathered.bytes >= FIRST) this.isHere();
    else if (ahead.here !== undefined) this.#waitOn(ahead);
  }

  #waitOn(ahead: Ahead): void {
    clearTimeout(ahead.timer);
    ahead.timer = setTimeout(isHere, PAUSE, this);
  }

  readonly #end = (): void => {
    this.waiting = false;
    if (this.#ahead === undefined) {
      this.push(null);
      return;
    }
    this.#ahead.isWhole = true;
    this.isHere();
  };

  /** If the framing is invalid or the client left, the body must not look complete to the upstream. */
  readonly #gone = (): void => {
    if (!this.#request.complete) this.destroy(new ClientGone());
  };
}

function isHere(body: RequestBody): void {
  body.isHere();
}

function endOf(body: RequestBody): void {
  if (!body.destroyed) body.push(null);
}

function nothing(): void {}
