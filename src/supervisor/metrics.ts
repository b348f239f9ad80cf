import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';
import { countingGauges } from '../gateway/lifecycle/metrics.ts';
import type { MetricSnapshot } from './messages.ts';

/** Metrics of all workers as one, which no death of a worker makes smaller. */
export interface SummedMetrics {
  /** What a worker told last stands for it while it does not answer. */
  saw(worker: object, snapshot: MetricSnapshot): void;
  /** Its counters stay; its gauges go. */
  left(worker: object): void;
  /** With those of the primary itself. */
  text(own: Registry): Promise<string>;
}

export function summedMetrics(): SummedMetrics {
  const last = new Map<object, MetricSnapshot>();
  let gone: MetricSnapshot = [];
  return {
    saw: (worker, snapshot) => void last.set(worker, snapshot),
    left(worker) {
      gone = [...gone, ...(last.get(worker) ?? []).filter(isCounted)];
      last.delete(worker);
    },
    async text(own) {
      const before = gone;
      const folded = await aggregate([before]).getMetricsAsJSON();
      // Another worker may have left meanwhile.
      if (gone === before) gone = folded;
      return aggregate([await own.getMetricsAsJSON(), ...last.values(), gone]).metrics();
    },
  };
}

function aggregate(snapshots: readonly MetricSnapshot[]): Registry<PrometheusContentType> {
  return AggregatorRegistry.aggregate<PrometheusContentType>(snapshots.map((each) => [...each]));
}

function isCounted({ name, type }: MetricSnapshot[number]): boolean {
  // prom-client writes words, and its types say numbers.
  return ['counter', 'histogram'].includes(String(type)) || countingGauges.has(name);
}

/** In a form for another process: an unknown value has no number. */
export async function snapshotOf(registry: Registry): Promise<MetricSnapshot> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map((metric) => ({ ...metric, values: metric.values.filter(({ value }) => Number.isFinite(value)) }));
}
