import type { Exchange } from '../client/exchange.ts';
import type { Forward } from '../decide/outcome.ts';
import { AnswerGuard, type JudgeAnswer } from './answer-guard.ts';
import { type OnUpgrade, type SentBody, sentOf } from './dispatch-options.ts';
import { isBuffered, onceWorthSending } from './first-piece.ts';
import { forwardByDigest } from './forward-by-digest.ts';
import { readingAnswer } from './mcp-answer.ts';
import { originFor, refuseWhereFull } from './origin-for.ts';
import { Relay } from './relay.ts';
import { speaksForUs } from './upstream-fields.ts';

/** Forwards a request. Bytes flow directly between the client and the upstream, both ways. */
export function forwardHttp(exchange: Exchange, plan: Forward, onUpgrade?: OnUpgrade): void {
  if (plan.route.upstream.digest !== undefined && plan.shadow === undefined) {
    if (!refuseWhereFull(exchange, plan)) forwardByDigest(exchange, plan, onUpgrade);
  } else if (plan.body !== 'stream') send(exchange, plan, plan.body, onUpgrade);
  else if (!exchange.head.hasBody) send(exchange, plan, null, onUpgrade);
  else if (!refuseWhereFull(exchange, plan)) sendUpload(exchange, plan, onUpgrade);
}

function sendUpload(exchange: Exchange, plan: Forward, onUpgrade: OnUpgrade | undefined): void {
  const limit = plan.shadow === undefined ? plan.route.limits.body : Number.POSITIVE_INFINITY;
  const whole = exchange.takeBody();
  if (whole === undefined) streamUpload(exchange, plan, limit, onUpgrade);
  else if (whole.length > limit) exchange.fail('body_too_large', plan, 'BodyTooLarge');
  else send(exchange, plan, whole, onUpgrade);
}

/** `limit`: bytes of the body. */
function streamUpload(exchange: Exchange, plan: Forward, limit: number, onUpgrade: OnUpgrade | undefined): void {
  const isHeld = onUpgrade === undefined && isBuffered(exchange, plan);
  exchange.inviteBody();
  const body = exchange.readBody(limit);
  if (isHeld) onceWorthSending(exchange, plan, body, () => send(exchange, plan, body, onUpgrade));
  else send(exchange, plan, body, onUpgrade);
}

function send(exchange: Exchange, plan: Forward, body: SentBody, onUpgrade: OnUpgrade | undefined): void {
  const sent = sentOf(body, onUpgrade);
  const origin = originFor(exchange, plan, sent);
  if (origin === undefined) return;
  const relay = new Relay(exchange, plan, origin, sent);
  const handler = speaksForUs(plan) ? new AnswerGuard(relay, refusal) : relay;
  relay.start(plan.mcp === undefined ? handler : readingAnswer(handler, relay, plan, exchange));
}

const refusal: JudgeAnswer = (status) =>
  status === 401
    ? { code: 'upstream_credentials_refused', detail: 'the upstream answers 401 to the `credentials` in the file' }
    : undefined;
