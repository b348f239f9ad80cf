import type { Forward } from '../outcome.ts';
import { BodyRate, BodyTooSlow } from './body-rate.ts';
import type { Exchange } from './exchange.ts';
import { BodyTooLarge, ClientGone, RequestBody } from './request-body.ts';

/** Bytes of a body that are held so that it can be sent again. */
export const HELD = 1024 * 1024;

/** All of it; or, of one that is too long to be held, the stream from its first byte on. */
export type HeldBody = Buffer | RequestBody;

/**
 * Reads the client's body before the upstream is asked, within the limit of its route and the rate that every body has.
 * `done` is called once; not at all where the body fails, which is then answered.
 */
export function holdBody(exchange: Exchange, plan: Forward, done: (body: HeldBody) => void): void {
  const { shared } = exchange;
  const asked = shared.clock.monotonic();
  exchange.inviteBody();
  const body = new RequestBody(exchange.request, plan.route.limits.body);
  const rate = BodyRate.watch(body, shared);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (held: HeldBody) => {
    body.off('data', take).off('end', end).off('error', failed);
    shared.stalls.forget(rate);
    exchange.waitedSince(asked);
    done(held);
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= HELD) return;
    body.pause();
    body.unshift(Buffer.concat(chunks));
    finish(body);
  };
  const end = () => finish(Buffer.concat(chunks));
  const failed = (error: Error) => fail(exchange, plan, error);
  body.on('data', take).on('end', end).on('error', failed);
}

function fail(exchange: Exchange, plan: Forward, error: Error): void {
  if (error instanceof ClientGone) exchange.record('client_gone', plan);
  else if (error instanceof BodyTooLarge) exchange.fail('body_too_large', plan, 'BodyTooLarge');
  else if (error instanceof BodyTooSlow) exchange.fail('request_timeout', plan, 'BodyTooSlow');
  else exchange.fail('internal_error', plan, error.message);
}
