import type { CircuitBreakerConfig } from '../../config/schema/upstream.ts';

export type BreakerState = 'closed' | 'open' | 'half_open';

/** Runs at each change of state. */
export type OnChange = (state: BreakerState) => void;

/**
 * A circuit breaker: stops using a URL after this many failures in a row. Times are monotonic milliseconds. A result
 * counts only if the state has not changed since the request was chosen, which `epoch` shows.
 */
export class Breaker {
  readonly #config: CircuitBreakerConfig;
  readonly #onChange: OnChange;
  #state: BreakerState = 'closed';
  #failures = 0;
  #until = 0;
  epoch = 0;

  constructor(config: CircuitBreakerConfig, onChange: OnChange) {
    this.#config = config;
    this.#onChange = onChange;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** The time of the next trial request, if none may pass now. */
  get until(): number {
    return this.#until;
  }

  /** A trial request has as long as the rest period before it. Then it counts as lost, and another trial may begin. */
  admits(now: number): boolean {
    return this.#state === 'closed' || now >= this.#until;
  }

  /** An admitted request begins. */
  begin(now: number): void {
    if (this.#state === 'closed') return;
    this.#until = now + this.#config.open_for;
    this.epoch++;
    if (this.#state !== 'half_open') this.#become('half_open');
  }

  succeeded(epoch: number): void {
    if (epoch !== this.epoch) return;
    this.#failures = 0;
    if (this.#state === 'half_open') this.#become('closed');
  }

  failed(epoch: number, now: number): void {
    if (epoch !== this.epoch || this.#state === 'open') return;
    this.#failures++;
    if (this.#state === 'closed' && this.#failures < this.#config.failures) return;
    this.#until = now + this.#config.open_for;
    this.#become('open');
  }

  /** The request ended for a reason that says nothing about the URL. The next request is the trial. */
  abandoned(epoch: number): void {
    if (epoch === this.epoch && this.#state === 'half_open') this.#until = 0;
  }

  #become(state: BreakerState): void {
    this.#state = state;
    this.epoch++;
    this.#onChange(state);
  }
}
