import { constants, type Http2Session, type Http2Stream } from 'node:http2';

/** nghttp2's NGHTTP2_ERR_PROTO: a frame that breaks the protocol, of a stream or of the connection. */
const BROKEN = -505;

/** Milliseconds for a reset that waits behind what the other side has not taken yet. */
const PATIENCE = 1_000;

/**
 * Content that is longer than its Content-Length is an error of its stream (RFC 9113 §8.1.1), and nghttp2 resets that
 * stream only. But it reports the fault with the code of a broken connection, and Node.js then destroys the session with
 * every other request on it. Here such a report waits for the reset that explains it. Without one it was about the
 * connection, and the session is destroyed as ever.
 */
export class LengthFaults {
  readonly #session: Http2Session;
  readonly #streams = new Set<Http2Stream>();
  #reports = 0;
  /**
   * For streams that no longer exist. A reset by the other side counts too: at worst, its own connection ends later, when
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

  /** A stream whose content may turn out longer than it said. */
  watch(stream: Http2Stream): void {
    this.#streams.add(stream);
    stream.once('close', () => {
      this.#streams.delete(stream);
      if (isReset(stream)) this.#resets++;
    });
  }

  /** The reset is sent at the end of this turn, unless something is still being written. */
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
