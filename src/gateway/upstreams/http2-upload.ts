import { Readable } from 'node:stream';

/**
 * The body of a request on its way into a stream of HTTP/2. A library pipes it there, and would destroy the stream with it.
 * How a stream ends is for the exchange to say, so it alone hears what becomes of the source.
 */
export class Http2Upload extends Readable {
  readonly #source: Readable;
  readonly #gone: (error: Error | undefined) => void;

  /** `gone`: the source ended before it was whole. */
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

  /** Takes no more of the source, which ends; the stream hears nothing of that. */
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
