import type { Socket } from 'node:net';
import type { ClientConnection, ClientResponse } from '../../client/client-message.ts';
import type { Lines } from '../../message/lines.ts';
import { type WrittenFields, writeFields, writeTrailers } from './response-head.ts';

/** The connection that a response is written to. */
export interface ResponseOwner {
  readonly socket: Socket;
  /** The lines about a persistent connection, as Node's server writes them. */
  readonly keepAliveLines: string;
  /** The response is completely written. `keeps`: another request may follow. */
  ended(keeps: boolean): void;
}

const CLOSE_LINE = 'Connection: close\r\n';
const CHUNKED_LINE = 'Transfer-Encoding: chunked\r\n';

/** An HTTP/1.1 answer, byte for byte as Node's server writes it. The head waits for the first byte of content. */
export class PlainResponse implements ClientResponse {
  shouldKeepAlive: boolean;
  headersSent = false;
  readonly #owner: ResponseOwner;
  readonly #isHead: boolean;
  /** The part of the head that is not yet written. */
  #head = '';
  #isChunked = false;
  #isBodiless: boolean;
  #trailers = '';
  #state: 'open' | 'ended' | 'closed' = 'open';
  readonly #onClose: (() => void)[] = [];
  #onDrain: (() => void) | undefined;

  constructor(owner: ResponseOwner, method: string, keeps: boolean) {
    this.#owner = owner;
    this.#isHead = method === 'HEAD';
    this.#isBodiless = this.#isHead;
    this.shouldKeepAlive = keeps;
  }

  get destroyed(): boolean {
    return this.#state !== 'open' || this.#owner.socket.destroyed;
  }

  get socket(): ClientConnection | null {
    return this.#state === 'open' ? this.#owner.socket : null;
  }

  /** No request of this listener asks for a 100. */
  writeContinue(): void {}

  writeHead(status: number, fields: readonly string[]): void {
    this.#begin(status, writeFields(status, fields));
  }

  writeLines(status: number, lines: Lines, more: readonly string[]): void {
    const { written } = lines;
    // `writeHead` reports fields that cannot be written.
    if (written === undefined) this.writeHead(status, [...lines.fields, ...more]);
    else this.#begin(status, writeFields(status, more, written));
  }

  #begin(status: number, { text, hasLength }: WrittenFields): void {
    this.#isBodiless ||= status === 204 || status === 304 || status < 200;
    this.#isChunked = !hasLength && !this.#isBodiless;
    const connection = this.shouldKeepAlive ? this.#owner.keepAliveLines : CLOSE_LINE;
    this.#head = `${text}${connection}${this.#isChunked ? CHUNKED_LINE : ''}\r\n`;
    this.headersSent = true;
  }

  flushHeaders(): void {
    this.#write(this.#takeHead());
  }

  write(chunk: Buffer | string): boolean {
    if (this.#state !== 'open') return false;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (this.#isBodiless || bytes.length === 0) {
      this.flushHeaders();
      return true;
    }
    const { socket } = this.#owner;
    socket.cork();
    const size = this.#isChunked ? `${bytes.length.toString(16)}\r\n` : '';
    this.#write(this.#takeHead() + size);
    const goesOn = socket.writable && socket.write(bytes);
    const isTaken = this.#isChunked ? this.#write('\r\n') : goesOn;
    socket.uncork();
    return isTaken;
  }

  addTrailers(fields: [string, string][]): void {
    this.#trailers += writeTrailers(fields);
  }

  /** As one string, a small answer needs one write. */
  end(text = '', encoding: BufferEncoding = 'utf8'): void {
    if (this.#state !== 'open') return;
    const content = encoding === 'latin1' ? text : Buffer.from(text, encoding).toString('latin1');
    this.#write(this.#takeHead() + this.#framed(content));
    this.#state = 'ended';
    process.nextTick(close, this);
    this.#owner.ended(this.shouldKeepAlive);
  }

  #framed(content: string): string {
    if (this.#isBodiless) return '';
    if (!this.#isChunked) return content;
    const chunk = content === '' ? '' : `${content.length.toString(16)}\r\n${content}\r\n`;
    return `${chunk}0\r\n${this.#trailers}\r\n`;
  }

  #takeHead(): string {
    const head = this.#head;
    this.#head = '';
    return head;
  }

  /** Like Node's server: once the client has ended its side, nothing more is written. */
  #write(text: string): boolean {
    const { socket } = this.#owner;
    if (text === '') return true;
    return socket.writable && socket.write(text, 'latin1');
  }

  /** The response or its connection has ended. */
  closed(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    for (const listener of this.#onClose) listener();
  }

  drained(): void {
    const drained = this.#onDrain;
    this.#onDrain = undefined;
    drained?.();
  }

  on(event: 'close' | 'drain', listener: () => void): this {
    if (event === 'drain') this.#onDrain = listener;
    else this.#onClose.push(listener);
    return this;
  }

  once(event: 'close' | 'drain', listener: () => void): this {
    return this.on(event, listener);
  }

  off(_event: 'close', listener: () => void): this {
    const at = this.#onClose.indexOf(listener);
    if (at >= 0) this.#onClose.splice(at, 1);
    return this;
  }
}

function close(response: PlainResponse): void {
  response.closed();
}
