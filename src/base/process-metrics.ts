import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { lazily } from './lazily.ts';

/**
 * Adds what prom-client measures about the process. Each set of these metrics observes the event loop and the garbage collector
 * until the process ends, so a process has one set, whatever it starts and stops.
 */
export function addProcessMetrics(registry: Registry): void {
  for (const metric of processMetrics()) registry.registerMetric(metric);
}

const processMetrics = lazily((): readonly Metric[] => {
  const own = new Registry();
  collectDefaultMetrics({ register: own });
  return own.getMetricsAsArray() as unknown as readonly Metric[];
});
