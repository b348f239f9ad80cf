import { constants, type ServerHttp2Stream } from 'node:http2';
import type { ClientConnection } from '../../client/client-message.ts';
import type { ClientCertificate } from '../../message/request-head.ts';

/** What all streams of a connection share. */
export interface Http2Connection {
  readonly remoteAddress: string;
  readonly certificate: ClientCertificate | undefined;
}

/**
 * A stream, in the role that a connection has in HTTP/1.1. Ending it leaves the other streams of its connection open.
 */
export class StreamCarrier implements ClientConnection {
  readonly #stream: ServerHttp2Stream;
  readonly remoteAddress: string;
  /** HTTP/2 requires TLS here. */
  readonly encrypted = true;

  readonly certificate: ClientCertificate | undefined;

  constructor(stream: ServerHttp2Stream, { remoteAddress, certificate }: Http2Connection) {
    this.#stream = stream;
    this.remoteAddress = remoteAddress;
    this.certificate = certificate;
  }

  /** Nothing more can be written: both sides have ended, the stream was reset, or the connection has ended. */
  get destroyed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  destroy(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** RFC 9113 §8.1: an answer without END_STREAM is incomplete. */
  resetAndDestroy(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  once(event: 'close', listener: () => void): void {
    this.#stream.once(event, listener);
  }
}
