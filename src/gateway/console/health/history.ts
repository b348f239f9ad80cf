import type { Clock } from '../../../base/clock.ts';
import { NO_TOTALS, resultOf, type Totals } from '../../telemetry/result.ts';
import { Measures, type MetricValues, percentile } from './measures.ts';

/** Milliseconds between two points, and for how long the points are kept: 15 minutes. */
const EVERY = 5_000;
const KEPT = 15 * 60_000;

/** What happened between the previous point and this one. */
export interface HealthPoint {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Requests a second. */
  readonly passed: number;
  readonly refused: number;
  readonly failed: number;
  /** Milliseconds of whole requests. Undefined: there were none. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
  /** Milliseconds of the gateway's own work. */
  readonly own_p99: number | undefined;
  readonly in_flight: number;
  /** Bytes of all processes. */
  readonly memory: number;
}

interface Scrape {
  readonly time: number;
  readonly measures: Measures;
  readonly totals: Totals;
  readonly requests: ReadonlyMap<number, number>;
  readonly own: ReadonlyMap<number, number>;
}

/**
 * Reads the metrics every five seconds while the console is open, and for 15 minutes after that. Otherwise it costs nothing.
 */
export class HealthHistory {
  readonly #metrics: () => Promise<MetricValues>;
  readonly #clock: Clock;
  #points: HealthPoint[] = [];
  #last: Scrape | undefined;
  #pending: Promise<Scrape> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wanted = 0;
  readonly #hits = new Map<string, { readonly count: number; readonly time: number | undefined }>();

  constructor(metrics: () => Promise<MetricValues>, clock: Clock) {
    this.#metrics = metrics;
    this.#clock = clock;
  }

  get points(): readonly HealthPoint[] {
    return this.#points;
  }

  /**
   * The time of a route's last requests: milliseconds since the epoch. Undefined: unknown, because no console was open then.
   */
  lastHit(route: string): number | undefined {
    return this.#hits.get(route)?.time;
  }

  /** The newest numbers, at most five seconds old. From now on, the history continues for 15 minutes. */
  async look(): Promise<Measures> {
    this.#wanted = this.#clock.now() + KEPT;
    this.#timer ??= setInterval(() => this.#tick(), EVERY).unref();
    const isFresh = this.#last !== undefined && this.#clock.now() - this.#last.time < EVERY;
    return (isFresh ? (this.#last as Scrape) : await this.#scrape()).measures;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    // The next point would be an average of the whole pause.
    this.#last = undefined;
  }

  #tick(): void {
    if (this.#clock.now() > this.#wanted) this.close();
    else void this.#scrape().catch(() => {});
  }

  /** One at a time: several pages may ask at once. */
  #scrape(): Promise<Scrape> {
    this.#pending ??= this.#take().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #take(): Promise<Scrape> {
    const measures = new Measures(await this.#metrics());
    const scrape: Scrape = {
      time: this.#clock.now(),
      measures,
      totals: totalsOf(measures),
      requests: measures.buckets('gatehouse_request_duration_seconds'),
      own: measures.buckets('gatehouse_gateway_duration_seconds'),
    };
    this.#note(scrape);
    if (this.#last !== undefined) this.#points.push(pointOf(this.#last, scrape));
    this.#points = this.#points.filter(({ time }) => time > scrape.time - KEPT);
    this.#last = scrape;
    return scrape;
  }

  #note({ time, measures }: Scrape): void {
    const counts = new Map<string, number>();
    for (const { labels, value } of measures.all('gatehouse_requests_total')) {
      const route = String(labels.route);
      counts.set(route, (counts.get(route) ?? 0) + value);
    }
    for (const [route, count] of counts) {
      // In the first reading, and in the first one after a pause, the requests may be old.
      const known = this.#last === undefined ? undefined : time;
      if (this.#hits.get(route)?.count !== count) this.#hits.set(route, { count, time: known });
    }
  }
}

function totalsOf(measures: Measures): Totals {
  const totals = { ...NO_TOTALS };
  for (const { labels, value } of measures.all('gatehouse_requests_total')) {
    const { code, status_class: status } = labels;
    // The metric has only the class of the status, such as 5xx.
    totals[resultOf(String(code), Number(String(status)[0]) * 100 || 0)] += value;
  }
  return totals;
}

function pointOf(before: Scrape, now: Scrape): HealthPoint {
  const seconds = Math.max(0.001, (now.time - before.time) / 1000);
  const rate = (name: keyof Totals) => Math.max(0, now.totals[name] - before.totals[name]) / seconds;
  const requests = (share: number) => percentile(before.requests, now.requests, share);
  return {
    time: now.time,
    passed: rate('passed'),
    refused: rate('refused'),
    failed: rate('failed'),
    p50: requests(0.5),
    p95: requests(0.95),
    p99: requests(0.99),
    own_p99: percentile(before.own, now.own, 0.99),
    in_flight: now.measures.sum('gatehouse_upstream_requests_in_flight'),
    memory: now.measures.sum('process_resident_memory_bytes'),
  };
}
