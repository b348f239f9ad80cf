import { catchDefects } from '../client/carry-out.ts';
import type { Exchange } from '../client/exchange.ts';
import type { RequestBody } from '../client/request-body.ts';
import { BodyRate } from '../client/stalls.ts';
import type { Forward } from '../decide/outcome.ts';
import { bodyFailed } from './held-body.ts';
import { watchToken } from './token-ended.ts';

/** A body that is one half of a conversation. The client may wait for an answer before it sends more. */
const CONVERSING = /^(?:application\/grpc(?![a-z0-9])|text\/event-stream(?![a-z0-9]))/i;

/**
 * Whether an upload waits for its first bytes. A conversation, an unbuffered route and `Expect: 100-continue` do not
 * wait.
 */
export function isBuffered({ head, expectsContinue }: Exchange, { route }: Forward): boolean {
  if (!route.buffered || expectsContinue) return false;
  return !CONVERSING.test(head.contentType?.value ?? '') && !asksForEvents(head.fields);
}

function asksForEvents(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) {
    if (fields[i] === 'accept' && /text\/event-stream/i.test(fields[i + 1] as string)) return true;
  }
  return false;
}

/**
 * Waits until enough of the body has arrived to use an upstream connection. Otherwise a slow client would occupy the
 * connection. Calls `done` once, unless the body fails: then the client gets an error answer.
 */
export function onceWorthSending(exchange: Exchange, plan: Forward, body: RequestBody, done: () => void): void {
  const { shared, head } = exchange;
  const asked = shared.clock.monotonic();
  const rate = BodyRate.watch(body, shared);
  const unwatch = watchToken(plan, (ended) => body.destroy(ended));
  const failed = (error: Error) => {
    unwatch?.();
    bodyFailed(exchange, plan, error);
  };
  body.once('error', failed);
  body.readAhead(shared.bodies.open(head.origin.address, shared.limits.share), () => {
    body.off('error', failed);
    unwatch?.();
    shared.stalls.forget(rate);
    exchange.waitedSince(asked);
    catchDefects(exchange, done);
  });
}
