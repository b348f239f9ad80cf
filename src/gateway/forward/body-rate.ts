import type { Clock } from '../../base/clock.ts';
import type { LimitsConfig } from '../../config/gateway.ts';
import type { RequestBody } from './request-body.ts';
import type { Stalls, Watched } from './stalls.ts';

/** What a listener lends to whoever watches a body. */
interface Watching {
  readonly limits: Pick<LimitsConfig, 'body_rate'>;
  readonly clock: Clock;
  readonly stalls: Stalls;
}

export class BodyTooSlow extends Error {}

/**
 * The slowest body that is waited for. Node's own `requestTimeout` is a total and would cut large honest uploads, so a
 * rate is judged instead, and only while it is the client's turn: an upstream that reads slowly is not its fault.
 */
export class BodyRate implements Watched {
  readonly #body: RequestBody;
  readonly #bytes: number;
  readonly #over: number;
  #since: number;
  #at = 0;

  constructor(body: RequestBody, { bytes, over }: { bytes: number; over: number }, now: number) {
    this.#body = body;
    this.#bytes = bytes;
    this.#over = over;
    this.#since = now;
  }

  /** Watches the body until it is read or given up. */
  static watch(body: RequestBody, { limits, clock, stalls }: Watching): BodyRate {
    const rate = new BodyRate(body, limits.body_rate, clock.monotonic());
    stalls.watch(rate);
    body.on('close', () => stalls.forget(rate));
    return rate;
  }

  check(now: number): void {
    if (this.#body.waiting && now - this.#since < this.#over) return;
    const slow = this.#body.waiting && this.#body.received - this.#at < this.#bytes;
    this.#since = now;
    this.#at = this.#body.received;
    if (slow) this.#body.destroy(new BodyTooSlow());
  }
}
