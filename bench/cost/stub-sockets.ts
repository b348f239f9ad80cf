import { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** The upstream's answer to every request. */
const ANSWER = Buffer.from(
  'HTTP/1.1 200 OK\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n{"ok":"true"}',
  'latin1',
);

interface Hearing extends Socket {
  hear?: (piece: Buffer) => void;
}

/** Replaces every connection that opens after this call by one that answers each write without a system call. */
export function stubConnections(): void {
  Socket.prototype.connect = function connect(this: Hearing, ...given: unknown[]): Hearing {
    const opened = given.find((each): each is () => void => typeof each === 'function');
    const socket = Object.assign(this, {
      connecting: false,
      write: () => {
        setImmediate(() => (socket.hear === undefined ? socket.push(ANSWER) : socket.hear(ANSWER)));
        return true;
      },
      _read: () => {},
    });
    setImmediate(() => {
      socket.emit('connect');
      socket.emit('ready');
    });
    if (opened !== undefined) socket.once('connect', opened);
    return socket;
  } as typeof Socket.prototype.connect;
}

/** A client that sends the same request again as soon as it has an answer. */
export class StubClient extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly remotePort = 50_000;
  readonly remoteFamily = 'IPv4';
  readonly #request: Buffer;
  readonly #answered: (answer: string) => boolean;

  /** @param answered gets each write of the gateway; false: the client sends no more */
  constructor(request: Buffer, answered: (answer: string) => boolean) {
    super({ decodeStrings: false });
    this.#request = request;
    this.#answered = answered;
  }

  begin(): void {
    this.push(this.#request);
  }

  override _read(): void {}

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    done();
    if (this.#answered(typeof chunk === 'string' ? chunk : chunk.toString('latin1')))
      setImmediate(() => this.push(this.#request));
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  destroySoon(): void {
    this.destroy();
  }
}
