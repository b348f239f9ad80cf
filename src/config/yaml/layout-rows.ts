import type { Slip } from './unquoted-braces.ts';

/** A change of one line that may make the text YAML. Lines and columns count from 0. */
export interface Repair {
  readonly line: number;
  readonly repaired: string;
  /** The position of the mistake in the line. */
  readonly column: number;
  /** The number of columns by which the line moves. Of two repairs, the smaller move is the probable one. */
  readonly move: number;
  /** The column of the line after the move. */
  readonly to: number;
  /** The line moves to the column of lines above it. */
  readonly followsAbove?: boolean;
  /** @param columns the target columns of this move, and of all moves of this line that are equally good */
  readonly inWords: (columns: readonly number[]) => Omit<Slip, 'offset'>;
}

export type EntryKind = 'key' | 'item';

/** A line with a key or an item. The line `- id: a` has an item at one column, and a key at another. */
export interface LayoutRow {
  readonly index: number;
  readonly indent: number;
  readonly entries: readonly { readonly kind: EntryKind; readonly column: number }[];
}

const START = /^( *)((?:- +)*)/;
const KEY = /^(?:"[^"]*"|'[^']*'|[^\s"'#{}[\],&*!|>%@`-]\S*?) *:(?=\s|$)/;

/** Undefined for a line that is empty, a comment, or the continuation of a text. */
export function rowOf(line: string, index: number): LayoutRow | undefined {
  const [start = '', { length: indent } = '', signs = ''] = START.exec(line) ?? [];
  const rest = line.slice(start.length);
  const entry = (kind: EntryKind, column: number) => ({ kind, column });
  const items = [...signs.matchAll(/-/g)].map((sign) => entry('item', indent + sign.index));
  const last = /^-\s*$/.test(rest) ? [entry('item', start.length)] : [];
  const entries = [...items, ...last, ...(KEY.test(rest) ? [entry('key', start.length)] : [])];
  return entries.length === 0 ? undefined : { index, indent, entries };
}

export function isContent(line: string): boolean {
  return /^\s*[^\s#]/.test(line);
}
