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
