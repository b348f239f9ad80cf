import { isContent, type LayoutRow, type Repair, rowOf } from './layout-rows.ts';

/**
 * Moves the line to the column of each open block above it. Or the entry above may be the wrong one: then this entry moves
 * to the column of the line.
 */
export function indentations(all: readonly string[], line: number): readonly Repair[] {
  const row = rowOf(all[line] ?? '', line);
  if (row === undefined || row.indent === lastColumnAbove(all, line)) return [];
  const kind = row.entries[0]?.kind;
  const repairs = openAbove(all, line).flatMap((above) =>
    above.entries
      .filter((entry) => entry.kind === kind && entry.column !== row.indent)
      .flatMap(({ column }) => {
        const isFirst = column === above.indent;
        const to = above.indent + row.indent - column;
        const down = moved(all, row, { to: column, others: isFirst ? 'above' : 'behind a dash' });
        return to < 0 ? [down] : [down, moved(all, above, { to, others: isFirst ? 'below' : 'keys below' })];
      }),
  );
  return repairs.filter(({ repaired }) => isClosed(repaired));
}

/** The parser reads on behind an open quote or bracket, and stops at a line that may be correct. */
function isClosed(line: string): boolean {
  const count = (signs: string) => [...line].filter((sign) => signs.includes(sign)).length;
  return count('"') % 2 === 0 && count('[{') === count(']}');
}

/** A line in the same column as the line before it is in the block of that line. */
function lastColumnAbove(all: readonly string[], line: number): number | undefined {
  const above = all.findLastIndex((text, index) => index < line && isContent(text));
  const text = all[above] ?? '';
  return rowOf(text, above)?.entries.at(-1)?.column ?? text.search(/\S/);
}

/** The last row of each block that is open at the line, with its entries in this block. */
function openAbove(all: readonly string[], line: number): readonly LayoutRow[] {
  const open: LayoutRow[] = [];
  for (let index = line - 1, least = Infinity; index >= 0 && least > 0; index--) {
    const row = rowOf(all[index] ?? '', index);
    if (row === undefined || row.indent >= least) continue;
    const { indent } = row;
    open.push({ index, indent, entries: row.entries.filter(({ column }) => column < least) });
    least = indent;
  }
  return open;
}

interface Move {
  readonly to: number;
  readonly others: keyof typeof places;
}

/** These texts say how far other lines are indented. A key behind `- ` has more than spaces before it. */
const places = {
  above: (others: string, columns: string) => `${others} above have ${columns}`,
  below: (others: string, columns: string) => `${others} below have ${columns}`,
  'behind a dash': (others: string, columns: string) => `${others} above start after ${columns} characters`,
  'keys below': (_: string, columns: string) => `the keys below belong to an item with ${columns}`,
};

const names = {
  key: { one: 'this key', others: 'the keys of its block' },
  item: { one: 'this item', others: 'the items of its list' },
} as const;

function moved(all: readonly string[], { index, indent, entries }: LayoutRow, { to, others }: Move): Repair {
  const name = names[entries[0]?.kind ?? 'key'];
  return {
    line: index,
    repaired: ' '.repeat(to) + (all[index] ?? '').slice(indent),
    column: indent,
    move: Math.abs(to - indent),
    to,
    followsAbove: !others.includes('below'),
    inWords: (columns) => ({
      message: `${name.one} has ${spaces([indent])}, ${places[others](name.others, columns.join(' or '))}`,
      hint: `write ${spaces(columns)} before it; keys of one map, or items of one list, start in the same column`,
    }),
  };
}

function spaces(counts: readonly number[]): string {
  return `${counts.join(' or ')} ${counts.length === 1 && counts[0] === 1 ? 'space' : 'spaces'}`;
}
