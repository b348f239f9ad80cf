import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pendingOn } from '../client/pending-response.ts';
import { PipelinedRequests } from './pipelined-requests.ts';

/** Bytes behind the last request of a connection that are read and thrown away. */
const MOST_IGNORED = 1024 * 1024;

/**
 * One exchange of a connection of HTTP/1.1 at a time, in the order of arrival. RFC 9112 §9.3.2 lets a server work on safe
 * requests at one time; then one client could take all that an upstream can do, and unsafe ones would overtake each other.
 * Node.js parses what comes and hands it over at once.
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
   * What is no request, or the last one, has its turn like a request: `begin` is called when all answers before it are out,
   * at once where none is owed, never where the connection ends before. Nothing behind it is a request.
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

  /** It is read all the same, for a connection that nobody reads from never tells that its peer is gone. */
  #ignore(socket: Socket): void {
    if (socket.bytesRead - (this.#ended.get(socket) ?? 0) > MOST_IGNORED) socket.pause();
  }

  #lineOf(socket: Socket): PipelinedRequests {
    const line = this.#lines.get(socket) ?? new PipelinedRequests(socket);
    this.#lines.set(socket, line);
    return line;
  }
}
