import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import { parseResponse, type RawResponse } from './raw-response.ts';

export interface ReadOptions {
  /** The method of the answered request: the answer to HEAD has no body, whatever its header says. */
  readonly method?: string;
  /** Milliseconds. */
  readonly deadline?: number;
}

const DEADLINE = 20_000;

/** A client that sends exactly the given bytes, and reads answers strictly. */
export class RawClient {
  readonly socket: Socket;
  /** Received bytes that were not yet read as an answer. */
  unread: Buffer = Buffer.alloc(0);
  /** The other side has ended, or the connection broke. */
  closed = false;
  error: NodeJS.ErrnoException | undefined;
  #changed: () => void = () => {};
  #room: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.socket = socket;
    const change = () => this.#changed();
    socket.on('data', (chunk: Buffer) => {
      this.#append(chunk);
      change();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.error = error;
    });
    const close = () => {
      this.closed = true;
      change();
    };
    socket.on('end', close).on('close', close);
  }

  /** Copies into spare room after the unread bytes: joining chunk by chunk would copy a large body repeatedly. */
  #append(chunk: Buffer): void {
    const { length } = this.unread;
    const start = this.unread.byteOffset - this.#room.byteOffset;
    if (this.unread.buffer !== this.#room.buffer || start + length + chunk.length > this.#room.length) {
      this.#room = Buffer.allocUnsafeSlow(2 * (length + chunk.length));
      this.unread.copy(this.#room);
      chunk.copy(this.#room, length);
      this.unread = this.#room.subarray(0, length + chunk.length);
    } else {
      chunk.copy(this.#room, start + length);
      this.unread = this.#room.subarray(start, start + length + chunk.length);
    }
  }

  /** Text is sent as latin1: one byte a character. */
  send(bytes: string | Buffer): void {
    if (!this.socket.destroyed) this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** The next answer; undefined if the connection closed without one. */
  async read({ method = 'GET', deadline = DEADLINE }: ReadOptions = {}): Promise<RawResponse | undefined> {
    const end = performance.now() + deadline;
    for (;;) {
      const parsed = parseResponse(this.unread, method, this.closed);
      if (parsed !== 'more') {
        this.unread = parsed.rest;
        return parsed.response;
      }
      if (this.closed) return undefined;
      await this.#change(end);
    }
  }

  /** Waits until at least this many bytes are unread, or the connection closed. */
  async arrived(bytes: number, deadline = DEADLINE): Promise<void> {
    const end = performance.now() + deadline;
    while (this.unread.length < bytes && !this.closed) await this.#change(end);
  }

  async untilClosed(deadline = DEADLINE): Promise<void> {
    const end = performance.now() + deadline;
    while (!this.closed) await this.#change(end);
  }

  destroy(): void {
    this.socket.destroy();
  }

  async #change(end: number): Promise<void> {
    const left = end - performance.now();
    if (left <= 0)
      throw new Error(`no answer in time; so far: ${JSON.stringify(this.unread.toString('latin1', 0, 300))}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, left);
    this.#changed = resolve;
    await promise;
    clearTimeout(timer);
  }
}

/** Connects to a port of 127.0.0.1. `from` is a loopback address. The connection closes after the test. */
export async function open(t: Test, port: number, from?: string): Promise<RawClient> {
  const client = await connectTo(port, from);
  t.teardown(() => client.destroy());
  return client;
}

/** Like `open`, for a caller that closes the connection: a teardown for each of thousands would cost too much. */
export async function connectTo(port: number, from = '127.0.0.1'): Promise<RawClient> {
  const host = from.includes(':') ? '::1' : '127.0.0.1';
  const socket = connect({ port, host, localAddress: from, noDelay: true, allowHalfOpen: true });
  const client = new RawClient(socket);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return client;
}

/** One request on a separate connection, and its answer. */
export async function exchange(
  port: number,
  bytes: string | Buffer,
  options: ReadOptions = {},
): Promise<RawResponse | undefined> {
  const client = await connectTo(port);
  try {
    client.send(bytes);
    return await client.read(options);
  } finally {
    client.destroy();
  }
}

/** Like `exchange`, but no answer is a failure. */
export async function ask(port: number, bytes: string | Buffer, options: ReadOptions = {}): Promise<RawResponse> {
  const response = await exchange(port, bytes, options);
  if (response === undefined) throw new Error('the connection closed without an answer');
  return response;
}
