/** Upper bounds of the buckets, milliseconds; one more bucket takes the rest. */
export const BOUNDS: readonly number[] = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000,
];

/** What a histogram shows of itself. */
export interface Measured {
  /** One for each bucket. */
  readonly counts: readonly number[];
  /** Milliseconds. */
  readonly sum: number;
}

/** How long something took, how often. Every request adds to some of these, so adding is a short loop and two sums. */
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
