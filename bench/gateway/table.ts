import type { PartReport } from './judge.ts';
import type { JudgedBar } from './part.ts';
import { parts } from './parts.ts';
import { spreadInWords } from './ratio.ts';

/** Cells. The first row has the titles. */
export type Table = readonly (readonly string[])[];

/** Medians and ratios of the rows of a part. */
export function partTable({ name: partName, rows }: PartReport): Table {
  const { columns = [], beside = [] } = parts.find(({ name }) => name === partName) ?? {};
  return [
    ['', ...columns.map(({ title }) => title), ...beside.map(({ title }) => title)],
    ...rows.map(({ name, figures, ratios }) => [
      name,
      ...columns.map(({ key, digits }) => figures[key]?.toFixed(digits) ?? '–'),
      ...beside.map(({ title }) => spreadInWords(ratios[title])),
    ]),
  ];
}

export function barTable(bars: readonly JudgedBar[]): Table {
  return [
    ['', 'measured', 'quietest', 'bar', '', 'goal', ''],
    ...bars.map(({ title, value, quietest, bar, met, goal, goalMet }) => [
      title,
      spreadInWords(value, 3),
      quietest?.toFixed(3) ?? '–',
      String(bar),
      verdict(value, met),
      String(goal),
      verdict(value, goalMet),
    ]),
  ];
}

function verdict(value: JudgedBar['value'], met: boolean): string {
  if (value === undefined) return 'not measured';
  return met ? 'met' : 'not met';
}

export function circumstances({ rounds, seconds, connections, engine, load }: PartReport): string {
  const run = `The run had ${rounds} rounds of ${seconds} s, and ${connections} connections unless a row names another number`;
  const average = `The load average was ${load.before.toFixed(1)} before and ${load.after.toFixed(1)} after`;
  return `${run}. Gatehouse used \`engine: ${engine}\`, unless a row names another engine. ${average}`;
}
