import { printableValue } from './printable.ts';

/** Characters of one value that are shown. */
const LONGEST = 100;
/** Values of a list that are shown. */
const MOST = 4;

/** A JSON value of any origin, as one short line without control characters. */
export function quoted(value: unknown): string {
  if (!Array.isArray(value)) return quotedOne(value);
  return `[${listed(value, ', ')}]`;
}

/** The accepted values, any of which is enough: `"a" or "b"`. */
export function quotedAny(values: readonly string[]): string {
  return values.length === 0 ? 'none' : listed(values, ' or ');
}

/** The first few of some quoted texts, and the number of the others. */
export function listedFirst(texts: readonly string[], between: string): string {
  const rest = texts.length - MOST;
  return rest > 0 ? `${texts.slice(0, MOST).join(between)} and ${rest} more` : texts.join(between);
}

function listed(values: readonly unknown[], between: string): string {
  const shown = values.slice(0, MOST).map(quotedOne).join(between);
  const rest = values.length - MOST;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

function quotedOne(value: unknown): string {
  if (typeof value === 'string') return quotedText(value);
  if (value === undefined) return 'none';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** JSON would write half of a surrogate pair as six characters. */
function quotedText(text: string): string {
  const shown = text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
  return JSON.stringify(printableValue(shown.toWellFormed()));
}
