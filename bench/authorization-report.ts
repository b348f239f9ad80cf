import { YARDSTICK } from './authorization-place.ts';
import type { cores } from './cores.ts';
import type { PlaceOfData, SyncTime } from './disk.ts';
import { aligned, median } from './report.ts';
import type { Measured } from './wrk.ts';

/** One contender under one workload in one round. */
export interface AuthorizationRun extends Measured {
  readonly name: string;
  readonly workload: string;
  readonly round: number;
  /** Microseconds of CPU time a request: of the service, and of its database if that is a separate process. */
  readonly cpu: number;
  readonly databaseCpu: number;
}

export interface AuthorizationResult {
  readonly workload: string;
  readonly name: string;
  /** Medians. */
  readonly perSecond: number;
  readonly cpu: number;
  readonly databaseCpu: number;
  readonly p50: number;
  readonly p99: number;
  /** Requests a second, relative to oidc-provider in the same round. */
  readonly ratio: Spread;
  /**
   * CPU of oidc-provider in the same round, relative to the service's CPU: how many times the service could answer in
   * the same time.
   */
  readonly cpuRatio: Spread;
}

interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface AuthorizationReport {
  readonly results: readonly AuthorizationResult[];
  readonly runs: readonly AuthorizationRun[];
  readonly sync: Readonly<Partial<Record<PlaceOfData, SyncTime>>>;
  readonly cores: typeof cores;
  /** The machine's load average over one minute, before and after. */
  readonly load: readonly [before: number, after: number];
  readonly absent: readonly string[];
}

export function summarizeAuthorization(runs: readonly AuthorizationRun[]): AuthorizationResult[] {
  const keys = new Set(runs.map(({ workload, name }) => JSON.stringify([workload, name])));
  return [...keys].map((key) => {
    const [workload, name] = JSON.parse(key) as [string, string];
    const own = runs.filter((run) => run.workload === workload && run.name === name);
    const middle = (of: 'perSecond' | 'cpu' | 'databaseCpu' | 'p50' | 'p99') => median(own.map((run) => run[of]));
    const beside = own.map((run) => [run, besides(runs, run)] as const);
    return {
      workload,
      name,
      perSecond: middle('perSecond'),
      cpu: middle('cpu'),
      databaseCpu: middle('databaseCpu'),
      p50: middle('p50'),
      p99: middle('p99'),
      ratio: spread(beside.map(([run, other]) => run.perSecond / other.perSecond)),
      cpuRatio: spread(beside.map(([run, other]) => other.cpu / run.cpu)),
    };
  });
}

function besides(runs: readonly AuthorizationRun[], { workload, round }: AuthorizationRun): AuthorizationRun {
  const beside = runs.find((run) => run.workload === workload && run.round === round && run.name === YARDSTICK);
  if (beside === undefined) throw new Error(`${YARDSTICK} has no turn in round ${round} of ${workload}`);
  return beside;
}

function spread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

const columns: readonly { readonly title: string; readonly cell: (result: AuthorizationResult) => string }[] = [
  { title: 'contender', cell: ({ name }) => name },
  { title: 'requests/s', cell: ({ perSecond }) => perSecond.toFixed(0) },
  { title: '÷ oidc-provider', cell: ({ ratio }) => ratio.median.toFixed(2) },
  { title: 'least–most', cell: ({ ratio }) => range(ratio) },
  { title: 'CPU µs/request', cell: ({ cpu }) => cpu.toFixed(0) },
  { title: 'oidc-provider ÷', cell: ({ cpuRatio }) => cpuRatio.median.toFixed(2) },
  { title: 'least–most', cell: ({ cpuRatio }) => range(cpuRatio) },
  { title: 'of the database', cell: ({ databaseCpu }) => (databaseCpu === 0 ? '' : databaseCpu.toFixed(0)) },
  { title: 'p50 ms', cell: ({ p50 }) => p50.toFixed(1) },
  { title: 'p99 ms', cell: ({ p99 }) => p99.toFixed(1) },
];

function range({ least, most }: Spread): string {
  return `${least.toFixed(2)}–${most.toFixed(2)}`;
}

export function authorizationTable({ results, sync, cores, load, absent }: AuthorizationReport): string {
  const tables = Map.groupBy(results, ({ workload }) => workload);
  return [
    ...[...tables].map(([workload, rows]) => `${workload}\n${tableOf(rows)}`),
    [
      ...Object.entries(sync).map(
        ([place, time]) =>
          `fdatasync of 4 KiB on ${place}: ${time.median.toFixed(3)} ms, p99 ${time.p99.toFixed(3)} ms`,
      ),
      `cores: ${cores === undefined ? 'not assigned' : JSON.stringify(cores)}`,
      `load average: ${load.map((each) => each.toFixed(2)).join(' before, ')} after`,
      ...absent.map((line) => `absent: ${line}`),
    ].join('\n'),
  ].join('\n\n');
}

function tableOf(results: readonly AuthorizationResult[]): string {
  return aligned([columns.map(({ title }) => title), ...results.map((row) => columns.map(({ cell }) => cell(row)))]);
}
