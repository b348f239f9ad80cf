import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { responseFields } from './response-fields.ts';

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
  const rules = { bodiless: true, trailers: false, private: false, requestIdHeader, requestId };
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
  end.on('error', () => other.destroy());
  end.on('close', () => other.destroySoon());
}
