import type { Ratio } from './ratio.ts';

export const engines = ['own', 'undici'] as const;
/** What the gateway speaks to its upstream with. */
export type Engine = (typeof engines)[number];

/** Which code reads requests of HTTP/1.1. */
export type Listener = 'node' | 'auto';

/** The name of our gateway where rows compare listeners. */
export function nameBy(listener: Listener): string {
  return `Gatehouse, listener ${listener}`;
}

export interface PartBench {
  readonly rounds: number;
  /** Of load in each turn. */
  readonly seconds: number;
  readonly connections: number;
  /** Whose gateway is judged, and measured where only one is. */
  readonly engine: Engine;
  readonly say: (message: string) => void;
}

/** By the key of a column. */
export type Figures = Readonly<Record<string, number>>;

/** One row in one round. */
export interface Turn {
  readonly name: string;
  readonly round: number;
  readonly figures: Figures;
}

export interface Column {
  readonly key: string;
  readonly title: string;
  /** Behind the point. */
  readonly digits: number;
}

/** A column of ratios: CPU time a request, to that of another row in the same round. */
export interface Beside {
  readonly title: string;
  /** The name of that row; undefined where there is nothing to compare with. */
  readonly to: (name: string) => string | undefined;
}

/** The figures of a row in one round; undefined for a row that was not measured. */
export type Round = (name: string) => Figures | undefined;

/** What is demanded of a figure. Less is better. */
export interface Bar {
  readonly title: string;
  /** Of one round; NaN where something for it was not measured. */
  readonly value: (round: Round) => number;
  readonly bar: number;
  readonly goal: number;
}

export interface JudgedBar {
  readonly title: string;
  /** Of the rounds; undefined when it was not measured. */
  readonly value: Ratio | undefined;
  /** The same of the least figure of each row: what else runs on the machine only ever adds. Judged is the median. */
  readonly quietest: number | undefined;
  readonly bar: number;
  readonly goal: number;
  readonly met: boolean;
  readonly goalMet: boolean;
}

/** Some rows that are measured together, and can be measured alone. */
export interface Part {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly Column[];
  readonly beside: readonly Beside[];
  readonly bars: (bench: PartBench) => readonly Bar[];
  readonly measure: (bench: PartBench) => Promise<readonly Turn[]>;
}

/** Of a turn of load. */
export const loadColumns: readonly Column[] = [
  { key: 'perSecond', title: 'requests/s', digits: 0 },
  { key: 'cpu', title: 'CPU µs', digits: 1 },
  { key: 'user', title: 'user', digits: 1 },
  { key: 'system', title: 'system', digits: 1 },
  { key: 'p50', title: 'p50 ms', digits: 2 },
  { key: 'p99', title: 'p99 ms', digits: 2 },
  { key: 'p999', title: 'p99.9 ms', digits: 2 },
  { key: 'memory', title: 'RSS MiB', digits: 0 },
];

/** CPU time a request of one row, to that of another. */
export function cpuRatio(of: string, to: string): Bar['value'] {
  return (round) => (round(of)?.cpu ?? Number.NaN) / (round(to)?.cpu ?? Number.NaN);
}
