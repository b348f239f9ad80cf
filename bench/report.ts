import type { Measured } from './wrk.ts';

/** One contender in one round. */
export interface Run extends Measured {
  readonly name: string;
  /** Microseconds of CPU time a request, of the contender's processes. */
  readonly cpu: number;
}

/** Of all rounds: medians. */
export interface Result {
  readonly name: string;
  readonly cpu: number;
  readonly ofFloor: number;
  readonly ofNginx: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export function summarize(runs: readonly Run[]): Result[] {
  const names = [...new Set(runs.map(({ name }) => name))];
  const cpu = (name: string) => median(runs.filter((run) => run.name === name).map((run) => run.cpu));
  return names.map((name) => {
    const own = runs.filter((run) => run.name === name);
    const middle = (key: 'perSecond' | 'p50' | 'p99') => median(own.map((run) => run[key]));
    return {
      name,
      cpu: cpu(name),
      ofFloor: cpu(name) / cpu('floor'),
      ofNginx: cpu(name) / cpu('nginx proxy_pass'),
      perSecond: middle('perSecond'),
      p50: middle('p50'),
      p99: middle('p99'),
    };
  });
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

const columns: readonly { readonly title: string; readonly cell: (result: Result) => string }[] = [
  { title: 'contender', cell: ({ name }) => name },
  { title: 'CPU µs/request', cell: ({ cpu }) => cpu.toFixed(1) },
  { title: '÷ floor', cell: ({ ofFloor }) => ofFloor.toFixed(2) },
  { title: '÷ nginx', cell: ({ ofNginx }) => ofNginx.toFixed(2) },
  { title: 'requests/s', cell: ({ perSecond }) => perSecond.toFixed(0) },
  { title: 'p50 ms', cell: ({ p50 }) => p50.toFixed(2) },
  { title: 'p99 ms', cell: ({ p99 }) => p99.toFixed(2) },
];

export function table(results: readonly Result[]): string {
  return aligned([
    columns.map(({ title }) => title),
    ...results.map((result) => columns.map(({ cell }) => cell(result))),
  ]);
}

/** Rows of one length, the first of them titles. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ');
  return rows.map(line).join('\n');
}
