import { EventEmitter } from 'node:events';
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { ClientRequest } from '../../client/client-message.ts';
import type { StreamCarrier } from './stream-connection.ts';
import type { StreamHead } from './stream-head.ts';

/**
 * The request of a stream, with the events of Node's own: `data`, `end`, `close`. Trailers are dropped, as over
 * HTTP/1.1.
 */
export class StreamRequest extends EventEmitter implements ClientRequest {
  readonly httpVersion = '2.0';
  readonly standsAlone = true;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly socket: StreamCarrier;
  complete: boolean;
  readonly #stream: ServerHttp2Stream;
  #isRead = false;
  #closed = false;

  constructor(stream: ServerHttp2Stream, head: StreamHead, headers: IncomingHttpHeaders, socket: StreamCarrier) {
    super();
    this.#stream = stream;
    this.method = head.method;
    this.headers = headers;
    this.rawHeaders = head.rawHeaders;
    this.socket = socket;
    this.complete = stream.endAfterHeaders;
    if (this.complete) stream.resume();
    else stream.on('end', this.#end);
  }

  pause(): void {
    this.#stream.pause();
  }

  unshift(chunk: Buffer): void {
    this.#stream.unshift(chunk);
  }

  /** Reads nothing from the client before there is a reader. */
  resume(): void {
    if (!this.#isRead) this.#stream.on('data', this.#data);
    this.#isRead = true;
    this.#stream.resume();
  }

  readonly #data = (chunk: Buffer): void => {
    if (!this.#closed) this.emit('data', chunk);
  };

  /** Node.js also ends the readable side of a reset stream. The body is then incomplete. */
  readonly #end = (): void => {
    if (this.#stream.aborted || this.#closed) return;
    this.complete = true;
    this.emit('end');
  };

  /** The stream was reset or has ended. */
  gone(): void {
    this.#closed = true;
    // After a reset without an error, Node.js waits for a reader of the remaining body.
    if (!this.#stream.destroyed && this.#stream.rstCode === constants.NGHTTP2_NO_ERROR)
      process.nextTick(() => this.#stream.destroy());
    this.emit('close');
  }
}
