import type { Forward } from '../outcome.ts';
import { hasBody } from '../request-head.ts';
import { DigestAttempts } from './digest-attempts.ts';
import type { SentBody } from './dispatch-options.ts';
import type { Exchange } from './exchange.ts';
import { HELD, holdBody } from './held-body.ts';
import type { OnUpgrade } from './relay.ts';
import { RequestBody } from './request-body.ts';

/**
 * Carries out a plan to forward to an upstream that wants Digest (RFC 7616 §3.4). A body that is short enough is held
 * first, because the upstream may ask for it a second time; any other is sent once.
 */
export function forwardByDigest(exchange: Exchange, plan: Forward, onUpgrade: OnUpgrade | undefined): void {
  const send = (body: SentBody) => sendBy(exchange, plan, { body, onUpgrade });
  if (plan.body !== 'stream') send(plan.body);
  else if (!hasBody(exchange.head)) send(null);
  else if (mayHold(exchange)) holdBody(exchange, plan, send);
  else send(new RequestBody(exchange.request, plan.route.limits.body));
}

/** Memory for bodies is one budget; where it is used up, a body is sent once rather than refused. */
function mayHold({ head, response, shared: { bodies } }: Exchange): boolean {
  const bytes = head.contentLength === undefined ? HELD : Number(head.contentLength.value);
  if (bytes > HELD || !bodies.take(bytes)) return false;
  response.once('close', () => bodies.give(bytes));
  return true;
}

interface Sending {
  readonly body: SentBody;
  readonly onUpgrade: OnUpgrade | undefined;
}

function sendBy(exchange: Exchange, plan: Forward, sending: Sending): void {
  const { upstream } = plan.route;
  const { inFlight, capacity } = upstream;
  // While the body was held others may have come, and the client may have left.
  const isFull = inFlight >= capacity;
  const origin = isFull || exchange.gone ? undefined : upstream.choose();
  if (origin !== undefined) {
    new DigestAttempts(exchange, plan, origin, sending).start();
    return;
  }
  if (sending.body instanceof RequestBody) sending.body.destroy();
  if (exchange.gone) exchange.record('client_gone', plan);
  else if (isFull) exchange.fail('upstream_saturated', plan, `${inFlight} requests in flight`, 1);
  else exchange.fail('upstream_unhealthy', plan, 'no url of it gets requests', upstream.retryAfter());
}
