import { Gauge, type Registry } from 'prom-client';

export interface GaugeMetric<Subject> {
  readonly name: string;
  readonly help: string;
  /** How the values of several workers are combined. Default: `sum`. */
  readonly aggregator?: 'min' | 'max' | 'sum';
  /** Undefined: the value is unknown (NaN). */
  read(subject: Subject): number | undefined;
}

export interface GaugesOf<Label extends string, Subject> {
  readonly labelNames: readonly Label[];
  readonly gauges: readonly GaugeMetric<Subject>[];
  /** The resources at the time of the scrape. A resource that no longer exists has no value. */
  each(): Iterable<readonly [labels: Readonly<Record<Label, string>>, subject: Subject]>;
}

/** Gauges that read the same resources at each scrape. */
export function registerGauges<Label extends string, Subject>(
  registry: Registry,
  { labelNames, gauges, each }: GaugesOf<Label, Subject>,
): void {
  for (const { name, help, aggregator = 'sum', read } of gauges) {
    new Gauge({
      name,
      help,
      aggregator,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const [labels, subject] of each()) this.set(labels, read(subject) ?? Number.NaN);
      },
    });
  }
}
