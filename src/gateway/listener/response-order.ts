import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pendingOn } from '../client/pending-response.ts';
import { PipelinedRequests } from './pipelined-requests.ts';

/** Bytes behind the last request of a connection that are read and thrown away. */
export const MOST_IGNORED = 1024 * 1024;

/**
 * Lets one exchange of an HTTP/1.1 connection run at a time, in the order of arrival. RFC 9112 §9.3.2 lets a server process
 * safe requests in parallel. But one client could then take the upstream's whole capacity, and unsafe requests could overtake
 * each other. Node.js parses and delivers pipelined requests at once.
 */
export class ResponseOrder {
  readonly #lines = new WeakMap<Socket, PipelinedRequests>();
  /** `bytesRead` as the end of requests was found. */
  readonly #ended = new WeakMap<Socket, number>();

  /** For a request whose response has no socket yet. `begin` is called in its turn; never where the connection ends before. */
  wait(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    this.#lineOf(request.socket).join(request, response, begin);
  }

  /**
   * Bytes that are not a request, or the last request, wait in the same order. `begin` is called when all earlier answers are
   * out, at once if none is owed, and never if the connection ends first. Bytes behind it are not a request.
   */
  waitAsLast(socket: Socket, begin: () => void): void {
    if (this.#ended.has(socket)) this.#ignore(socket);
    // In the midst of a request it is part of it, and nothing waits.
    else if (pendingOn(socket)?.req.complete !== true) begin();
    else this.#end(socket, begin);
  }

  /** Whether a head that is not here in time is so because the connection was not read. */
  excuse(socket: Socket, late: () => void): boolean {
    return this.#lines.get(socket)?.excuse(late) === true;
  }

  #end(socket: Socket, begin: () => void): void {
    this.#ended.set(socket, socket.bytesRead);
    if (this.#lines.get(socket)?.replaceCut(begin) === true) return;
    const last = this.#lines.get(socket)?.last ?? pendingOn(socket);
    last?.once('close', () => {
      if (socket.writable) begin();
    });
  }

  /** It is read anyway: a connection without a reader never reports that its peer left. */
  #ignore(socket: Socket): void {
    if (socket.bytesRead - (this.#ended.get(socket) ?? 0) > MOST_IGNORED) socket.pause();
  }

  #lineOf(socket: Socket): PipelinedRequests {
    const line = this.#lines.get(socket) ?? new PipelinedRequests(socket);
    this.#lines.set(socket, line);
    return line;
  }
}
