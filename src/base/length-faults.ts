import { constants, type Http2Session, type Http2Stream } from 'node:http2';

/** nghttp2's NGHTTP2_ERR_PROTO: a frame that violates the protocol, of a stream or of the connection. */
const BROKEN = -505;

/** Milliseconds for a reset that waits behind data for a slow reader. */
const PATIENCE = 1_000;

/**
 * Content that is longer than its Content-Length is an error of its stream (RFC 9113 §8.1.1), and nghttp2 resets only that
 * stream. But nghttp2 reports the error with the code of a broken connection, and Node.js then destroys the session with all
 * other requests. So this class holds such a report until the matching reset. Without a reset, the report is about the
 * connection, and the session is destroyed as usual.
 */
export class LengthFaults {
  readonly #session: Http2Session;
  readonly #streams = new Set<Http2Stream>();
  #reports = 0;
  /**
   * Resets of streams that no longer exist. A reset by the other side counts too: at worst, its own connection ends later, when
   * idle.
   */
  #resets = 0;

  constructor(session: Http2Session) {
    this.#session = session;
    const destroy = session.destroy.bind(session);
    session.destroy = (error, code) => {
      if (isReport(error)) this.#explain(() => destroy(error, code));
      else destroy(error, code);
    };
  }

  /** Watches a stream whose content may be longer than its Content-Length. */
  watch(stream: Http2Stream): void {
    this.#streams.add(stream);
    stream.once('close', () => {
      this.#streams.delete(stream);
      if (isReset(stream)) this.#resets++;
    });
  }

  /** The reset is sent at the end of this turn, unless a write is still pending. */
  #explain(destroy: () => void): void {
    this.#reports++;
    setImmediate(() => {
      if (this.#isExplained()) return;
      if (this.#session.state.outboundQueueSize === 0) destroy();
      else setTimeout(() => this.#isExplained() || destroy(), PATIENCE).unref();
    });
  }

  #isExplained(): boolean {
    return this.#reports <= this.#resets + [...this.#streams].filter(isReset).length;
  }
}

function isReport(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).errno === BROKEN;
}

function isReset({ closed, rstCode }: Http2Stream): boolean {
  return closed && rstCode === constants.NGHTTP2_PROTOCOL_ERROR;
}
