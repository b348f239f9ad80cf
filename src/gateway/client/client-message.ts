import type { IncomingHttpHeaders } from 'node:http';
import type { Lines } from '../message/lines.ts';
import type { ClientCertificate } from '../message/request-head.ts';
import type { SectionMemory } from './section-memory.ts';

/**
 * The client's side of one exchange: as much of it as is used. Node's own classes are of this form, and
 * those of listener/http1 and listener/http2.
 */
export interface ClientRequest {
  readonly method?: string | undefined;
  readonly httpVersion: string;
  readonly headers: IncomingHttpHeaders;
  /** Name, value, name, value, … as received. */
  readonly rawHeaders: readonly string[];
  /** What was found out of these fields, if the connection sent the same ones before. */
  readonly memory?: SectionMemory | undefined;
  /** Whether all of the body has arrived. */
  readonly complete: boolean;
  /** The whole body, if it arrived with the head and has had no reader. */
  readonly whole?: Buffer | undefined;
  readonly socket: ClientConnection;
  /** No other request follows on its connection, so an answer may end before the upload does (RFC 9113 §8.1). */
  readonly standsAlone?: true;
  on(event: 'data', listener: (chunk: Buffer) => void): this;
  on(event: 'end' | 'close', listener: () => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  off(event: 'data', listener: (chunk: Buffer) => void): this;
  off(event: 'end' | 'close', listener: () => void): this;
  pause(): unknown;
  resume(): unknown;
  /** Returns the bytes that were read of the body. Call it before the end event. */
  unshift(chunk: Buffer): void;
}

export interface ClientResponse {
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  /** Null: the answer is out. */
  readonly socket: ClientConnection | null;
  /** A connection that carries one exchange at a time. */
  shouldKeepAlive: boolean;
  writeContinue(): void;
  /** Throws where a line cannot be written. */
  writeHead(status: number, fields: string[]): unknown;
  /** The same for the fields of `lines` and then `more`, by a carrier that can send lines as they are. */
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

/** What carries one exchange: a connection, or a stream of one. */
export interface ClientConnection {
  readonly destroyed: boolean;
  /** Its own side has ended, or is about to. */
  readonly writableEnded?: boolean;
  /** The connection's address. */
  readonly remoteAddress?: string | undefined;
  /** For a stream: the client certificate of its connection. */
  readonly certificate?: ClientCertificate | undefined;
  destroy(): unknown;
  /** So that the client does not take a cut answer for a whole one. */
  resetAndDestroy?(): unknown;
  once(event: 'close', listener: () => void): unknown;
}
