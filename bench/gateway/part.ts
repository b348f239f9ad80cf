import type { Ratio } from './ratio.ts';

export const engines = ['own', 'undici'] as const;
/** The engine with which the gateway talks to its upstream. */
export type Engine = (typeof engines)[number];

/** Which code reads HTTP/1.1 requests. */
export type Listener = 'node' | 'auto';

/** The name of our gateway in rows that compare listeners. */
export function nameBy(listener: Listener): string {
  return `Gatehouse, listener ${listener}`;
}

/** The name of our gateway whose file has no key for the listener and none for the engine. */
export const BY_DEFAULT = 'Gatehouse, default file';

export interface PartBench {
  readonly rounds: number;
  /** Seconds of load in each turn. */
  readonly seconds: number;
  readonly connections: number;
  /** The gateway that must meet the limits, and the only one measured where a part has one. */
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
  /** Digits after the decimal point. */
  readonly digits: number;
}

/** A column of ratios: CPU time a request, relative to another row in the same round. */
export interface Beside {
  readonly title: string;
  /** The name of that row; undefined if there is nothing to compare with. */
  readonly to: (name: string) => string | undefined;
}

/** The figures of a row in one round; undefined for a row that was not measured. */
export type Round = (name: string) => Figures | undefined;

/** A limit for a figure. Less is better. */
export interface Bar {
  readonly title: string;
  /** The value of one round; NaN if a figure for it was not measured. */
  readonly value: (round: Round) => number;
  readonly bar: number;
  readonly goal: number;
}

export interface JudgedBar {
  readonly title: string;
  /** The value of all rounds; undefined if it was not measured. */
  readonly value: Ratio | undefined;
  /** The same for the minimum of each row, because other work on the machine only adds time. The median decides. */
  readonly quietest: number | undefined;
  readonly bar: number;
  readonly goal: number;
  readonly met: boolean;
  readonly goalMet: boolean;
}

/** Rows that are measured together, and that can be measured alone. */
export interface Part {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly Column[];
  readonly beside: readonly Beside[];
  readonly bars: (bench: PartBench) => readonly Bar[];
  readonly measure: (bench: PartBench) => Promise<readonly Turn[]>;
}

/** Seconds of a turn of load. */
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

/** CPU time a request of one row, relative to another. */
export function cpuRatio(of: string, to: string): Bar['value'] {
  return (round) => (round(of)?.cpu ?? Number.NaN) / (round(to)?.cpu ?? Number.NaN);
}
