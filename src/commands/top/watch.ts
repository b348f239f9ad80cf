import { followReplicas, type LiveEvent } from '../live/follow-replicas.ts';
import type { Replica } from '../live/replica.ts';
import { type GatewayState, GatewayStates } from './gateway-states.ts';
import { type Summary, Tally } from './tally.ts';

/** What a view shows. */
export interface View {
  readonly gateways: readonly GatewayState[];
  readonly summary: Summary;
}

/** Follows the gateways with one filter, and counts what they decide. */
export class Watch {
  readonly #over = new AbortController();
  readonly #states: GatewayStates;
  readonly #settled = Promise.withResolvers<void>();
  /** Undefined: no gateway is connected yet. */
  #tally: Tally | undefined;
  /** Resolves when the watch ends, or when every gateway refuses. */
  readonly ended: Promise<void>;

  /** `before`: the watch with the previous filter, whose rates stay. */
  constructor(replicas: readonly Replica[], filter: string, before?: Watch) {
    if (before !== undefined) this.#tally = before.#tally?.emptied();
    this.#states = new GatewayStates(replicas);
    this.ended = followReplicas(replicas, filter, (...event) => this.#take(...event), this.#over.signal);
  }

  #take(replica: Replica, event: LiveEvent): void {
    this.#states.take(replica, event);
    if (event.kind === 'connected') this.#tally ??= new Tally(performance.now());
    if (event.kind === 'batch') this.#tally?.add({ gateway: replica.name, ...event }, performance.now());
    if (this.#states.isSettled) this.#settled.resolve();
  }

  view(): View {
    const now = performance.now();
    return { gateways: this.#states.all, summary: (this.#tally ?? new Tally(now)).summary(now) };
  }

  /** Resolves when the first attempt with each gateway has succeeded or failed. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** True if no gateway is left that could be tried again. */
  get isRefused(): boolean {
    return this.#states.all.every(({ state }) => state === 'refused');
  }

  get isConnected(): boolean {
    return this.#states.all.some(({ state }) => state === 'connected');
  }

  close(): void {
    this.#over.abort();
  }
}
