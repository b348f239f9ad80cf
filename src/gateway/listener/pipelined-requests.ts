import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pendingOn } from '../client/pending-response.ts';
import type { WatchUnread } from './unread-connection.ts';

/** The connection pauses once this many bytes wait. The last read may exceed this number. */
const MOST_WAITING = 64 * 1024;

/** A request counts as at least this many bytes, because its objects use them. */
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
 * The waiting requests of one connection. The order is Node's: a response gets the socket once the previous response is
 * complete. Meanwhile the connection keeps reading, to notice a client that leaves.
 */
export class PipelinedRequests {
  readonly #socket: Socket;
  readonly #watchUnread: WatchUnread;
  #bytes = 0;
  /** Requests that began since the queue was last empty. */
  #begun = 0;
  /** The last request, as long as it waits. */
  #last: Waiting | undefined;
  #isFull = false;
  /**
   * Whether the connection paused since the queue was last empty. Bytes that the client sent during the pause may
   * arrive only now.
   */
  #wasFull = false;
  #late: (() => void) | undefined;
  /** Ends the watch of the paused connection. */
  #forget: (() => void) | undefined;

  constructor(socket: Socket, watchUnread: WatchUnread) {
    this.#socket = socket;
    this.#watchUnread = watchUnread;
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

  /** Whether the last request waits and will never be complete. If so, `begin` runs in its place. */
  replaceCut(begin: () => void): boolean {
    if (this.#last === undefined || this.#last.request.complete) return false;
    this.#last.begin = begin;
    return true;
  }

  /** Whether a late head gets more time, because the gateway did not read. If so, `late` runs once no request waits. */
  excuse(late: () => void): boolean {
    if (this.#wasFull) this.#late = late;
    return this.#wasFull;
  }

  #count(waiting: Waiting, bytes: number): void {
    waiting.bytes += bytes;
    this.#bytes += bytes;
  }

  /**
   * Begins waiting requests in the same turn, so that they are short-lived. But a thousand in one turn would delay all
   * other clients.
   */
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

  /** Waits until the parser has finished this read, because Node.js resumes after each parsed request. */
  #fill(): void {
    this.#isFull = true;
    this.#wasFull = true;
    this.#forget = this.#watchUnread(this.#socket);
    process.nextTick(this.#pause);
  }

  #drain(): void {
    this.#isFull = false;
    this.#forget?.();
    this.#socket.resume();
  }

  /** Node.js also resumes for a body that has already arrived, and when the client has read. */
  readonly #pause = (): void => {
    if (this.#isFull) this.#socket.pause();
  };
}

/** Bytes as received, except for whitespace. */
function headLength({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length + 2, method.length + url.length + 14);
}
