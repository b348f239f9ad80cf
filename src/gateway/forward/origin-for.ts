import type { Exchange } from '../client/exchange.ts';
import type { Forward } from '../decide/outcome.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import type { DispatchedMessage } from './dispatch-options.ts';

/**
 * Whether the upstream has no place for this request, which is then answered. Called before a body is read. It takes no place
 * yet, so no waiting request gives way to it.
 */
export function refuseWhereFull(exchange: Exchange, plan: Forward): boolean {
  const isRefused = isFull(plan) && !plan.route.upstream.shares.mayMakeRoom(applicantOf(exchange));
  if (isRefused) refuseSaturated(exchange, plan);
  return isRefused;
}

/** As that, for one that takes its place now: where there is none, one is made. */
function refuseWithoutPlace(exchange: Exchange, plan: Forward): boolean {
  const isRefused = isFull(plan) && !plan.route.upstream.shares.makeRoom(applicantOf(exchange));
  if (isRefused) refuseSaturated(exchange, plan);
  return isRefused;
}

function refuseTunnel(exchange: Exchange, plan: Forward): boolean {
  const isRefused = !plan.route.upstream.shares.mayTunnel(applicantOf(exchange));
  if (isRefused) exchange.fail('upstream_saturated', plan, 'its client address has its share of all places', 1);
  return isRefused;
}

function isFull({ route: { upstream } }: Forward): boolean {
  return upstream.inFlight >= upstream.capacity;
}

function applicantOf({ head, shared }: Exchange): { readonly address: string; readonly share: number } {
  return { address: head.origin.address, share: shared.limits.share };
}

function refuseSaturated(exchange: Exchange, plan: Forward): void {
  exchange.fail('upstream_saturated', plan, `${plan.route.upstream.inFlight} requests in flight`, 1);
}

/** Where the request goes; undefined: nowhere, and it is answered. While its body was held its client may have left. */
export function originFor(
  exchange: Exchange,
  plan: Forward,
  { upload, onUpgrade }: DispatchedMessage,
): UpstreamUrl | undefined {
  const isHandshake = onUpgrade !== undefined;
  const isAnswered =
    exchange.gone || refuseWithoutPlace(exchange, plan) || (isHandshake && refuseTunnel(exchange, plan));
  const origin = isAnswered ? undefined : plan.route.upstream.choose();
  if (origin !== undefined) return origin;
  upload?.destroy();
  if (exchange.gone) exchange.record('client_gone', plan);
  else if (!isAnswered)
    exchange.fail('upstream_unhealthy', plan, 'no url of it gets requests', plan.route.upstream.retryAfter());
  return undefined;
}
