import { clockTime } from '../live/decision-line.ts';
import { decisionWords } from '../live/decision-words.ts';
import { type Paint, styleOf } from '../live/paint.ts';
import { column, fitted, type Segment } from './segments.ts';
import { sparkline } from './sparkline.ts';
import { faultOf, perSecond } from './summary-text.ts';
import { tableLines } from './table-lines.ts';
import { results, type SeenDecision, type Summary } from './tally.ts';
import type { UiState } from './ui-state.ts';
import type { View } from './watch.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A smaller window shows only a hint. */
const LEAST: Size = { columns: 60, rows: 15 };

/** The lines of the screen: exactly as many as it has rows. */
export function frame(view: View, state: UiState, { columns, rows }: Size, paint: Paint): readonly string[] {
  const isSmall = columns < LEAST.columns || rows < LEAST.rows;
  const lines = isSmall
    ? [[[`The window needs ${LEAST.columns}×${LEAST.rows}.`] as const]]
    : content(view, state, { columns, rows });
  const blank = Array.from({ length: rows }, () => []);
  return [...lines, ...blank].slice(0, rows).map((line) => fitted(line, columns, paint));
}

type Line = readonly Segment[];

function content({ gateways, summary }: View, state: UiState, { columns, rows }: Size): readonly Line[] {
  const top = [titleLine(gateways, state), ...results.map((result) => rateLine(summary, result, columns))];
  // The tables get at most half of the rows that are left.
  const half = Math.floor((rows - top.length - 3) / 2);
  const tables = tableLines(summary, state, columns, half);
  const newest = newestLines(summary.newest, state, { columns, rows: rows - top.length - tables.length - 2 });
  return [...top, ...tables, newestTitle(summary), ...newest, keysLine(state)];
}

function titleLine(gateways: View['gateways'], { filter, isPaused, onlyRefusals }: UiState): Line {
  const faulty = gateways.filter(({ detail }) => detail !== undefined);
  const fine = gateways.filter(({ detail }) => detail === undefined);
  return [
    ['gatehouse top', 'bold'],
    [isPaused ? '  paused' : '', 'magenta'],
    [onlyRefusals ? '  only refusals' : '', 'yellow'],
    [filter === '' ? '' : `  filter ${filter}`, 'cyan'],
    ...faulty.flatMap(faultOf).map((fault) => [`  ${fault}`, 'red'] as const),
    ...fine.map(({ gateway }) => [`  ${gateway}`] as const),
  ];
}

function rateLine({ now, rates, history }: Summary, result: (typeof results)[number], columns: number): Line {
  const values = history.map((totals) => totals[result]);
  const rate = (value: number) => `${perSecond(value)}/s`.padStart(9);
  return [
    [result.padEnd(7), styleOf[result]],
    [`${rate(now[result])}${rate(rates[result])} avg  `],
    [sparkline(values, columns - 32), styleOf[result]],
  ];
}

function newestTitle({ left }: Summary): Line {
  const note =
    left === 0 ? '' : `   left out: ${left} ${left === 1 ? 'request' : 'requests'}, which only the rates count`;
  return [
    ['NEWEST', 'inverse'],
    [note, 'gray'],
  ];
}

function newestLines(
  newest: readonly SeenDecision[],
  { onlyRefusals }: UiState,
  { columns, rows }: Size,
): readonly Line[] {
  const shown = onlyRefusals ? newest.filter(({ row }) => decisionWords(row).result !== 'passed') : newest;
  const lines = shown.slice(0, rows).map((seen) => newestLine(seen, columns));
  return [...lines, ...Array.from({ length: rows - lines.length }, () => [])];
}

/** A window with this many columns also shows the client, the time, and the gateway of a decision. */
const WITH = { client: 80, milliseconds: 100, gateway: 120 } as const;

function newestLine({ gateway, row }: SeenDecision, columns: number): Line {
  const { time, status, method, path, verdict, client, milliseconds, result } = decisionWords(row);
  const right = [
    column(verdict, 20),
    ...(columns < WITH.client ? [] : [column(client, 14)]),
    ...(columns < WITH.milliseconds ? [] : [milliseconds.padStart(10)]),
    ...(columns < WITH.gateway ? [] : [column(gateway, 18)]),
  ].join(' ');
  const left = `${clockTime(time).slice(0, 8)} ${column(status, 3)} ${column(method, 6)}`;
  const text = `${left} ${column(path, columns - left.length - right.length - 2)} ${right}`;
  return result === 'passed' ? [[text]] : [[text, styleOf[result]]];
}

function keysLine({ typed, fault }: UiState): Line {
  if (typed === undefined) return [['q quit   p pause   / filter   f only refusals', 'gray']];
  const note = fault ?? 'Enter applies, Esc cancels';
  return [[`filter: ${typed}`, 'bold'], ['▏'], [`   ${note}`, fault === undefined ? 'gray' : 'red']];
}
