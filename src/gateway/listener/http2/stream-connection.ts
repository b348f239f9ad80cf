import { constants, type ServerHttp2Stream } from 'node:http2';
import type { ClientConnection } from '../../client/client-message.ts';
import type { ClientCertificate } from '../../message/request-head.ts';

/** What all streams of a connection share. */
export interface Http2Connection {
  readonly remoteAddress: string;
  readonly certificate: ClientCertificate | undefined;
}

/** One stream, where HTTP/1.1 has a connection: what ends it leaves the others of its connection alone. */
export class StreamCarrier implements ClientConnection {
  readonly #stream: ServerHttp2Stream;
  readonly remoteAddress: string;
  /** There is no HTTP/2 here without TLS. */
  readonly encrypted = true;

  readonly certificate: ClientCertificate | undefined;

  constructor(stream: ServerHttp2Stream, { remoteAddress, certificate }: Http2Connection) {
    this.#stream = stream;
    this.remoteAddress = remoteAddress;
    this.certificate = certificate;
  }

  /** Nothing more can be written: both sides are done, it was reset, or the connection is over. */
  get destroyed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  destroy(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** RFC 9113 §8.1: without END_STREAM an answer is not whole. */
  resetAndDestroy(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  once(event: 'close', listener: () => void): void {
    this.#stream.once(event, listener);
  }
}
