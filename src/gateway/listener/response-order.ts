import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pendingOn } from '../client/pending-response.ts';
import { PipelinedRequests } from './pipelined-requests.ts';
import type { WatchUnread } from './unread-connection.ts';

/** Bytes after the last request of a connection that are read and discarded. */
export const MOST_IGNORED = 1024 * 1024;

/**
 * Lets one exchange of an HTTP/1.1 connection run at a time, in the order of arrival. RFC 9112 §9.3.2 lets a server
 * process safe requests in parallel. But then one client could use the upstream's whole capacity, and unsafe requests
 * could overtake each other. Node.js parses and delivers pipelined requests at once.
 */
export class ResponseOrder {
  readonly #lines = new WeakMap<Socket, PipelinedRequests>();
  /** `bytesRead` at the end of the last request. */
  readonly #ended = new WeakMap<Socket, number>();
  readonly #unread = new WeakSet<Socket>();
  readonly #watchUnread: WatchUnread;

  constructor(watchUnread: WatchUnread) {
    this.#watchUnread = watchUnread;
  }

  /**
   * For a request whose response has no socket yet. Calls `begin` in its turn, or never if the connection ends first.
   */
  wait(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    this.#lineOf(request.socket).join(request, response, begin);
  }

  /**
   * For bytes that are not a request, and for the last request. They wait in the same order. Calls `begin` once all
   * earlier answers are complete, at once if none is owed, and never if the connection ends first. Later bytes are not
   * a request.
   */
  waitAsLast(socket: Socket, begin: () => void): void {
    if (this.#ended.has(socket)) this.#ignore(socket);
    // In the middle of a request, the bytes are part of the request, and nothing waits.
    else if (pendingOn(socket)?.req.complete !== true) begin();
    else this.#end(socket, begin);
  }

  /** Whether a head is late only because the gateway did not read the connection. */
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

  /** The connection keeps reading, because a connection without a reader never reports that its peer left. */
  #ignore(socket: Socket): void {
    if (socket.bytesRead - (this.#ended.get(socket) ?? 0) <= MOST_IGNORED) return;
    socket.pause();
    if (this.#unread.has(socket)) return;
    this.#unread.add(socket);
    this.#watchUnread(socket);
  }

  #lineOf(socket: Socket): PipelinedRequests {
    const line = this.#lines.get(socket) ?? new PipelinedRequests(socket, this.#watchUnread);
    this.#lines.set(socket, line);
    return line;
  }
}
