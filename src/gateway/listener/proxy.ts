import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { admit, carryOut, catchDefects, type Means } from '../client/carry-out.ts';
import type { ClientRequest } from '../client/client-message.ts';
import { Exchange, requestIds, type Shared } from '../client/exchange.ts';
import type { IncomingRequest } from '../client/incoming-request.ts';
import { clientPeerOf, withForwardedHost } from '../client/trusted-proxies.ts';
import { type Handshake, openEndableTunnel, openTunnel, switchingProtocols } from '../client/tunnel.ts';
import type { DecisionEngine } from '../decide/engine.ts';
import type { Routed } from '../decide/routed.ts';
import type { OnUpgrade } from '../forward/dispatch-options.ts';
import { forwardHttp } from '../forward/forward-http.ts';
import { readEntity } from '../forward/read-entity.ts';
import type { LiveGeneration } from '../generation/generation.ts';
import { entry } from '../message/codes.ts';
import type { StreamEnd } from '../message/identity.ts';
import { type HeadFields, headOf, type Origin, type RequestHead, readFields } from '../message/request-head.ts';

/** Handles one request from its head to its answer: extract → throttle → verify → permit → forward, or refuse. */
export function buildProxy(live: LiveGeneration): (arrival: IncomingRequest) => void {
  const nextId = requestIds();
  return (arrival) => {
    const { engine, shared } = live.current;
    const { socket } = arrival.request;
    // Node.js delivers everything that it has parsed. After a framing fault, nothing is a request.
    if (shared.listener.doomed.has(socket)) return;
    // The authority that signed the client's certificate has been removed.
    if (shared.listener.leaving.has(socket)) return void socket.destroy();
    try {
      const exchange = open(arrival, shared, nextId);
      catchDefects(exchange, () => begin(engine, exchange, arrival));
    } catch (error) {
      shared.log.error({ err: error }, 'internal error');
      arrival.request.socket.destroy();
    }
  };
}

function open(arrival: IncomingRequest, shared: Shared, nextId: () => string): Exchange {
  const { request, response, target, notice } = arrival;
  const origin = originOf(request, shared);
  const { isHostForwarded, decisions } = shared;
  const method = request.method as string;
  const judged = isHostForwarded ? { ...origin, host: undefined } : origin;
  const fields = isHostForwarded ? readFields(withForwardedHost(request.rawHeaders, origin)) : fieldsOf(request);
  const head = headOf({ method, target, version: versionOf(request), origin: judged }, fields);
  if (origin.otherHost !== undefined && !isHostForwarded) decisions.otherHost(head);
  return new Exchange(request, response, head, head.origin.requestId ?? nextId(), notice === 'continue', shared);
}

function originOf(request: ClientRequest, shared: Shared): Origin {
  const read = () => shared.originOf(clientPeerOf(request, shared.requestIdHeaderLower));
  return request.memory === undefined ? read() : request.memory.origin(shared.originOf, read);
}

function fieldsOf({ memory, rawHeaders }: ClientRequest): HeadFields {
  return memory === undefined ? readFields(rawHeaders) : memory.fields;
}

function versionOf({ httpVersion }: ClientRequest): RequestHead['version'] {
  return httpVersion === '1.1' ? '1.1' : httpVersion === '2.0' ? '2.0' : '1.0';
}

function begin(engine: DecisionEngine, exchange: Exchange, arrival: IncomingRequest): void {
  const routed = admit(engine, exchange, arrival.notice);
  if (routed.kind !== 'routed') {
    exchange.settle(routed);
    return;
  }
  const onUpgrade = arrival.handshake && tunnel(exchange, routed, arrival.handshake);
  const need = engine.needs(routed);
  if (need === undefined) carryOut(exchange, engine.decide(routed), BY_PROXY, onUpgrade);
  else
    readEntity(exchange, routed.route, need, (entity) =>
      carryOut(exchange, engine.decide(routed, entity), BY_PROXY, onUpgrade),
    );
}

const BY_PROXY: Means<OnUpgrade | undefined> = {
  forward: forwardHttp,
  settle: (exchange, outcome) => exchange.settle(outcome),
};

/** A tunnel continues after its exchange is recorded. */
function holdUntilClosed({ request, shared: { lease } }: Exchange): void {
  lease.take();
  request.socket.once('close', () => lease.release());
}

/** Ends the client's tunnel with the reason, once its token no longer gives access. */
function endings(end: (reason: string) => void): (why: StreamEnd) => void {
  return (why) => end(entry(why).text);
}

/** The upstream switched first. Now the client gets the 101, and both connections become one tunnel. */
function tunnel(exchange: Exchange, { route }: Routed, handshake: Handshake): OnUpgrade {
  holdUntilClosed(exchange);
  return (raw, upstream, plan) => {
    const { identity, shadow } = plan;
    const { request, response, requestId, shared } = exchange;
    const client = request.socket as Socket;
    if (client.destroyed) {
      upstream.destroy();
      return;
    }
    (response as ServerResponse).detachSocket(client);
    const names = { requestIdHeader: shared.requestIdHeaderLower, requestId, keepsRequestId: plan.asCame };
    client.write(switchingProtocols(raw, names), 'latin1');
    shared.listener.tunnels.add(client);
    client.once('close', () => shared.listener.tunnels.delete(client));
    const parts = { client, upstream, head: handshake.finish(), idle: route.limits.idle };
    if (route.watch === undefined || identity === undefined || shadow !== undefined) openTunnel(parts);
    else client.once('close', route.watch(identity, endings(openEndableTunnel(parts))));
  };
}
