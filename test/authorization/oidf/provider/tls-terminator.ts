import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { type Answer, exchange } from './exchange.ts';
import { tlsServer } from './tls-server.ts';

/** Changes an answer of the service, to make a provider with a fault. */
export type Alter = (answer: Answer, path: string) => Answer;

export interface Relay {
  /** The port of TLS. */
  readonly port: number;
  readonly target: string;
  readonly alter: Alter;
}

/** Ends TLS in front of the service, as a proxy does in production. */
export function tlsTerminator(t: Test, relay: Relay): Promise<void> {
  return tlsServer(t, relay.port, (incoming, outgoing) => {
    pass(relay, incoming, outgoing).catch((error) => outgoing.destroy(error));
  });
}

async function pass({ target, alter }: Relay, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method, url = '', headers, socket } = incoming;
  const forwarded = { ...headers, connection: 'close', 'x-forwarded-for': socket.remoteAddress };
  const body = await text(incoming);
  const answer = alter(await exchange(new URL(target + url), { method, headers: forwarded, body }), url);
  const { 'transfer-encoding': _, 'content-length': __, connection: ___, ...kept } = answer.headers;
  outgoing.writeHead(answer.status, kept).end(answer.body);
}
