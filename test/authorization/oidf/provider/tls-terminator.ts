import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { type Answer, exchange } from './exchange.ts';
import { tlsServer } from './tls-server.ts';

/** What a provider does wrong. */
export interface Fault {
  /** Changes the target of a request. */
  readonly target?: (target: string) => string;
  /** Changes an answer of the service. */
  readonly answer?: (answer: Answer, target: string) => Answer | Promise<Answer>;
  /** Changes the form that the service posts to a client. */
  readonly posted?: (form: string) => Promise<string>;
}

export interface Relay {
  /** The port of TLS. */
  readonly port: number;
  readonly service: string;
  /** The fault of this moment. */
  readonly fault: () => Fault;
}

/** Ends TLS in front of the service, as a proxy does in production. */
export function tlsTerminator(t: Test, relay: Relay): Promise<void> {
  return tlsServer(t, relay.port, (incoming, outgoing) => {
    pass(relay, incoming, outgoing).catch((error) => outgoing.destroy(error));
  });
}

async function pass({ service, fault }: Relay, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method, url = '', headers, socket } = incoming;
  const { target = (same) => same, answer: alter = (same) => same } = fault();
  const forwarded = { ...headers, connection: 'close', 'x-forwarded-for': socket.remoteAddress };
  const body = await text(incoming);
  const answer = await alter(await exchange(new URL(service + target(url)), { method, headers: forwarded, body }), url);
  const { 'transfer-encoding': _, 'content-length': __, connection: ___, ...kept } = answer.headers;
  outgoing.writeHead(answer.status, kept).end(answer.body);
}
