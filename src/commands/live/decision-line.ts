import { printableValue } from '../../base/printable.ts';
import { isObject, type JsonObject } from '../../jwt/json.ts';
import { stepLine } from '../explain/explanation-in-words.ts';
import { decisionWords } from './decision-words.ts';
import { type Paint, statusStyle, styleOf } from './paint.ts';

/** Characters of each column. A longer value widens only its own line. */
const WIDTHS = { status: 3, method: 6, path: 32, verdict: 22, client: 15, milliseconds: 10 } as const;
/** Characters of a path. The rest is in the JSON. */
const LONGEST_PATH = 160;

/** One line for a decision. `name`: the gateway; undefined: there is only one. */
export function decisionLine(row: JsonObject, name: string | undefined, paint: Paint): string {
  const { time, status, result, method, path, verdict, client, milliseconds } = decisionWords(row);
  const cells = [
    ...(name === undefined ? [] : [name]),
    paint('gray', clockTime(time)),
    paint(statusStyle(status), status.padEnd(WIDTHS.status)),
    cell(method, WIDTHS.method),
    cell(shortened(path), WIDTHS.path),
    paint(styleOf[result], cell(verdict, WIDTHS.verdict)),
    cell(client, WIDTHS.client),
    paint('gray', milliseconds.padStart(WIDTHS.milliseconds)),
  ];
  return `${cells.join('  ')}\n`;
}

function cell(value: string, width: number): string {
  return printableValue(value).padEnd(width);
}

function shortened(text: string): string {
  return text.length > LONGEST_PATH ? `${text.slice(0, LONGEST_PATH - 1)}…` : text;
}

/** The time of this machine's zone, with milliseconds. */
export function clockTime(time: number | undefined): string {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '-'.padEnd(12);
  const two = (value: number) => String(value).padStart(2, '0');
  const seconds = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${seconds}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** The steps of a decision, one line each. */
export function stepLines({ steps }: JsonObject, paint: Paint): string {
  const rows = Array.isArray(steps) ? steps.filter(isObject) : [];
  return rows.map((row) => `${paint(styles[textOf(row.verdict)] ?? 'gray', stepText(row))}\n`).join('');
}

const styles: Readonly<Record<string, Parameters<Paint>[0]>> = { refused: 'yellow', unavailable: 'red' };

function stepText({ step, verdict, detail, at }: JsonObject): string {
  const place = typeof at === 'string' ? at : undefined;
  const words = { step: textOf(step), verdict: textOf(verdict), detail: textOf(detail), at: place };
  return `    ${printableValue(stepLine(words))}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
