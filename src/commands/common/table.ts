import { printableValue } from '../../base/printable.ts';

/** Characters. A longer cell widens only its own row. */
const WIDEST = 64;

/** Rows as aligned columns; the last column is not padded. No value can break a line or send control characters. */
export function table(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map(printableValue));
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, { length }] of row.entries())
      if (length <= WIDEST) widths[column] = Math.max(widths[column] ?? 0, length);
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}
