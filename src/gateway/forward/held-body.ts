import type { Exchange } from '../client/exchange.ts';
import { Gathered } from '../client/gathered.ts';
import { BodyTooLarge, ClientGone, type RequestBody } from '../client/request-body.ts';
import { BodyRate, BodyTooSlow } from '../client/stalls.ts';
import type { Forward } from '../decide/outcome.ts';
import { refuseEnded, TokenEnded } from './token-ended.ts';

/** Bytes of a body that are held so that it can be sent again. */
export const HELD = 1024 * 1024;

/** All of it; or, where it is too long or there is no memory for it, the stream from its first byte on. */
export type HeldBody = Buffer | RequestBody;

/**
 * Reads the client's body before the upstream is asked, within the limit of its route and the rate that every body has.
 * `done` is called once; not at all where the body fails, which is then answered.
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

/** Answers a request whose body failed before it went anywhere. */
export function bodyFailed(exchange: Exchange, plan: Forward, error: Error): void {
  if (error instanceof ClientGone) exchange.record('client_gone', plan);
  else if (error instanceof TokenEnded) refuseEnded(exchange, plan, error.why);
  else if (error instanceof BodyTooLarge) exchange.fail('body_too_large', plan, 'BodyTooLarge');
  else if (error instanceof BodyTooSlow) exchange.fail('request_timeout', plan, 'BodyTooSlow');
  else exchange.fail('internal_error', plan, error.message);
}
