import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { WrittenHead } from './request-head.ts';

/**
 * The content differs from what its head announces. This is a defect of the gateway, because Node.js has judged the
 * client's framing.
 */
class LengthMismatch extends Error {
  readonly code = 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH';
}

class BodyGone extends Error {
  readonly code = 'UND_ERR_ABORTED';
}

export interface UploadEvents {
  /** The whole body was written. */
  readonly sent: () => void;
  /** The connection accepts no more for now. */
  readonly held: () => void;
  readonly failed: (error: Error) => void;
}

/** A body on its way into a connection, as fast as the connection accepts it. */
export class Upload {
  readonly #socket: Socket;
  readonly #body: Readable;
  readonly #head: WrittenHead;
  readonly #events: UploadEvents;
  #bytes = 0;
  #over = false;

  constructor(socket: Socket, body: Readable, head: WrittenHead, events: UploadEvents) {
    this.#socket = socket;
    this.#body = body;
    this.#head = head;
    this.#events = events;
    socket.on('drain', this.#drained);
    body.on('error', this.#failed).on('close', this.#closed).on('end', this.#ended).on('data', this.#data);
    // An earlier owner may have paused it.
    body.resume();
  }

  /** Stops reading. No one reads the rest. */
  stop(): void {
    if (this.#over) return;
    this.#leave();
    this.#body.destroy();
  }

  #leave(): void {
    this.#over = true;
    this.#socket.off('drain', this.#drained);
    this.#body.off('data', this.#data).off('end', this.#ended).off('close', this.#closed);
  }

  readonly #data = (chunk: Buffer): void => {
    if (chunk.length === 0) return;
    this.#bytes += chunk.length;
    const { length, isChunked } = this.#head;
    if (length !== undefined && this.#bytes > length) {
      this.#failed(new LengthMismatch('the body is longer than announced'));
      return;
    }
    if (isChunked ? this.#writeChunk(chunk) : this.#socket.write(chunk)) return;
    this.#body.pause();
    this.#events.held();
  };

  #writeChunk(chunk: Buffer): boolean {
    this.#socket.cork();
    this.#socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    this.#socket.write(chunk);
    const goesOn = this.#socket.write('\r\n', 'latin1');
    this.#socket.uncork();
    return goesOn;
  }

  readonly #drained = (): void => void this.#body.resume();

  readonly #ended = (): void => {
    const { length, isChunked } = this.#head;
    if (length !== undefined && this.#bytes !== length) {
      this.#failed(new LengthMismatch('the body is shorter than announced'));
      return;
    }
    this.#leave();
    if (isChunked) this.#socket.write('0\r\n\r\n', 'latin1');
    this.#events.sent();
  };

  readonly #failed = (error: Error): void => {
    if (this.#over) return;
    this.#leave();
    this.#events.failed(error);
  };

  readonly #closed = (): void => this.#failed(new BodyGone('the request body was closed before its end'));
}
