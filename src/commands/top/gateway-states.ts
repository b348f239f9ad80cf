import type { LiveEvent } from '../live/follow-replicas.ts';
import type { Replica } from '../live/replica.ts';

/** The connection to one gateway. */
export interface GatewayState {
  readonly gateway: string;
  readonly state: 'connected' | 'waiting' | 'refused';
  /** Why the command is not connected. Undefined: it is connected, or there was no answer yet. */
  readonly detail?: string;
}

const states = { connected: 'connected', lost: 'waiting', refused: 'refused' } as const;

/** The connections to all gateways. */
export class GatewayStates {
  readonly #states: Map<string, GatewayState>;

  constructor(replicas: readonly Replica[]) {
    this.#states = new Map(replicas.map(({ name }) => [name, { gateway: name, state: 'waiting' }]));
  }

  take({ name }: Replica, event: LiveEvent): void {
    if (event.kind === 'batch') return;
    const detail = event.kind === 'connected' ? {} : { detail: event.detail };
    this.#states.set(name, { gateway: name, state: states[event.kind], ...detail });
  }

  /** True if each gateway has answered, or failed to. */
  get isSettled(): boolean {
    return this.all.every(({ state, detail }) => state === 'connected' || detail !== undefined);
  }

  get all(): readonly GatewayState[] {
    return [...this.#states.values()];
  }
}
