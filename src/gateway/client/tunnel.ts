import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RawFields } from '../message/raw-fields.ts';
import { responseFields } from './response-fields.ts';
import { closeFrame, EndableFrames } from './websocket-frames.ts';

/** Bytes that a client may send before the upstream answers its handshake. */
const EARLY_BYTES = 64 * 1024;

/**
 * The client's side of an unanswered handshake. It keeps reading, because a connection without a reader never reports
 * that its peer left.
 */
export class Handshake {
  readonly #socket: Socket;
  readonly #early: Buffer[];
  #bytes: number;

  constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    this.#early = [head];
    this.#bytes = head.length;
    socket.on('data', this.#keep).on('end', this.#left).on('error', this.#left);
  }

  /** Returns everything that the client sent so far. From now on the tunnel reads. */
  finish(): Buffer {
    this.#socket.off('data', this.#keep).off('end', this.#left).off('error', this.#left);
    this.#socket.pause();
    return Buffer.concat(this.#early);
  }

  readonly #keep = (chunk: Buffer): void => {
    this.#early.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > EARLY_BYTES) this.#socket.destroy();
  };

  readonly #left = (): void => {
    this.#socket.destroy();
  };
}

export interface Tunnel {
  readonly client: Socket;
  readonly upstream: Duplex;
  /** The bytes that the client sent after its head. */
  readonly head: Buffer;
  /** Milliseconds without a byte in either direction. Infinity: no limit. */
  readonly idle: number;
}

export interface SwitchRules {
  readonly requestIdHeader: string;
  readonly requestId: string;
  readonly keepsRequestId: boolean;
}

/** The upstream's 101 for the client, in the upstream's own words (RFC 9110 §15.2.2). */
export function switchingProtocols(raw: RawFields, switchRules: SwitchRules): string {
  const rules = {
    ...switchRules,
    bodiless: true,
    trailers: false,
    private: false,
    dropped: undefined,
    own: [],
    crossOrigin: undefined,
  };
  const { fields } = responseFields(raw, rules);
  let head = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n';
  for (let i = 0; i < fields.length; i += 2) head += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return `${head}\r\n`;
}

/** Carries bytes both ways until one side ends. The other side closes once it has all bytes that it must get. */
export function openTunnel({ client, upstream, head, idle }: Tunnel): void {
  if (head.length > 0) upstream.write(head);
  bind(client, upstream as Socket, idle);
  bind(upstream as Socket, client, idle);
  client.pipe(upstream).pipe(client);
}

/** Milliseconds for the open frame to end, and then for the client to close. */
const LAST_FRAME = 500;
const LEAVE = 1_000;

/** RFC 6455 §7.4.1: policy violation. */
const POLICY_VIOLATION = 1008;

/** Like `openTunnel`. The returned function ends the tunnel with a Close frame of the gateway, and a reason. */
export function openEndableTunnel({ client, upstream, head, idle }: Tunnel): (reason: string) => void {
  const frames = new EndableFrames();
  let ending = false;
  if (head.length > 0) upstream.write(head);
  bind(client, upstream as Socket, idle);
  watchIdle(upstream as Socket, idle);
  client.pipe(upstream).pipe(frames).pipe(client, { end: false });
  frames.on('end', () => {
    if (ending) client.end();
    else client.destroySoon();
    upstream.destroy();
  });
  upstream.on('error', () => client.destroy());
  // The upstream's connection closed without an end. What came before still goes out.
  upstream.on('close', () => frames.end());
  return (reason) => {
    if (ending || client.destroyed) return;
    ending = true;
    client.unpipe(upstream);
    client.resume();
    setTimeout(() => frames.readableEnded || client.destroy(), LAST_FRAME).unref();
    setTimeout(() => client.destroy(), LAST_FRAME + LEAVE).unref();
    frames.endWith(closeFrame(POLICY_VIOLATION, reason));
  };
}

/** Everything read at one end is written to the other, so silence at one end is silence at both. */
function watchIdle(end: Socket, idle: number): void {
  end.setTimeout(Number.isFinite(idle) ? idle : 0, () => end.destroy());
}

function bind(end: Socket, other: Socket, idle: number): void {
  watchIdle(end, idle);
  // Neither side stays half-open. A WebSocket that one end closed is over (RFC 6455 §7.1.1).
  end.on('end', () => {
    other.destroySoon();
    end.destroySoon();
  });
  end.on('error', () => other.destroy());
  end.on('close', () => other.destroySoon());
}
