import type { IncomingHttpHeaders } from 'node:http';
import type { Lines } from '../message/lines.ts';
import type { ClientCertificate } from '../message/request-head.ts';
import type { SectionMemory } from './section-memory.ts';

/**
 * The client's side of one exchange, as far as the gateway uses it. Node's own classes fit, and the classes of
 * listener/http1 and listener/http2 too.
 */
export interface ClientRequest {
  readonly method?: string | undefined;
  readonly httpVersion: string;
  readonly headers: IncomingHttpHeaders;
  /** Name, value, name, value, … as received. */
  readonly rawHeaders: readonly string[];
  /** Results that the gateway already computed for these fields, if the connection sent the same ones before. */
  readonly memory?: SectionMemory | undefined;
  /** Whether all of the body has arrived. */
  readonly complete: boolean;
  /** The whole body, if it arrived with the head and has had no reader. */
  readonly whole?: Buffer | undefined;
  readonly socket: ClientConnection;
  /** No other request follows on its connection, so an answer may end before the upload ends (RFC 9113 §8.1). */
  readonly standsAlone?: true;
  on(event: 'data', listener: (chunk: Buffer) => void): this;
  on(event: 'end' | 'close', listener: () => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  off(event: 'data', listener: (chunk: Buffer) => void): this;
  off(event: 'end' | 'close', listener: () => void): this;
  pause(): unknown;
  resume(): unknown;
  /** Puts bytes back in front of the unread body. Call it before the end event. */
  unshift(chunk: Buffer): void;
}

export interface ClientResponse {
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  /** Null: the answer is written. */
  readonly socket: ClientConnection | null;
  /** Whether the connection stays open after this answer. */
  shouldKeepAlive: boolean;
  writeContinue(): void;
  /** Throws if a line cannot be written. */
  writeHead(status: number, fields: string[]): unknown;
  /** The same for the fields of `lines` and then `more`, if the connection can send lines unchanged. */
  writeLines?(status: number, lines: Lines, more: readonly string[]): void;
  /** False: wait for `drain`. */
  write(chunk: Buffer | string): boolean;
  end(text?: string, encoding?: BufferEncoding): unknown;
  flushHeaders(): void;
  addTrailers(fields: [string, string][]): void;
  on(event: 'close', listener: () => void): unknown;
  once(event: 'close' | 'drain', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

/** What carries one exchange: a connection, or a stream of a connection. */
export interface ClientConnection {
  readonly destroyed: boolean;
  /** The gateway's side has ended, or is about to end. */
  readonly writableEnded?: boolean;
  /** The connection's address. */
  readonly remoteAddress?: string | undefined;
  /** For a stream: the client certificate of its connection. */
  readonly certificate?: ClientCertificate | undefined;
  destroy(): unknown;
  /** Resets the connection, so that the client does not mistake a truncated answer for a complete one. */
  resetAndDestroy?(): unknown;
  once(event: 'close', listener: () => void): unknown;
}
