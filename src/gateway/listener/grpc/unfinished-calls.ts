import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Watched } from '../../client/stalls.ts';

export interface UnfinishedOptions {
  /** Milliseconds for the message of a call. */
  readonly patience: () => number;
  readonly now: () => number;
  /** The answer of this call is complete. */
  readonly answered: (stream: ServerHttp2Stream) => void;
}

/** The calls of one connection. A call that does not arrive whole in time ends, because the library would wait for ever. */
export class UnfinishedCalls implements Watched {
  readonly #since = new Map<ServerHttp2Stream, number>();
  readonly #options: UnfinishedOptions;

  constructor(options: UnfinishedOptions) {
    this.#options = options;
  }

  began(stream: ServerHttp2Stream): void {
    this.#since.set(stream, this.#options.now());
    stream.once('close', () => this.#since.delete(stream));
  }

  check(now: number): void {
    const patience = this.#options.patience();
    for (const [stream, since] of this.#since) {
      if (stream.writableEnded) this.#told(stream);
      else if (stream.state.remoteClose !== 1 && now - since >= patience) stream.close(constants.NGHTTP2_CANCEL);
    }
  }

  #told(stream: ServerHttp2Stream): void {
    this.#since.delete(stream);
    this.#options.answered(stream);
  }
}
