import type { Outcome } from '../outcome.ts';
import type { Exchange } from './exchange.ts';

/** A throw is a defect of ours: the request gets a 500, which lets nothing pass, the log its stack, and the process goes on. */
export function guard(exchange: Exchange, step: () => void): void {
  try {
    step();
  } catch (error) {
    broken(exchange, error);
  }
}

export function broken(exchange: Exchange, error: unknown): void {
  exchange.shared.log.error({ err: error, request_id: exchange.requestId }, 'internal error');
  exchange.fail('internal_error', undefined, 'see the log');
}

/** Goes on with a decision that had to be waited for; the time is that of the credential's verification. */
export function onceVerified(exchange: Exchange, decided: Promise<Outcome>, goOn: (settled: Outcome) => void): void {
  exchange.trace?.verifying();
  const asked = exchange.shared.clock.monotonic();
  decided.then(
    (settled) => {
      exchange.verifiedSince(asked, settled);
      guard(exchange, () => goOn(settled));
    },
    (error: unknown) => broken(exchange, error),
  );
}
