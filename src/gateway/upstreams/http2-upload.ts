import { Readable } from 'node:stream';

/**
 * The body of a request on its way into an HTTP/2 stream. A library pipes the body, and would destroy the stream if the
 * body fails. Only the exchange may decide how a stream ends, so only the exchange hears how the source ends.
 */
export class Http2Upload extends Readable {
  readonly #source: Readable;
  readonly #gone: (error: Error | undefined) => void;

  /** `gone`: the source ended before it was complete. */
  constructor(source: Readable, gone: (error: Error | undefined) => void) {
    super();
    this.#source = source;
    this.#gone = gone;
    source.on('data', this.#data).on('end', this.#ended).on('error', gone).on('close', this.#closed);
    source.pause();
  }

  override _read(): void {
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.release();
    done(error);
  }

  /** Reads no more of the source, which ends. The stream does not notice. */
  release(): void {
    this.pause();
    this.#source.off('data', this.#data).off('end', this.#ended).off('error', this.#gone).off('close', this.#closed);
    this.#source.on('error', nothing);
    this.#source.destroy();
  }

  readonly #data = (chunk: Buffer): void => {
    if (!this.push(chunk)) this.#source.pause();
  };

  readonly #ended = (): void => void this.push(null);

  readonly #closed = (): void => {
    if (!this.#source.readableEnded) this.#gone(undefined);
  };
}

function nothing(): void {}
