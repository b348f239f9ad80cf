import type { Metric, Registry } from 'prom-client';
import { BOUNDS, type Measured } from '../message/tally.ts';

export interface HistogramMetric {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Returns every histogram of the metric with its labels, at the scrape. */
  readonly read: () => Iterable<readonly [labels: Readonly<Record<string, string>>, histogram: Measured]>;
}

/** prom-client's own histogram would hash its labels at every request. This one only renders existing counts. */
export function registerHistogram(registry: Registry, { name, help, labelNames, read }: HistogramMetric): void {
  const facts = { name, help, type: 'histogram', aggregator: 'sum' };
  const get = async () => ({ ...facts, values: samples(name, read()) });
  registry.registerMetric({ ...facts, labelNames, get } as unknown as Metric);
}

type Samples = ReturnType<HistogramMetric['read']>;

/** Prometheus buckets are cumulative, and in seconds. */
function samples(name: string, histograms: Samples): object[] {
  return [...histograms].flatMap(([labels, { counts, sum }]) => {
    let count = 0;
    const buckets = counts.map((each, index) => {
      count += each;
      const bound = BOUNDS[index];
      const le = bound === undefined ? '+Inf' : String(bound / 1000);
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    const totals = [
      { metricName: `${name}_sum`, labels, value: sum / 1000 },
      { metricName: `${name}_count`, labels, value: count },
    ];
    return [...buckets, ...totals];
  });
}
