import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { LimitsConfig } from '../../../config/schema/gateway.ts';
import type { Watched } from '../../client/stalls.ts';
import { isConnectionGone } from './connection-gone.ts';

/** Milliseconds for the client to close after the gateway has announced the end of the connection. */
const LEAVE = 1_000;

interface Connected {
  readonly socket: Socket;
  readonly limits: () => LimitsConfig;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/**
 * The timeouts of one HTTP/2 connection. Pings and other frames without a request do not count. The first request must
 * arrive within `headers_timeout`, and the next one within `idle` of the last answer. A written answer must be read
 * within `idle`. A client that reads nothing at all is disconnected without a message.
 */
export class ClientSession implements Watched {
  readonly #session: ServerHttp2Session;
  readonly #given: Connected;
  readonly #opened: number;
  /** Streams with a complete answer that the client has not yet read, and the time of the answer. */
  readonly #ending = new Map<ServerHttp2Stream, number>();
  readonly #open = new Set<ServerHttp2Stream>();
  /** The time since when reset streams have been waiting to close. */
  #resetsWait: number | undefined;
  /** Bytes that the connection accepted for sending, and the time of the last change. */
  #sent: { readonly bytes: number; readonly at: number };
  #served = false;
  #idleSince: number;
  #toldAt: number | undefined;

  constructor(session: ServerHttp2Session, given: Connected) {
    this.#session = session;
    this.#given = given;
    this.#opened = given.now();
    this.#idleSince = this.#opened;
    this.#sent = { bytes: 0, at: this.#opened };
  }

  began(stream: ServerHttp2Stream): void {
    this.#open.add(stream);
    this.#served = true;
    stream.once('close', () => this.#over(stream));
  }

  readonly ending = (stream: ServerHttp2Stream): void => {
    if (!stream.destroyed) this.#ending.set(stream, this.#given.now());
  };

  /** GOAWAY names the last stream that is answered. The client may repeat later requests elsewhere (RFC 9113 §6.8). */
  close(): void {
    this.#toldAt ??= this.#given.now();
    this.#session.close();
  }

  check(now: number): void {
    if (isConnectionGone(this.#given.socket)) {
      this.#given.socket.destroy();
      return;
    }
    const { idle, headers_timeout } = this.#given.limits();
    for (const [stream, since] of this.#ending) if (now - since >= idle) stream.close(constants.NGHTTP2_CANCEL);
    // §6.5.3: none of the gateway's settings applies before the acknowledgement.
    if (this.#session.pendingSettingsAck && now - this.#opened >= headers_timeout) this.#end();
    if (this.#open.size === 0) this.#checkIdle(now, this.#served ? idle : headers_timeout);
    this.#checkReader(now, idle);
  }

  #checkIdle(now: number, patience: number): void {
    if (this.#toldAt !== undefined && now - Math.max(this.#toldAt, this.#idleSince) >= LEAVE)
      this.#given.socket.destroy();
    else if (now - this.#idleSince >= patience) this.close();
  }

  /**
   * While the client does not read, Node.js can neither send a reset nor end a reset stream. A slow reader reads
   * something now and then.
   */
  #checkReader(now: number, idle: number): void {
    this.#noteSent(now);
    const reset = [...this.#open].filter(({ closed }) => closed).length;
    this.#resetsWait = reset > 0 ? (this.#resetsWait ?? now) : undefined;
    if (this.#resetsWait === undefined || now - this.#resetsWait < LEAVE) return;
    const isOver = this.#toldAt !== undefined && reset === this.#open.size;
    if (now - this.#sent.at >= (isOver ? LEAVE : idle)) this.#given.socket.destroy();
  }

  #noteSent(now: number): void {
    const { bytesWritten } = this.#given.socket;
    if (bytesWritten !== this.#sent.bytes) this.#sent = { bytes: bytesWritten, at: now };
  }

  #end(): void {
    if (this.#session.destroyed) return;
    this.#session.goaway(constants.NGHTTP2_SETTINGS_TIMEOUT);
    this.#session.destroy();
  }

  #over(stream: ServerHttp2Stream): void {
    this.#ending.delete(stream);
    this.#open.delete(stream);
    if (this.#open.size === 0) this.#idleSince = this.#given.now();
  }
}
