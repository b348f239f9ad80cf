import type { Socket } from 'node:net';
import type { Stalls, Watched } from './stalls.ts';

interface Patience {
  /** Milliseconds, from the current configuration. */
  readonly idle: () => number;
  /** A tunnel has its own timeout. */
  readonly isTunnel: (socket: Socket) => boolean;
}

/**
 * An answer that is still in progress gets this many times the timeout. The kernel does not report how much it buffers.
 * It accepts more only when a third of its buffer is free, which may be megabytes. Until then a steady reader seems to
 * stand still.
 */
const LONGER = 10;

/**
 * Ends an HTTP/1.1 connection whose client reads nothing, even after the answer has ended. Node.js has no write
 * timeout. The reader watches the connection and not the answer, so it costs nothing for each request.
 */
export class ClientReader implements Watched {
  readonly #socket: Socket;
  readonly #patience: Patience;
  /**
   * Bytes of the completed writes, and the time of the last change. Undefined: nothing was waiting at the last check.
   */
  #taken = 0;
  #since: number | undefined;

  static watch(socket: Socket, stalls: Stalls, patience: Patience): void {
    const reader = new ClientReader(socket, patience);
    stalls.watch(reader);
    socket.once('close', () => stalls.forget(reader));
  }

  constructor(socket: Socket, patience: Patience) {
    this.#socket = socket;
    this.#patience = patience;
  }

  check(now: number): void {
    const { writableLength } = this.#socket;
    if (writableLength === 0) this.#since = undefined;
    else if (this.#noteTaken(writableLength) || this.#since === undefined) this.#since = now;
    else if (now - this.#since >= LONGER * this.#patience.idle() && !this.#patience.isTunnel(this.#socket))
      this.#socket.destroy();
  }

  #noteTaken(waiting: number): boolean {
    const taken = this.#socket.bytesWritten - waiting;
    if (taken === this.#taken) return false;
    this.#taken = taken;
    return true;
  }
}
