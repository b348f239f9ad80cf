export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** For people. */
  readonly text: string;
}

/** Of milliseconds. */
export function percentiles(times: readonly number[]): Percentiles {
  const sorted = [...times].sort((left, right) => left - right);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
  const [p50, p99, max] = [at(0.5), at(0.99), at(1)];
  return { p50, p99, max, text: `p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)}, max ${max.toFixed(0)} ms` };
}
