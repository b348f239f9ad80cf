import { EventEmitter } from 'node:events';
import type { ClientConnection, ClientRequest, ClientResponse } from '../../client/client-message.ts';
import type { DescribedRequest } from './described-request.ts';

/** One call of Envoy, which can cancel it while the gateway decides. */
export class CallConnection extends EventEmitter<{ close: [] }> implements ClientConnection {
  readonly remoteAddress: string;
  #isOver = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  get destroyed(): boolean {
    return this.#isOver;
  }

  destroy(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.emit('close');
  }
}

/** The client's request in a call. Its body, if Envoy sent it, is complete. */
export class CheckedRequest implements ClientRequest {
  readonly method: string;
  readonly httpVersion = '1.1';
  readonly headers = {};
  readonly rawHeaders: readonly string[];
  readonly complete = true;
  readonly whole: Buffer | undefined;
  readonly socket: CallConnection;

  constructor({ method, rawHeaders, body }: Omit<DescribedRequest, 'kind'>, socket: CallConnection) {
    this.method = method;
    this.rawHeaders = rawHeaders;
    this.whole = body.kind === 'whole' ? body.bytes : undefined;
    this.socket = socket;
  }

  on(): this {
    return this;
  }

  off(): this {
    return this;
  }

  pause(): void {}

  resume(): void {}

  unshift(): void {}
}

/** The gateway's own answer, which Envoy relays. `write` gets it once. */
export class CheckedResponse implements ClientResponse {
  readonly socket: CallConnection;
  shouldKeepAlive = true;
  readonly #write: (status: number, fields: readonly string[], body: string) => void;
  #head: { readonly status: number; readonly fields: readonly string[] } | undefined;

  constructor(socket: CallConnection, write: (status: number, fields: readonly string[], body: string) => void) {
    this.socket = socket;
    this.#write = write;
  }

  get destroyed(): boolean {
    return this.socket.destroyed;
  }

  get headersSent(): boolean {
    return this.#head !== undefined;
  }

  writeHead(status: number, fields: readonly string[]): void {
    this.#head = { status, fields };
  }

  end(text = ''): void {
    if (this.#head !== undefined) this.#write(this.#head.status, this.#head.fields, text);
  }

  write(): boolean {
    return true;
  }

  writeContinue(): void {}

  flushHeaders(): void {}

  addTrailers(): void {}

  on(event: 'close', listener: () => void): void {
    this.socket.once(event, listener);
  }

  once(event: 'close' | 'drain', listener: () => void): void {
    if (event === 'close') this.socket.once(event, listener);
  }

  off(event: 'close', listener: () => void): void {
    this.socket.off(event, listener);
  }
}
