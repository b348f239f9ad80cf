/**
 * A place is one combination of status class and method. Both are few, whatever clients and upstreams send. The most
 * common answer, 2xx to GET, has place 0.
 */
const CLASSES = ['2xx', '3xx', '4xx', '5xx', '1xx', 'none'] as const;

/** RFC 9110 §9.3, and PATCH (RFC 5789). */
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'other'] as const;

export const PLACES: number = CLASSES.length * METHODS.length;

/** The first digit of a status → its class. */
const classes: readonly number[] = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'].map((each) =>
  CLASSES.indexOf(each as (typeof CLASSES)[number]),
);
const NONE = CLASSES.indexOf('none');
const methods: ReadonlyMap<string, number> = new Map(METHODS.map((method, index) => [method, index]));
const OTHER = METHODS.indexOf('other');

/** Upper bounds of the buckets, in milliseconds. One more bucket has no bound. */
export const BOUNDS: readonly number[] = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000,
];

/** A histogram's values for a scrape. */
export interface Measured {
  /** One for each bucket. */
  readonly counts: readonly number[];
  /** Milliseconds. */
  readonly sum: number;
}

/** Counts durations. Every request adds to some histograms, so adding is a short loop and two sums. */
export class Histogram implements Measured {
  readonly counts: number[] = new Array<number>(BOUNDS.length + 1).fill(0);
  sum = 0;

  add(milliseconds: number): void {
    const bucket = bucketOf(milliseconds);
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.sum += milliseconds;
  }
}

export function bucketOf(milliseconds: number): number {
  let bucket = 0;
  while (bucket < BOUNDS.length && milliseconds > (BOUNDS[bucket] as number)) bucket++;
  return bucket;
}

/**
 * A code counts at most this many reasons separately. Values that clients can vary must not fill memory and dashboards.
 */
const MOST_REASONS = 16;

const REQUESTS_SUM = 0;
const UPSTREAM_SUM = 1;
/** The index of the first count of forwarded requests, one for each place. The most common one is next to the sums. */
const FORWARDED = 2;
/**
 * The index of the first bucket. The buckets of both histograms alternate, so that one request writes adjacent numbers.
 */
const BUCKETS = FORWARDED + PLACES;
const BUCKET_COUNT = BOUNDS.length + 1;
const WIDTH = BUCKETS + 2 * BUCKET_COUNT;
/** The number of tallies in one block of memory. */
const CHUNK = 256;

/** The facts of one request that its route counts. */
export interface CountedRequest extends CountedAnswer {
  readonly code: string;
  /** Empty: the code says everything. */
  readonly reason: string;
  readonly milliseconds: number;
  readonly upstream: number | undefined;
}

/** Makes tallies whose numbers are close together in memory, because requests may spread over thousands of routes. */
export function tallies(): () => RouteTally {
  let numbers = new Float64Array(0);
  let next = 0;
  return () => {
    if (next === numbers.length) [numbers, next] = [new Float64Array(WIDTH * CHUNK), 0];
    const tally = new RouteTally(numbers, next);
    next += WIDTH;
    return tally;
  };
}

const UNTOLD: CountedAnswer = { status: undefined, method: undefined };

/** A number of requests with the same labels. */
export interface Counts {
  readonly code: string;
  readonly reason: string;
  readonly status_class: string;
  readonly method: string;
  readonly count: number;
}

/** Counts the requests of one route. */
export class RouteTally {
  readonly #numbers: Float64Array;
  readonly #at: number;
  /** Code → reason → place of the answer → count. */
  #others: Map<string, Map<string, Map<number, number>>> | undefined;

  constructor(numbers: Float64Array, at: number) {
    this.#numbers = numbers;
    this.#at = at;
  }

  add(counted: CountedRequest): void {
    const { code, reason, milliseconds, upstream } = counted;
    this.#measure(REQUESTS_SUM, 0, milliseconds);
    if (upstream !== undefined) this.#measure(UPSTREAM_SUM, 1, upstream);
    if (code === 'forwarded' && reason === '') this.#increase(FORWARDED + slotOf(counted), 1);
    else this.count(code, reason, counted);
  }

  /** Also counts bytes that never became a request. */
  count(code: string, reason = '', answer: CountedAnswer = UNTOLD): void {
    this.#others ??= new Map();
    const reasons = this.#others.get(code) ?? new Map<string, Map<number, number>>();
    this.#others.set(code, reasons);
    const bounded = reasons.has(reason) || reasons.size < MOST_REASONS ? reason : 'other';
    const places = reasons.get(bounded) ?? new Map<number, number>();
    reasons.set(bounded, places);
    const place = slotOf(answer);
    places.set(place, (places.get(place) ?? 0) + 1);
  }

  get requests(): Measured {
    return this.#histogram(REQUESTS_SUM, 0);
  }

  /** The time to the first byte of an upstream's answer. */
  get upstream(): Measured {
    return this.#histogram(UPSTREAM_SUM, 1);
  }

  get isEmpty(): boolean {
    return this.counts().next().done === true;
  }

  *counts(): Generator<Counts, void> {
    for (let place = 0; place < PLACES; place++) {
      const count = this.#read(FORWARDED + place);
      if (count > 0) yield { code: 'forwarded', reason: '', ...labelsOf(place), count };
    }
    for (const [code, reasons] of this.#others ?? []) {
      for (const [reason, places] of reasons)
        for (const [place, count] of places) yield { code, reason, ...labelsOf(place), count };
    }
  }

  #measure(sum: number, histogram: 0 | 1, milliseconds: number): void {
    this.#increase(sum, milliseconds);
    this.#increase(BUCKETS + 2 * bucketOf(milliseconds) + histogram, 1);
  }

  #increase(place: number, by: number): void {
    const at = this.#at + place;
    this.#numbers[at] = (this.#numbers[at] as number) + by;
  }

  #read(place: number): number {
    return this.#numbers[this.#at + place] as number;
  }

  #histogram(sum: number, histogram: 0 | 1): Measured {
    const counts = Array.from({ length: BUCKET_COUNT }, (_, bucket) => this.#read(BUCKETS + 2 * bucket + histogram));
    return { counts, sum: this.#read(sum) };
  }
}

export interface CountedAnswer {
  /** Undefined: no answer began. A status above 599 counts as 5xx (RFC 9110 §15). */
  readonly status: number | undefined;
  /** Undefined: no method was read. */
  readonly method: string | undefined;
}

export function slotOf({ status, method }: CountedAnswer): number {
  const group = status === undefined ? NONE : (classes[Math.min(5, Math.floor(status / 100))] as number);
  return group * METHODS.length + (methods.get(method as string) ?? OTHER);
}

/** As labels of a metric. */
export function labelsOf(place: number): { readonly status_class: string; readonly method: string } {
  const group = Math.floor(place / METHODS.length);
  return { status_class: CLASSES[group] as string, method: METHODS[place - group * METHODS.length] as string };
}
