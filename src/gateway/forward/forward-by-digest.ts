import type { Exchange } from '../client/exchange.ts';
import type { Forward } from '../decide/outcome.ts';
import { DigestAttempts } from './digest-attempts.ts';
import { type OnUpgrade, type SentBody, sentOf } from './dispatch-options.ts';
import { isBuffered, onceWorthSending } from './first-piece.ts';
import { HELD, holdBody } from './held-body.ts';
import { originFor } from './origin-for.ts';

/**
 * Forwards a request to an upstream that requires Digest (RFC 7616 §3.4). It holds a short body first, because the
 * upstream may ask for the body a second time. It sends a longer body once.
 */
export function forwardByDigest(exchange: Exchange, plan: Forward, onUpgrade: OnUpgrade | undefined): void {
  const send = (body: SentBody) => sendBy(exchange, plan, body, onUpgrade);
  if (plan.body !== 'stream') send(plan.body);
  else if (!exchange.head.hasBody) send(null);
  else if (isShort(exchange)) holdBody(exchange, plan, send);
  else sendOnce(exchange, plan, send);
}

function isShort({ head }: Exchange): boolean {
  return head.contentLength === undefined || Number(head.contentLength.value) <= HELD;
}

function sendOnce(exchange: Exchange, plan: Forward, send: (body: SentBody) => void): void {
  const body = exchange.readBody(plan.route.limits.body);
  if (isBuffered(exchange, plan)) onceWorthSending(exchange, plan, body, () => send(body));
  else send(body);
}

function sendBy(exchange: Exchange, plan: Forward, body: SentBody, onUpgrade: OnUpgrade | undefined): void {
  const sent = sentOf(body, onUpgrade);
  const origin = originFor(exchange, plan, sent);
  if (origin !== undefined) new DigestAttempts(exchange, plan, origin, sent).start();
}
