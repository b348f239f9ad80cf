import type { DecisionEngine } from '../decide/engine.ts';
import { type Forward, type Outcome, refuse } from '../decide/outcome.ts';
import type { Exchange } from './exchange.ts';
import type { IncomingRequest } from './incoming-request.ts';

/**
 * An exception is a defect of the gateway. The request gets a 500 and never passes. The log gets the stack, and the
 * process continues.
 */
export function catchDefects(exchange: Exchange, step: () => void): void {
  try {
    step();
  } catch (error) {
    broken(exchange, error);
  }
}

export function broken(exchange: Exchange, error: unknown): void {
  const { requestId: request_id, request } = exchange;
  const { log } = exchange.shared;
  log.error({ err: error, request_id }, 'internal error');
  try {
    exchange.fail('internal_error', undefined, 'see the log');
  } catch (second) {
    log.error({ err: second, request_id }, 'internal error');
    request.socket.destroy();
  }
}

/** Continues once an asynchronous decision is ready. The wait counts as verification of the credential. */
function onceVerified(exchange: Exchange, decided: Promise<Outcome>, goOn: (settled: Outcome) => void): void {
  exchange.trace?.verifying();
  const asked = exchange.shared.clock.monotonic();
  decided.then(
    (settled) => {
      exchange.verifiedSince(asked, settled);
      catchDefects(exchange, () => goOn(settled));
    },
    (error: unknown) => broken(exchange, error),
  );
}

/** How a listener carries out an outcome. `Told`: what the listener knows about the request, beside the exchange. */
export interface Means<Told> {
  forward(exchange: Exchange, plan: Forward, told: Told): void;
  /** Answers in the gateway's own name. */
  settle(exchange: Exchange, outcome: Exclude<Outcome, Forward>, told: Told): void;
}

/** Refuses a request whose head is already unacceptable. */
export function admit(
  engine: DecisionEngine,
  { head, shared }: Exchange,
  notice: IncomingRequest['notice'],
): ReturnType<DecisionEngine['route']> {
  if (head.fields.length > shared.limits.header_count * 2) return refuse('headers_too_many');
  return notice === undefined || notice === 'continue' ? engine.route(head) : refuse(notice);
}

/** Carries out a decision. If the client has left, it only records that. */
export function carryOut<Told>(
  exchange: Exchange,
  outcome: Outcome | Promise<Outcome>,
  means: Means<Told>,
  told: Told,
): void {
  if (outcome instanceof Promise)
    onceVerified(exchange, outcome, (settled) => carryOut(exchange, settled, means, told));
  else if (exchange.gone) exchange.record('client_gone', outcome);
  else if (outcome.kind === 'forward') means.forward(exchange, outcome, told);
  else means.settle(exchange, outcome, told);
}
