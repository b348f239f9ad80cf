import type { Socket } from 'node:net';
import type { Stalls, Watched } from '../client/stalls.ts';

/** Watches a connection that the gateway does not read. Returns a function that ends the watch. */
export type WatchUnread = (socket: Socket) => () => void;

/**
 * A connection that the gateway does not read, because its client sent too much behind a request. Nothing reports that
 * the client of such a connection left. So the connection ends once no byte of an answer was sent for the time of an
 * idle connection.
 */
export class UnreadConnection implements Watched {
  readonly #socket: Socket;
  /** Milliseconds, from the current configuration. */
  readonly #idle: () => number;
  #written = Number.NaN;
  #since = 0;

  static watch(socket: Socket, stalls: Stalls, idle: () => number): () => void {
    const unread = new UnreadConnection(socket, idle);
    stalls.watch(unread);
    const forget = () => {
      stalls.forget(unread);
      socket.off('close', forget);
    };
    socket.once('close', forget);
    return forget;
  }

  constructor(socket: Socket, idle: () => number) {
    this.#socket = socket;
    this.#idle = idle;
  }

  check(now: number): void {
    const { bytesWritten } = this.#socket;
    if (bytesWritten !== this.#written) {
      this.#written = bytesWritten;
      this.#since = now;
    } else if (now - this.#since >= this.#idle()) this.#socket.destroy();
  }
}
