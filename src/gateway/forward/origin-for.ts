import type { Exchange } from '../client/exchange.ts';
import type { Forward } from '../decide/outcome.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import type { DispatchedMessage } from './dispatch-options.ts';

/**
 * Refuses the request if the upstream is full, and returns whether it did. It runs before a body is read. It takes no
 * place yet, so no waiting request gives way.
 */
export function refuseWhereFull(exchange: Exchange, plan: Forward): boolean {
  const isRefused = isFull(plan) && !plan.route.upstream.shares.mayMakeRoom(applicantOf(exchange));
  if (isRefused) refuseSaturated(exchange, plan);
  return isRefused;
}

/** The same for a request that takes its place now. If the upstream is full, a waiting request may give way. */
function refuseWithoutPlace(exchange: Exchange, plan: Forward): boolean {
  const isRefused = isFull(plan) && !plan.route.upstream.shares.makeRoom(applicantOf(exchange));
  if (isRefused) refuseSaturated(exchange, plan);
  return isRefused;
}

function refuseTunnel(exchange: Exchange, plan: Forward): boolean {
  const isRefused = !plan.route.upstream.shares.mayTunnel(applicantOf(exchange));
  if (isRefused)
    exchange.fail(
      'upstream_saturated',
      plan,
      'the client address already uses its share (`limits.share`) of the connections and the queue of the upstream',
      1,
    );
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

/**
 * Chooses the URL for a request. Undefined: there is none, and the request is answered. The client may have left while
 * the gateway held its body.
 */
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
    exchange.fail(
      'upstream_unhealthy',
      plan,
      'every URL of the upstream is unhealthy or does not answer',
      plan.route.upstream.retryAfter(),
    );
  return undefined;
}
