import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { lazily } from './lazily.ts';

/**
 * Adds prom-client's metrics about the process. Each set of these metrics watches the event loop and the garbage collector
 * until the process ends. So a process has only one set.
 */
export function addProcessMetrics(registry: Registry): void {
  for (const metric of processMetrics()) registry.registerMetric(metric);
}

const processMetrics = lazily((): readonly Metric[] => {
  const own = new Registry();
  collectDefaultMetrics({ register: own });
  return own.getMetricsAsArray() as unknown as readonly Metric[];
});
