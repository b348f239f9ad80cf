import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { outage } from '../../base/verdict.ts';
import { entry } from '../codes.ts';
import type { Engine, WantedEntity } from '../decide/engine.ts';
import type { Arrival } from '../forward/arrival.ts';
import { BodyRate, BodyTooSlow } from '../forward/body-rate.ts';
import type { ClientRequest } from '../forward/client-message.ts';
import { Exchange, type Shared } from '../forward/exchange.ts';
import { forwardHttp } from '../forward/forward-http.ts';
import { broken, guard, onceVerified } from '../forward/guard.ts';
import type { OnUpgrade } from '../forward/relay.ts';
import { BodyTooLarge, ClientGone, RequestBody } from '../forward/request-body.ts';
import { type Handshake, openEndableTunnel, openTunnel, switchingProtocols } from '../forward/tunnel.ts';
import type { StreamEnd } from '../identity.ts';
import { type Outcome, refuse, type Unavailable } from '../outcome.ts';
import { type RequestHead, readHead } from '../request-head.ts';
import type { Route } from '../routing/route.ts';
import type { Routed } from '../routing/routed.ts';
import type { LiveGeneration } from './generation.ts';
import { requestIds } from './request-id.ts';
import { peerOf } from './trusted-proxies.ts';

/** extract → throttle → verify → permit → forward, or refuse: one request from its head to its answer. */
export function buildProxy(live: LiveGeneration): (arrival: Arrival) => void {
  const nextId = requestIds();
  return (arrival) => {
    const { engine, shared } = live.current;
    // Node.js hands over what it has parsed; behind a fault of framing nothing is a request.
    if (shared.listener.doomed.has(arrival.request.socket)) return;
    try {
      const exchange = open(arrival, shared, nextId);
      guard(exchange, () => begin(engine, exchange, arrival));
    } catch (error) {
      shared.log.error({ err: error }, 'internal error');
      arrival.request.socket.destroy();
    }
  };
}

function open(arrival: Arrival, shared: Shared, nextId: () => string): Exchange {
  const { request, response, target, notice } = arrival;
  const head = readHead({
    method: request.method as string,
    target,
    version: versionOf(request),
    origin: shared.originOf(peerOf(request, shared.requestIdHeaderLower)),
    rawHeaders: request.rawHeaders,
  });
  return new Exchange(request, response, head, head.origin.requestId ?? nextId(), notice === 'continue', shared);
}

function versionOf({ httpVersion }: ClientRequest): RequestHead['version'] {
  return httpVersion === '1.1' ? '1.1' : httpVersion === '2.0' ? '2.0' : '1.0';
}

function begin(engine: Engine, exchange: Exchange, arrival: Arrival): void {
  const routed = admit(engine, exchange, arrival);
  if (routed.kind !== 'routed') {
    exchange.settle(routed);
    return;
  }
  const onUpgrade = arrival.handshake && tunnel(exchange, routed, arrival.handshake);
  const need = engine.needs(routed);
  const isHeld = need !== undefined && reserve(exchange, need);
  // Whoever only looks on lets the body pass unread.
  if (need === undefined || (!isHeld && routed.route.shadow)) carryOut(exchange, engine.decide(routed), onUpgrade);
  else if (!isHeld) exchange.settle(saturated(routed.route));
  else
    readEntity(exchange, routed.route, need, (entity) => carryOut(exchange, engine.decide(routed, entity), onUpgrade));
}

/** Everything that the head alone can fail on. */
function admit(engine: Engine, { head, shared }: Exchange, { notice }: Arrival): ReturnType<Engine['route']> {
  if (head.fields.length > shared.limits.header_count * 2) return refuse('headers_too_many');
  return notice === undefined || notice === 'continue' ? engine.route(head) : refuse(notice);
}

function carryOut(exchange: Exchange, outcome: Outcome | Promise<Outcome>, onUpgrade: OnUpgrade | undefined): void {
  if (outcome instanceof Promise) onceVerified(exchange, outcome, (settled) => carryOut(exchange, settled, onUpgrade));
  else if (exchange.gone) exchange.record('client_gone', outcome);
  else if (outcome.kind === 'forward') forwardHttp(exchange, outcome, onUpgrade);
  else exchange.settle(outcome);
}

/** For as long as the exchange may hold it; a body that does not say how long it is counts as the longest. */
function reserve({ head, response, shared: { bodies } }: Exchange, { limit }: WantedEntity): boolean {
  const bytes = head.contentLength === undefined ? limit : Math.min(limit, Number(head.contentLength.value));
  if (!bodies.take(bytes)) return false;
  response.once('close', () => bodies.give(bytes));
  return true;
}

function saturated(route: Route): Unavailable {
  return {
    kind: 'unavailable',
    code: 'bodies_saturated',
    route,
    outage: outage('memory', 1, 'too many bodies are held to be judged'),
  };
}

/** Reads the body that must be judged, within its limit and the rate that every body has. */
function readEntity(
  exchange: Exchange,
  route: Route,
  { limit, tooLarge }: WantedEntity,
  done: (entity: Buffer) => void,
): void {
  exchange.inviteBody();
  const body = new RequestBody(exchange.request, limit);
  const asked = exchange.shared.clock.monotonic();
  const chunks: Buffer[] = [];
  BodyRate.watch(body, exchange.shared);
  body.on('data', (chunk: Buffer) => chunks.push(chunk));
  body.on('end', () => {
    exchange.waitedSince(asked);
    guard(exchange, () => done(Buffer.concat(chunks)));
  });
  body.on('error', (error) => entityFailed(exchange, error, { route, tooLarge }));
}

function entityFailed(
  exchange: Exchange,
  error: Error,
  { route, tooLarge }: { route: Route; tooLarge: WantedEntity['tooLarge'] },
): void {
  if (error instanceof ClientGone) exchange.record('client_gone', undefined);
  else if (error instanceof BodyTooLarge) exchange.settle(refuse(tooLarge, { route }));
  else if (error instanceof BodyTooSlow) exchange.settle(refuse('request_timeout', { route }));
  else broken(exchange, error);
}

/** A tunnel goes on after its exchange is recorded. */
function holdUntilClosed({ request, shared: { lease } }: Exchange): void {
  lease.take();
  request.socket.once('close', () => lease.release());
}

/** What a client is told when its leave is over. */
function endings(end: (reason: string) => void): (why: StreamEnd) => void {
  return (why) => end(entry(why).text);
}

/** The upstream switched first; now the client is told, and from here on they are one connection. */
function tunnel(exchange: Exchange, { route }: Routed, handshake: Handshake): OnUpgrade {
  holdUntilClosed(exchange);
  return (raw, upstream, { identity, shadow }) => {
    const { request, response, requestId, shared } = exchange;
    const client = request.socket as Socket;
    if (client.destroyed) {
      upstream.destroy();
      return;
    }
    (response as ServerResponse).detachSocket(client);
    client.write(switchingProtocols(raw, { requestIdHeader: shared.requestIdHeaderLower, requestId }), 'latin1');
    shared.listener.tunnels.add(client);
    client.once('close', () => shared.listener.tunnels.delete(client));
    const parts = { client, upstream, head: handshake.finish(), idle: route.limits.idle };
    if (route.watch === undefined || identity === undefined || shadow !== undefined) openTunnel(parts);
    else client.once('close', route.watch(identity, endings(openEndableTunnel(parts))));
  };
}
