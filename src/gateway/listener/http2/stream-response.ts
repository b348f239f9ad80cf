import { EventEmitter } from 'node:events';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { ClientResponse } from '../../client/client-message.ts';
import { discardRest } from '../../client/discard.ts';
import type { StreamCarrier } from './stream-connection.ts';
import type { StreamRequest } from './stream-request.ts';

/** Statuses without content (RFC 9110 §6.4.1, §15.3.6). Their answer ends with the head. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** RFC 9113 §8.2.2 forbids this field. An earlier step removes the others. */
const FORBIDDEN: ReadonlySet<string> = new Set(['http2-settings']);

class BadStatus extends RangeError {
  readonly code = 'ERR_HTTP_INVALID_STATUS_CODE';
}

/** The answer of a stream. Like Node's own, the head waits for the first byte or the end. */
export class StreamResponse extends EventEmitter implements ClientResponse {
  /** Has no effect, because a connection closes for all its streams together. */
  shouldKeepAlive = true;
  headersSent = false;
  readonly socket: StreamCarrier;
  readonly #stream: ServerHttp2Stream;
  readonly #request: StreamRequest;
  readonly #ending: (stream: ServerHttp2Stream) => void;
  #head: string[] = [];
  #hasLength = false;
  #isBodiless = false;
  #responded = false;
  #ended = false;
  #closed = false;
  #trailers: Record<string, string[]> | undefined;

  /** `ending` is called once the whole answer is written, so that a timeout can end a client that does not read. */
  constructor(stream: ServerHttp2Stream, request: StreamRequest, ending: (stream: ServerHttp2Stream) => void) {
    super();
    this.#stream = stream;
    this.#request = request;
    this.#ending = ending;
    this.socket = request.socket;
    stream.on('drain', this.#drained).on('aborted', this.#gone).on('close', this.#gone);
  }

  get destroyed(): boolean {
    return this.socket.destroyed;
  }

  writeContinue(): void {
    if (!this.destroyed) this.#stream.additionalHeaders({ ':status': 100 });
  }

  writeHead(status: number, fields: readonly string[]): void {
    if (status < 200 || status > 599) throw new BadStatus(`status ${status}`);
    const head = [':status', String(status)];
    for (let i = 0; i < fields.length; i += 2) {
      const name = (fields[i] as string).toLowerCase();
      const value = fields[i + 1] as string;
      validateHeaderName(name);
      validateHeaderValue(name, value);
      if (name === 'content-length') this.#hasLength = true;
      if (!FORBIDDEN.has(name)) head.push(name, value);
    }
    this.#head = head;
    this.#isBodiless = BODILESS.has(status) || this.#request.method === 'HEAD';
    this.headersSent = true;
  }

  flushHeaders(): void {
    if (!this.#responded) this.#respond(false);
  }

  write(chunk: Buffer | string): boolean {
    this.flushHeaders();
    return chunk.length === 0 || this.destroyed || this.#isBodiless || this.#stream.write(chunk);
  }

  addTrailers(fields: [string, string][]): void {
    const trailers = trailersOf(fields);
    if (trailers.size > 0 && !this.#hasLength) this.#trailers = Object.fromEntries(trailers);
  }

  end(text = '', encoding: BufferEncoding = 'utf8'): void {
    if (this.#ended) return;
    this.#ended = true;
    const isEmpty = text === '' && this.#trailers === undefined;
    if (!this.#responded) this.#respond(isEmpty);
    if (this.destroyed) return;
    if (!this.#stream.writableEnded) this.#stream.end(text === '' ? undefined : Buffer.from(text, encoding));
    this.#ending(this.#stream);
    if (!this.#request.complete) discardRest(this.#request, this.#askNoMore);
  }

  #respond(isEmpty: boolean): void {
    this.#responded = true;
    if (this.destroyed) return;
    const endStream = isEmpty || this.#isBodiless;
    // When Node.js closes a stream, it also ends it. An answer that may still be truncated therefore gets its
    // END_STREAM in a separate frame.
    const isWhole = this.#ended && this.#trailers === undefined;
    const waitForTrailers = !endStream && !isWhole;
    if (waitForTrailers) this.#stream.once('wantTrailers', this.#sendTrailers);
    this.#stream.respond(this.#head, { endStream, waitForTrailers });
  }

  /** An exception here would be uncaught, so trailers are validated when they are added. */
  readonly #sendTrailers = (): void => {
    this.#stream.sendTrailers(this.#trailers ?? {});
  };

  /** RFC 9113 §8.1: the answer is complete, and the gateway does not need the rest of the upload. */
  readonly #askNoMore = (): void => {
    if (this.#request.complete || this.#stream.destroyed) return;
    // Node.js sends trailers one turn later.
    if (this.#stream.writableFinished) setImmediate(this.#close);
    else this.#stream.once('finish', () => setImmediate(this.#askNoMore));
  };

  readonly #close = (): void => {
    this.#stream.close(constants.NGHTTP2_NO_ERROR);
    // Node.js keeps a stream as long as it has unread bytes.
    this.#stream.resume();
  };

  readonly #drained = (): void => {
    this.emit('drain');
  };

  readonly #gone = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    this.emit('close');
    // As over HTTP/1.1: the forwarding code has ended the stream and no longer owns the body.
    this.#request.gone();
  };
}

/** Trailers by lower-case name. It is a map because an upstream may send a trailer `constructor` or `__proto__`. */
function trailersOf(fields: [string, string][]): Map<string, string[]> {
  const trailers = new Map<string, string[]>();
  for (const [written, value] of fields) {
    const name = written.toLowerCase();
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (FORBIDDEN.has(name)) continue;
    const same = trailers.get(name);
    if (same === undefined) trailers.set(name, [value]);
    else same.push(value);
  }
  return trailers;
}
