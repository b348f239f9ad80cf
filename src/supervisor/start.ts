import { availableParallelism } from 'node:os';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import { type GatewayOptions, type RunningGateway, startGateway } from '../gateway/lifecycle/start.ts';
import { startSupervisor } from './primary.ts';

/** `workers: 1` runs one process. Several workers have a primary. */
export function startByWorkers(options: GatewayOptions): Promise<RunningGateway> {
  const workers = workersOf(options.config);
  return workers === 1 ? startGateway(options) : startSupervisor({ ...options, workers });
}

/**
 * `auto`: the number of processes that can run at the same time. In a confined process, it is lower than the number of
 * cores.
 */
function workersOf({ workers }: Pick<GatewayConfig, 'workers'>): number {
  return workers === 'auto' ? availableParallelism() : workers;
}
