import { outage } from '../../base/verdict.ts';
import { broken, catchDefects } from '../client/carry-out.ts';
import type { Loan } from '../client/entity-budget.ts';
import type { Exchange } from '../client/exchange.ts';
import { Gathered } from '../client/gathered.ts';
import { BodyTooLarge, ClientGone } from '../client/request-body.ts';
import { BodyRate, BodyTooSlow } from '../client/stalls.ts';
import { refuse, type Unavailable } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import type { WantedEntity } from '../decide/routed.ts';

/** No memory is left to hold more of the body. */
class BodiesSaturated extends Error {}

type Done = (entity: Buffer | undefined) => void;

/**
 * Reads the body that must be judged. Limits are its length, the minimum rate, and the client's share of memory. Calls
 * `done` once, unless the body fails: then the client gets an error answer. In shadow mode, `done` may get no body.
 */
export function readEntity(exchange: Exchange, route: Route, wanted: WantedEntity, done: Done): void {
  const whole = exchange.takeBody();
  if (whole === undefined) gather(exchange, { route, wanted, loan: loanFor(exchange), done });
  // The body is in memory already, and would be even if nothing judged it. So it needs no loan.
  else if (whole.length > wanted.limit) failed(exchange, new BodyTooLarge(), route, wanted);
  else done(whole);
}

function loanFor({ head, response, shared }: Exchange): Loan {
  const shareIsFull = () => shared.fullShares.met('limits', head);
  const loan = shared.bodies.open(head.origin.address, shared.limits.share, shareIsFull);
  response.once('close', () => loan.end());
  return loan;
}

interface Reading {
  readonly route: Route;
  readonly wanted: WantedEntity;
  readonly loan: Loan;
  readonly done: Done;
}

function gather(exchange: Exchange, { route, wanted, loan, done }: Reading): void {
  const { request, shared } = exchange;
  exchange.inviteBody();
  const body = exchange.readBody(wanted.limit);
  const asked = shared.clock.monotonic();
  const gathered = new Gathered((bytes) => (route.shadow ? loan.spare(bytes) : loan.take(bytes)));
  const finish = (entity: Buffer | undefined) => {
    exchange.waitedSince(asked);
    catchDefects(exchange, () => done(entity));
  };
  const take = (chunk: Buffer) => {
    if (gathered.add(chunk)) return;
    if (!route.shadow) {
      body.destroy(new BodiesSaturated());
      return;
    }
    // In shadow mode, a body that cannot be held passes unjudged, as a stream from its first byte.
    loan.end();
    body.off('data', take);
    request.unshift(body.giveBack(gathered.whole));
    finish(undefined);
  };
  BodyRate.watch(body, shared);
  body.on('data', take);
  body.on('end', () => finish(gathered.whole));
  body.on('error', (error) => failed(exchange, error, route, wanted));
}

function failed(exchange: Exchange, error: Error, route: Route, { tooLarge }: WantedEntity): void {
  if (error instanceof ClientGone) exchange.record('client_gone', undefined);
  else if (error instanceof BodyTooLarge) exchange.settle(refuse(tooLarge, { route }));
  else if (error instanceof BodyTooSlow) exchange.settle(refuse('request_timeout', { route }));
  else if (error instanceof BodiesSaturated) exchange.settle(saturated(route));
  else broken(exchange, error);
}

function saturated(route: Route): Unavailable {
  return {
    kind: 'unavailable',
    code: 'bodies_saturated',
    route,
    outage: outage('memory', 1, 'no memory is left to hold another body'),
  };
}
