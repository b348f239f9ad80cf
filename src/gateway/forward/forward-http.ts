import type { Dispatcher } from 'undici';
import type { Forward } from '../outcome.ts';
import { hasBody } from '../request-head.ts';
import type { Exchange } from './exchange.ts';
import { type OnUpgrade, Relay } from './relay.ts';
import { RequestBody } from './request-body.ts';
import { upstreamFields } from './upstream-fields.ts';

/** Carries out a plan to forward: bytes straight between the client's request and the upstream's, both ways. */
export function forwardHttp(exchange: Exchange, plan: Forward, onUpgrade?: OnUpgrade): void {
  const { upstream } = plan.route;
  if (upstream.inFlight >= upstream.capacity) {
    exchange.fail('upstream_saturated', plan, `${upstream.inFlight} requests in flight`, 1);
    return;
  }
  const body = bodyToSend(exchange, plan);
  const relay = new Relay(exchange, plan, body instanceof RequestBody ? body : undefined, onUpgrade);
  const options = dispatchOptions(exchange, plan, body, onUpgrade);
  // undici's own types take the buffers of the raw handler for strings.
  const handler = relay as unknown as Dispatcher.DispatchHandler;
  exchange.forwarding();
  relay.start(() => upstream.pool.dispatch(options, handler));
}

function bodyToSend(exchange: Exchange, plan: Forward): RequestBody | Buffer | null {
  if (plan.body !== 'stream') return plan.body;
  if (!hasBody(exchange.head)) return null;
  exchange.inviteBody();
  return new RequestBody(exchange.request, plan.shadow === undefined ? plan.route.bodyLimit : Number.POSITIVE_INFINITY);
}

function dispatchOptions(
  exchange: Exchange,
  plan: Forward,
  body: RequestBody | Buffer | null,
  onUpgrade: OnUpgrade | undefined,
): Dispatcher.DispatchOptions {
  const { head, shared, requestId } = exchange;
  const { upstream, idleTimeout, responseTimeout } = plan.route;
  const headers = upstreamFields(head, plan, { requestIdHeader: shared.requestIdHeaderLower, requestId });
  headers.push('host', upstream.host ?? head.host?.value ?? upstream.authority);
  const length = contentLength(exchange, body);
  if (length !== undefined) headers.push('content-length', length);
  return {
    path: plan.target,
    method: head.method as Dispatcher.HttpMethod,
    headers,
    body,
    upgrade: onUpgrade === undefined ? null : 'websocket',
    bodyTimeout: finite(idleTimeout),
    // The relay keeps its own time to the first byte; this one catches an upstream that stops reading an upload.
    headersTimeout: finite(responseTimeout + 1000),
  };
}

function contentLength({ head }: Exchange, body: RequestBody | Buffer | null): string | undefined {
  if (body instanceof Buffer) return String(body.length);
  return head.contentLength?.value;
}

/** undici's word for no limit is 0. */
function finite(milliseconds: number): number {
  return Number.isFinite(milliseconds) ? milliseconds : 0;
}
