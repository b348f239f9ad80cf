const BARS = ' ▁▂▃▄▅▆▇█';

/** One character for each of the last values. The largest value has the full height, and only 0 has none. */
export function sparkline(values: readonly number[], width: number): string {
  const shown = values.slice(-width);
  const largest = Math.max(1, ...shown);
  return shown.map((value) => BARS[Math.ceil((value / largest) * (BARS.length - 1))]).join('');
}
