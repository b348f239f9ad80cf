import type { Dispatcher } from 'undici';
import type { Forward } from '../outcome.ts';
import { hasBody } from '../request-head.ts';
import { AnswerGuard, type JudgeAnswer } from './answer-guard.ts';
import { type Dispatched, dispatchOptions, type SentBody } from './dispatch-options.ts';
import type { Exchange } from './exchange.ts';
import { forwardByDigest } from './forward-by-digest.ts';
import { type OnUpgrade, Relay } from './relay.ts';
import { RequestBody } from './request-body.ts';
import { speaksForUs } from './upstream-fields.ts';

/** Carries out a plan to forward: bytes straight between the client's request and the upstream's, both ways. */
export function forwardHttp(exchange: Exchange, plan: Forward, onUpgrade?: OnUpgrade): void {
  const { upstream } = plan.route;
  if (upstream.inFlight >= upstream.capacity) {
    exchange.fail('upstream_saturated', plan, `${upstream.inFlight} requests in flight`, 1);
    return;
  }
  if (upstream.digest !== undefined && plan.shadow === undefined) {
    forwardByDigest(exchange, plan, onUpgrade);
    return;
  }
  const origin = upstream.choose();
  if (origin === undefined) {
    exchange.fail('upstream_unhealthy', plan, 'no url of it gets requests', upstream.retryAfter());
    return;
  }
  const body = bodyToSend(exchange, plan);
  const relay = new Relay(exchange, plan, origin, body instanceof RequestBody ? body : undefined, onUpgrade);
  let ready: Dispatched | undefined = dispatchOptions(exchange, plan, origin, body, onUpgrade);
  // undici's own types take the buffers of the raw handler for strings.
  const handler = (speaksForUs(plan)
    ? new AnswerGuard(relay, refusal)
    : relay) as unknown as Dispatcher.DispatchHandler;
  exchange.forwarding();
  relay.start((to) => {
    const options = to === origin ? ready : undefined;
    // Each try has a span of its own, which it tells the upstream.
    if (exchange.trace !== undefined) ready = undefined;
    to.engine.dispatch(options ?? dispatchOptions(exchange, plan, to, body, onUpgrade), handler);
  });
}

const refusal: JudgeAnswer = (status) =>
  status === 401
    ? { code: 'upstream_credentials_refused', detail: 'the upstream answers `credentials` of its block with 401' }
    : undefined;

function bodyToSend(exchange: Exchange, plan: Forward): SentBody {
  if (plan.body !== 'stream') return plan.body;
  if (!hasBody(exchange.head)) return null;
  exchange.inviteBody();
  return new RequestBody(
    exchange.request,
    plan.shadow === undefined ? plan.route.limits.body : Number.POSITIVE_INFINITY,
  );
}
