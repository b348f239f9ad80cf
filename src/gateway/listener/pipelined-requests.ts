import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pendingOn } from '../client/pending-response.ts';

/** Bytes that wait before a connection is read no further. What was read in one go with the last of them comes on top. */
const MOST_WAITING = 64 * 1024;

/** Bytes that a request counts for at least: so much its objects take, however short it is. */
const LEAST = 2 * 1024;

/** Requests that begin in one turn of the event loop. */
const AT_ONCE = 64;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  bytes: number;
  begin: () => void;
}

/**
 * The requests of one connection that wait for their turn. The order is Node's own: a response gets the socket when the
 * one before it is out. The connection is read on meanwhile, so that a client that leaves is noticed.
 */
export class PipelinedRequests {
  readonly #socket: Socket;
  #bytes = 0;
  /** Since the line was last empty. */
  #begun = 0;
  /** The one that came last, as long as it waits. */
  #last: Waiting | undefined;
  #isFull = false;
  /** Since it was last empty: bytes that the client sent then may arrive only now. */
  #wasFull = false;
  #late: (() => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('resume', this.#pause);
  }

  get last(): ServerResponse | undefined {
    return this.#last?.response;
  }

  join(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    this.#late = undefined;
    if (this.#last === undefined) this.#begun = 0;
    // The previous request has fully arrived.
    else this.#count(this.#last, this.#last.request.readableLength);
    const waiting: Waiting = { request, response, bytes: 0, begin };
    this.#last = waiting;
    this.#count(waiting, Math.max(LEAST, headLength(request)));
    response.once('socket', () => this.#inTurn(() => this.#begin(waiting)));
    if (this.#bytes >= MOST_WAITING && !this.#isFull) this.#fill();
  }

  /** Whether the last one waits and will never be whole: this happens in its place. */
  replaceCut(begin: () => void): boolean {
    if (this.#last === undefined || this.#last.request.complete) return false;
    this.#last.begin = begin;
    return true;
  }

  /** Whether the head that is due has time until nothing waits any more, as we did not read it. Then this happens. */
  excuse(late: () => void): boolean {
    if (this.#wasFull) this.#late = late;
    return this.#wasFull;
  }

  #count(waiting: Waiting, bytes: number): void {
    waiting.bytes += bytes;
    this.#bytes += bytes;
  }

  /** In one turn, so that waiting requests are short-lived; but a thousand in one turn would delay everyone else. */
  #inTurn(begin: () => void): void {
    this.#begun++;
    if (this.#begun % AT_ONCE === 0) setImmediate(begin);
    else process.nextTick(begin);
  }

  #begin(waiting: Waiting): void {
    if (this.#last === waiting) this.#empty(waiting);
    this.#count(waiting, -waiting.bytes);
    if (this.#isFull && this.#bytes < MOST_WAITING) this.#drain();
    // RFC 9112 §9.6: after an answer with `close`, further bytes are not a request and get no answer.
    if (this.#socket.writable) waiting.begin();
  }

  #empty({ response }: Waiting): void {
    this.#last = undefined;
    this.#wasFull = false;
    if (this.#late !== undefined) response.once('close', this.#tooLate);
  }

  readonly #tooLate = (): void => {
    if (pendingOn(this.#socket) === undefined && this.#socket.writable) this.#late?.();
  };

  /** Not before the parser is through with what was read: each request that it hands over makes Node.js resume. */
  #fill(): void {
    this.#isFull = true;
    this.#wasFull = true;
    process.nextTick(this.#pause);
  }

  #drain(): void {
    this.#isFull = false;
    this.#socket.resume();
  }

  /** Node.js resumes as well: for a body, although all of it is here, and when the client has read. */
  readonly #pause = (): void => {
    if (this.#isFull) this.#socket.pause();
  };
}

/** Bytes as received, except for whitespace. */
function headLength({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length + 2, method.length + url.length + 14);
}
