import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { responseFields } from '../answer/response-fields.ts';

/** What a client may send before the upstream has answered its handshake. */
const EARLY_BYTES = 64 * 1024;

/**
 * The client's side of a handshake that is not yet answered. It goes on reading, because a connection that nobody reads
 * from never tells that its peer is gone.
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

  /** Everything the client sent so far; from here on the tunnel reads. */
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
  /** What the client sent behind its head. */
  readonly head: Buffer;
  /** Milliseconds without a byte either way; Infinity: no limit. */
  readonly idle: number;
}

export interface SwitchRules {
  readonly requestIdHeader: string;
  readonly requestId: string;
}

/** The upstream's 101, written to the client in its own words (RFC 9110 §15.2.2). */
export function switchingProtocols(raw: readonly Buffer[], { requestIdHeader, requestId }: SwitchRules): string {
  const rules = {
    bodiless: true,
    trailers: false,
    private: false,
    own: [],
    crossOrigin: undefined,
    requestIdHeader,
    requestId,
  };
  const { fields } = responseFields(raw, rules);
  let head = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n';
  for (let i = 0; i < fields.length; i += 2) head += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return `${head}\r\n`;
}

/** Bytes both ways until one side is done; the other is let go once it has what was meant for it. */
export function openTunnel({ client, upstream, head, idle }: Tunnel): void {
  if (head.length > 0) upstream.write(head);
  bind(client, upstream as Socket, idle);
  bind(upstream as Socket, client, idle);
  client.pipe(upstream).pipe(client);
}

function bind(end: Socket, other: Socket, idle: number): void {
  // What is read at one end is written to the other: silence at one is silence at both.
  end.setTimeout(Number.isFinite(idle) ? idle : 0, () => end.destroy());
  // Neither side is left half-open: a WebSocket that one end closed is over (RFC 6455 §7.1.1).
  end.on('end', () => {
    other.destroySoon();
    end.destroySoon();
  });
  end.on('error', () => other.destroy());
  end.on('close', () => other.destroySoon());
}
