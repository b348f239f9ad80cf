import { availableParallelism } from 'node:os';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import { type GatewayOptions, type RunningGateway, startGateway } from '../gateway/lifecycle/start.ts';
import { startSupervisor } from './primary.ts';

/** `workers: 1` is one process and nothing else; several have a primary. */
export function startByWorkers(options: GatewayOptions): Promise<RunningGateway> {
  const workers = workersOf(options.config);
  return workers === 1 ? startGateway(options) : startSupervisor({ ...options, workers });
}

/** `auto`: as many as may run at the same time, which is fewer than the machine has cores where the process is confined. */
function workersOf({ workers }: Pick<GatewayConfig, 'workers'>): number {
  return workers === 'auto' ? availableParallelism() : workers;
}
