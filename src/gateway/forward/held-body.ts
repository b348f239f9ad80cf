import type { Exchange } from '../client/exchange.ts';
import { Gathered } from '../client/gathered.ts';
import { BodyTooLarge, ClientGone, type RequestBody } from '../client/request-body.ts';
import { BodyRate, BodyTooSlow } from '../client/stalls.ts';
import type { Forward } from '../decide/outcome.ts';
import { refuseEnded, TokenEnded } from './token-ended.ts';

/** The gateway holds a body of up to this many bytes, to be able to send it again. */
export const HELD = 1024 * 1024;

/** The whole body. If it is too long or memory is short: the stream from its first byte. */
export type HeldBody = Buffer | RequestBody;

/**
 * Reads the client's body before the gateway contacts the upstream. The route's limit and the minimum rate apply. Calls
 * `done` once, unless the body fails: then the client gets an error answer.
 */
export function holdBody(exchange: Exchange, plan: Forward, done: (body: HeldBody) => void): void {
  const { shared, head, response } = exchange;
  const loan = shared.bodies.open(head.origin.address, shared.limits.share);
  response.once('close', () => loan.end());
  const asked = shared.clock.monotonic();
  exchange.inviteBody();
  const body = exchange.readBody(plan.route.limits.body);
  const rate = BodyRate.watch(body, shared);
  const gathered = new Gathered((bytes) => loan.spare(bytes));
  const finish = (held: HeldBody) => {
    body.off('data', take).off('end', end).off('error', failed);
    shared.stalls.forget(rate);
    exchange.waitedSince(asked);
    done(held);
  };
  const take = (chunk: Buffer) => {
    if (gathered.add(chunk) && gathered.bytes <= HELD) return;
    loan.end();
    body.pause();
    body.unshift(gathered.whole);
    finish(body);
  };
  const end = () => finish(gathered.whole);
  const failed = (error: Error) => bodyFailed(exchange, plan, error);
  body.on('data', take).on('end', end).on('error', failed);
}

/** Answers a request whose body failed before the gateway forwarded anything. */
export function bodyFailed(exchange: Exchange, plan: Forward, error: Error): void {
  if (error instanceof ClientGone) exchange.record('client_gone', plan);
  else if (error instanceof TokenEnded) refuseEnded(exchange, plan, error.why);
  else if (error instanceof BodyTooLarge) exchange.fail('body_too_large', plan, 'BodyTooLarge');
  else if (error instanceof BodyTooSlow) exchange.fail('request_timeout', plan, 'BodyTooSlow');
  else exchange.fail('internal_error', plan, error.message);
}
