import type { ClientHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import { addAbortSignal, Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { rawFields } from './http2-fields.ts';
import { Http2Upload } from './http2-upload.ts';

/** The connection ended, or the upstream says that it did not process the request (RFC 9113 §8.7). */
class StreamCut extends Error {
  readonly code = 'ECONNRESET';
}

class StreamSilent extends Error {
  readonly code: string;

  constructor(code: string) {
    super('the upstream neither accepted nor sent data for too long');
    this.code = code;
  }
}

/** undici's raw handler, whose types declare its buffers as strings. */
interface Handler {
  onConnect(abort: (reason?: Error) => void): void;
  onRequestSent?(): void;
  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(trailers: Buffer[] | null): void;
  onError(error: Error): void;
}

/** One request and its answer as an HTTP/2 stream. The handler hears the same events as from undici over HTTP/1.1. */
export class Http2Exchange {
  readonly options: Dispatcher.DispatchOptions;
  readonly body: Http2Upload | undefined;
  readonly #handler: Handler;
  #stream: ClientHttp2Stream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #trailers: Buffer[] | null = null;
  #finished = false;
  /** The upstream ended the answer, and it was not truncated. */
  #isWhole = false;

  constructor(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    this.options = options;
    this.#handler = handler as unknown as Handler;
    const body = bodyOf(options.body);
    this.body = body && new Http2Upload(body, (error) => this.#bodyGone(error));
  }

  /** Whether an answer has begun. */
  answered = false;

  /** Called once, as soon as the stream exists. Its connection may not be open yet. */
  open(stream: ClientHttp2Stream): void {
    this.#stream = stream;
    this.#noteEnd(stream);
    const { session } = stream;
    if (session?.connecting === true) session.once('connect', () => this.#connected());
    else this.#connected();
    stream
      .on('response', (headers, _flags, ...rest) => this.#response(headers[':status'] ?? 0, rest))
      .on('trailers', (_headers, _flags, ...rest) => {
        this.#trailers = rawFields(flatOf(rest));
      })
      .on('end', () => this.#ended())
      .on('finish', () => this.#sent())
      .on('error', (error) => this.fail(this.#reasonOf(error)))
      .on('close', () => this.fail(new StreamCut('the upstream ended the stream')));
  }

  fail(error: Error): void {
    if (this.#finished) return;
    this.#finish();
    this.#cancel();
    this.#handler.onError(error);
  }

  /**
   * Resets the stream. While a body is piped into it, `close` would make the pipe destroy the stream during the reset.
   * Node.js (24, nghttp2 1.70) then hangs if more is queued than the window allows. An abort signal destroys and resets
   * the stream with the same code.
   */
  #cancel(): void {
    const stream = this.#stream;
    if (stream === undefined) this.body?.destroy();
    else if (this.body === undefined) stream.close(constants.NGHTTP2_CANCEL);
    else {
      this.body.release();
      addAbortSignal(AbortSignal.abort(), stream);
    }
  }

  /** The client left. Or the answer is complete, and no one reads the rest of the body. */
  #bodyGone(error: Error | undefined): void {
    if (this.#finished) this.#cancel();
    else this.fail(error ?? new StreamCut('the request body was closed before its end'));
  }

  /**
   * The reader always gets an end, perhaps late. After a frame that ends the stream, Node.js pushes it while the stream
   * is open. After a reset, the stream is already closed (RFC 9113 §8.1).
   */
  #noteEnd(stream: ClientHttp2Stream): void {
    const push = stream.push.bind(stream);
    stream.push = (chunk, encoding) => {
      if (chunk === null && !stream.closed) this.#isWhole = true;
      return push(chunk, encoding);
    };
  }

  #connected(): void {
    if (this.#finished) return;
    this.#handler.onConnect((reason) => this.fail(reason ?? new StreamCut('given up')));
    this.#watchUpload();
  }

  /** Like undici: the upload timeout runs while the upstream must read, not while the client must send. */
  #watchUpload(): void {
    const { headersTimeout } = this.options;
    if (this.#finished || this.answered || !headersTimeout) return;
    this.#timer = setTimeout(() => {
      const stream = this.#stream;
      if (stream?.writableNeedDrain || stream?.writableFinished) this.fail(new StreamSilent('UND_ERR_HEADERS_TIMEOUT'));
      else this.#watchUpload();
    }, headersTimeout);
  }

  #sent(): void {
    if (!this.#finished && !this.answered) this.#handler.onRequestSent?.();
  }

  #response(status: number, rest: readonly unknown[]): void {
    if (this.#finished) return;
    this.answered = true;
    const stream = this.#stream as ClientHttp2Stream;
    this.#watchAnswer();
    stream.on('data', (chunk: Buffer) => this.#data(chunk));
    const goesOn = this.#guarded(() => this.#handler.onHeaders(status, rawFields(flatOf(rest)), () => this.#resume()));
    if (goesOn === false) this.#pause();
  }

  #data(chunk: Buffer): void {
    if (this.#finished) return;
    this.#timer?.refresh();
    if (this.#guarded(() => this.#handler.onData(chunk)) === false) this.#pause();
  }

  #watchAnswer(): void {
    clearTimeout(this.#timer);
    const { bodyTimeout } = this.options;
    this.#timer = bodyTimeout
      ? setTimeout(() => this.fail(new StreamSilent('UND_ERR_BODY_TIMEOUT')), bodyTimeout)
      : undefined;
  }

  /** The client is slow, so the stream's window holds the upstream back (RFC 9113 §5.2). */
  #pause(): void {
    clearTimeout(this.#timer);
    this.#stream?.pause();
  }

  #resume(): void {
    if (this.#finished) return;
    this.#watchAnswer();
    this.#stream?.resume();
  }

  #ended(): void {
    if (this.#finished) return;
    if (!this.#isWhole || !this.answered) {
      this.fail(new StreamCut('the answer was cut short'));
      return;
    }
    this.#finish();
    this.#handler.onComplete(this.#trailers);
  }

  /** Like undici: an exception of the handler concerns the answer. */
  #guarded(tell: () => boolean): boolean | undefined {
    try {
      return tell();
    } catch (error) {
      this.fail(error as Error);
      return undefined;
    }
  }

  #reasonOf(error: Error): Error {
    if (this.#stream?.rstCode === constants.NGHTTP2_REFUSED_STREAM)
      return new StreamCut('the upstream refused the stream without processing the request');
    // If a session never opened, the cause contains the reason.
    return error.cause instanceof Error ? error.cause : error;
  }

  #finish(): void {
    this.#finished = true;
    clearTimeout(this.#timer);
  }
}

function bodyOf(body: Dispatcher.DispatchOptions['body']): Readable | undefined {
  if (body instanceof Readable) return body;
  return body instanceof Buffer && body.length > 0 ? Readable.from([body]) : undefined;
}

/** Node.js gives the header lines as its last argument, although its types do not say so. */
function flatOf(rest: readonly unknown[]): readonly string[] {
  const [flat] = rest;
  return Array.isArray(flat) ? flat : [];
}
