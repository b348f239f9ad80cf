import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The metrics of the gateway, of all workers together. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Values that are no number do not count. */
export function sumOf(values: MetricValues[number]['values']): number {
  return values.reduce((total, { value }) => total + (Number.isFinite(value) ? value : 0), 0);
}

/** Finds numbers in the metrics by name. */
export class Measures {
  readonly #byName: ReadonlyMap<string, MetricValues[number]['values']>;

  constructor(metrics: MetricValues) {
    this.#byName = new Map(metrics.map(({ name, values }) => [name, values]));
  }

  /** Undefined: there is no such number. */
  one(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.all(name).find((each) =>
      Object.entries(labels).every(([key, value]) => each.labels[key] === value),
    );
    return found !== undefined && Number.isFinite(found.value) ? found.value : undefined;
  }

  all(name: string): MetricValues[number]['values'] {
    return this.#byName.get(name) ?? [];
  }

  sum(name: string): number {
    return sumOf(this.all(name));
  }

  /** Cumulative counts by upper bound in seconds, of all label values together. */
  buckets(name: string): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (const { labels, value, ...more } of this.all(name)) {
      const { metricName } = more as { readonly metricName?: string };
      if (metricName !== `${name}_bucket`) continue;
      const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
      counts.set(bound, (counts.get(bound) ?? 0) + value);
    }
    return counts;
  }
}

/**
 * A percentile of the durations between two scrapes, in milliseconds: this share of the requests did not take longer.
 * The buckets limit how exact it is. Undefined: there were no requests.
 */
export function percentile(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
  share: number,
): number | undefined {
  const bounds = [...after.keys()].sort((one, other) => one - other);
  const counts = bounds.map((bound) => (after.get(bound) as number) - (before.get(bound) ?? 0));
  const total = counts.at(-1) ?? 0;
  if (total <= 0) return undefined;
  const index = counts.findIndex((count) => count >= total * share);
  const upper = bounds[index] as number;
  const lower = index === 0 ? 0 : (bounds[index - 1] as number);
  if (upper === Number.POSITIVE_INFINITY) return lower * 1000;
  const under = index === 0 ? 0 : (counts[index - 1] as number);
  const part = (total * share - under) / ((counts[index] as number) - under);
  return (lower + (upper - lower) * part) * 1000;
}
