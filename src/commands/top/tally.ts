import type { Totals } from '../../gateway/telemetry/result.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { decisionWords } from '../live/decision-words.ts';

/** Requests of a route, a client or a code. */
export interface Tallied extends Counts {
  readonly name: string;
}

interface Counts {
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
}

/** A decision, and the gateway that made it. */
export interface SeenDecision {
  readonly gateway: string;
  readonly row: JsonObject;
}

/** What the gateways did in the last 60 seconds. */
export interface Summary {
  /** Seconds that the numbers are about: at most 60. */
  readonly seconds: number;
  /** Decisions in each of the last 60 complete seconds, oldest first. They do not depend on the filter. */
  readonly history: readonly Totals[];
  /** Decisions a second. */
  readonly rates: Totals;
  /** Decisions a second, in the last five seconds. */
  readonly now: Totals;
  /** Described decisions that match the filter, and decisions that match and that the gateways left out. */
  readonly described: number;
  readonly left: number;
  /** Most requests first. */
  readonly routes: readonly Tallied[];
  readonly clients: readonly Tallied[];
  /** Codes of requests that did not pass. */
  readonly codes: readonly Tallied[];
  /** Newest first. */
  readonly newest: readonly SeenDecision[];
}

/** Decisions to count. */
export interface Counted {
  readonly gateway: string;
  readonly rows: readonly JsonObject[];
  readonly totals: Totals;
  readonly left: number;
}

/** Seconds. */
const WINDOW = 60;
const NOW = 5;
/** The newest decisions: more than a window shows. */
const KEPT = 300;

type Table = 'routes' | 'clients' | 'codes';

interface Bucket extends Record<Table, Map<string, Counts>> {
  readonly second: number;
  readonly totals: { passed: number; refused: number; failed: number };
  described: number;
  left: number;
}

const NONE: Totals = { passed: 0, refused: 0, failed: 0 };

/** Counts decisions in seconds, and forgets those that are older than a minute. Times: milliseconds of one clock. */
export class Tally {
  readonly #since: number;
  #buckets: Bucket[] = [];
  #newest: SeenDecision[] = [];

  constructor(now: number) {
    this.#since = now;
  }

  /** The same rates, without a decision in the tables: for another filter. */
  emptied(): Tally {
    const tally = new Tally(this.#since);
    tally.#buckets = this.#buckets.map(({ second, totals }) => ({ ...bucketOf(second), totals }));
    return tally;
  }

  add({ gateway, rows, totals, left }: Counted, now: number): void {
    const bucket = this.#bucketAt(now);
    for (const result of results) bucket.totals[result] += totals[result];
    bucket.left += left;
    bucket.described += rows.length;
    for (const row of rows) count(bucket, row);
    const newest = rows.map((row) => ({ gateway, row })).reverse();
    this.#newest = [...newest, ...this.#newest].slice(0, KEPT);
  }

  summary(now: number): Summary {
    const second = Math.floor(now / 1000);
    const buckets = this.#buckets.filter((each) => each.second > second - WINDOW);
    const seconds = Math.min(WINDOW, Math.max(1, (now - this.#since) / 1000));
    const history = this.#history(second);
    const complete = Math.min(NOW, Math.floor(seconds));
    return {
      seconds: Math.round(seconds),
      history,
      rates: rateOf(
        buckets.map(({ totals }) => totals),
        seconds,
      ),
      now: rateOf(history.slice(-complete), complete),
      described: sum(buckets.map(({ described }) => described)),
      left: sum(buckets.map(({ left }) => left)),
      routes: merged(buckets, 'routes'),
      clients: merged(buckets, 'clients'),
      codes: merged(buckets, 'codes'),
      newest: this.#newest,
    };
  }

  #history(second: number): readonly Totals[] {
    const known = new Map(this.#buckets.map((bucket) => [bucket.second, bucket.totals]));
    return Array.from({ length: WINDOW }, (_, at) => known.get(second - WINDOW + at) ?? NONE);
  }

  #bucketAt(now: number): Bucket {
    const second = Math.floor(now / 1000);
    const last = this.#buckets.at(-1);
    if (last?.second === second) return last;
    const bucket = bucketOf(second);
    this.#buckets = [...this.#buckets.filter((each) => each.second >= second - WINDOW), bucket];
    return bucket;
  }
}

function bucketOf(second: number): Bucket {
  const tables = { routes: new Map(), clients: new Map(), codes: new Map() };
  return { second, totals: { ...NONE }, described: 0, left: 0, ...tables };
}

export const results = ['passed', 'refused', 'failed'] as const;

function count(bucket: Bucket, row: JsonObject): void {
  const { route, client, code, status, result } = decisionWords(row);
  const one = { requests: 1, refused: result === 'refused' ? 1 : 0, failed: result === 'failed' ? 1 : 0 };
  addTo(bucket.routes, route, one);
  addTo(bucket.clients, client, one);
  if (result !== 'passed') addTo(bucket.codes, code === 'forwarded' ? `upstream ${status}` : code, one);
}

const ZERO: Counts = { requests: 0, refused: 0, failed: 0 };

function addTo(table: Map<string, Counts>, name: string, more: Counts): void {
  const { requests, refused, failed } = table.get(name) ?? ZERO;
  const sums = { requests: requests + more.requests, refused: refused + more.refused, failed: failed + more.failed };
  table.set(name, sums);
}

function merged(buckets: readonly Bucket[], table: Table): readonly Tallied[] {
  const all = new Map<string, Counts>();
  for (const bucket of buckets) for (const [name, counts] of bucket[table]) addTo(all, name, counts);
  const rows = [...all].map(([name, counts]) => ({ name, ...counts }));
  return rows.sort((one, other) => other.requests - one.requests || (one.name < other.name ? -1 : 1));
}

function rateOf(totals: readonly Totals[], seconds: number): Totals {
  const of = (result: keyof Totals) => sum(totals.map((each) => each[result])) / Math.max(1, seconds);
  return { passed: of('passed'), refused: of('refused'), failed: of('failed') };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
