import { median } from '../report.ts';
import type { Bar, Figures, JudgedBar, Part, PartBench, Round, Turn } from './part.ts';
import { cpuRatio } from './part.ts';
import { type Ratio, spread } from './ratio.ts';

/** For all rounds of one row: medians, and its ratios by the title of their column. */
export interface Row {
  readonly name: string;
  readonly figures: Figures;
  readonly ratios: Readonly<Record<string, Ratio>>;
}

export interface PartReport {
  readonly name: string;
  readonly about: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly engine: string;
  /** Load average of the machine. */
  readonly load: { readonly before: number; readonly after: number };
  readonly rows: readonly Row[];
  readonly bars: readonly JudgedBar[];
  readonly turns: readonly Turn[];
}

export function judge(
  part: Part,
  { rounds, seconds, connections, engine, ...rest }: PartBench,
  turns: readonly Turn[],
  load: PartReport['load'],
): PartReport {
  const perRound = roundsOf(turns);
  const bars = part
    .bars({ rounds, seconds, connections, engine, ...rest })
    .map((bar) => judged(bar, perRound, quietestOf(perRound)));
  const rows = [...new Set(turns.map(({ name }) => name))].map((name) => rowOf(name, part, turns, perRound));
  return { name: part.name, about: part.about, rounds, seconds, connections, engine, load, rows, bars, turns };
}

function roundsOf(turns: readonly Turn[]): readonly Round[] {
  const numbers = [...new Set(turns.map(({ round }) => round))];
  return numbers.map((number) => (name) => turns.find((turn) => turn.round === number && turn.name === name)?.figures);
}

/** The minimum of each figure of a row. */
function quietestOf(rounds: readonly Round[]): Round {
  return (name) => {
    const all = rounds.map((round) => round(name) ?? {});
    const keys = Object.keys(all[0] ?? {});
    return Object.fromEntries(keys.map((key) => [key, Math.min(...all.map((each) => each[key] ?? Number.NaN))]));
  };
}

function judged({ title, value, bar, goal }: Bar, rounds: readonly Round[], quietest: Round): JudgedBar {
  const measured = spread(rounds.map(value));
  const atMost = (limit: number) => measured !== undefined && measured.median <= limit;
  const least = spread([value(quietest)])?.median;
  return { title, value: measured, quietest: least, bar, goal, met: atMost(bar), goalMet: atMost(goal) };
}

function rowOf(name: string, { beside }: Part, turns: readonly Turn[], rounds: readonly Round[]): Row {
  const own = turns.filter((turn) => turn.name === name).map(({ figures }) => figures);
  const keys = Object.keys(own[0] ?? {});
  const ratios = beside.flatMap(({ title, to }) => {
    const other = to(name);
    const ratio = other === undefined ? undefined : spread(rounds.map(cpuRatio(name, other)));
    return ratio === undefined ? [] : [[title, ratio] as const];
  });
  return {
    name,
    figures: Object.fromEntries(keys.map((key) => [key, median(own.map((each) => each[key] ?? Number.NaN))])),
    ratios: Object.fromEntries(ratios),
  };
}
