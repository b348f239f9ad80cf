import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';
import { countingGauges } from '../gateway/lifecycle/metrics.ts';
import type { MetricSnapshot } from './messages.ts';

/** The metrics of all workers, combined. The end of a worker reduces no counter. */
export interface SummedMetrics {
  /** The worker's last snapshot counts while it does not answer. */
  saw(worker: object, snapshot: MetricSnapshot): void;
  /** The worker's counters stay, and its gauges are dropped. */
  left(worker: object): void;
  /** Includes the primary's own metrics. */
  text(own: Registry): Promise<string>;
  /** The same as values. */
  values(own: Registry): Promise<MetricSnapshot>;
}

export function summedMetrics(): SummedMetrics {
  const last = new Map<object, MetricSnapshot>();
  let gone: MetricSnapshot = [];
  const combined = async (own: Registry) => {
    const before = gone;
    const folded = await aggregate([before]).getMetricsAsJSON();
    // Meanwhile another worker may have left.
    if (gone === before) gone = folded;
    return aggregate([await own.getMetricsAsJSON(), ...last.values(), gone]);
  };
  return {
    saw: (worker, snapshot) => void last.set(worker, snapshot),
    left(worker) {
      gone = [...gone, ...(last.get(worker) ?? []).filter(isCounted)];
      last.delete(worker);
    },
    text: async (own) => (await combined(own)).metrics(),
    values: async (own) => (await combined(own)).getMetricsAsJSON(),
  };
}

function aggregate(snapshots: readonly MetricSnapshot[]): Registry<PrometheusContentType> {
  return AggregatorRegistry.aggregate<PrometheusContentType>(snapshots.map((each) => [...each]));
}

function isCounted({ name, type }: MetricSnapshot[number]): boolean {
  // prom-client writes strings here, although its types say numbers.
  return ['counter', 'histogram'].includes(String(type)) || countingGauges.has(name);
}

/** The metrics in a form for another process. An unknown value has no number. */
export async function snapshotOf(registry: Registry): Promise<MetricSnapshot> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map((metric) => ({ ...metric, values: metric.values.filter(({ value }) => Number.isFinite(value)) }));
}
