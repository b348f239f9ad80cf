import { column, type Segment } from './segments.ts';
import type { Summary, Tallied } from './tally.ts';
import type { UiState } from './ui-state.ts';

/** Rows, so that the lines below do not move with each new code. */
const LEAST = 3;
const GAP = '  ';
/** Columns of a window that has room for more numbers. */
const ROOMY = 90;

/** A number of each row. Its width includes the space before it. */
interface NumberColumn {
  readonly head: string;
  readonly width: number;
  readonly of: (row: Tallied) => number;
}

const requests: NumberColumn = { head: 'reqs', width: 6, of: (row) => row.requests };
const refused: NumberColumn = { head: 'refused', width: 8, of: (row) => row.refused };
const failed: NumberColumn = { head: 'failed', width: 7, of: (row) => row.failed };

interface Part {
  readonly title: string;
  readonly rows: readonly Tallied[];
  readonly width: number;
  readonly numbers: readonly NumberColumn[];
}

/** Routes, codes and clients beside each other, with their heads. `most`: rows of the tables. */
export function tableLines(
  summary: Summary,
  { onlyRefusals }: UiState,
  columns: number,
  most: number,
): readonly (readonly Segment[])[] {
  const parts = partsOf(summary, columns).map((part) => ({ ...part, rows: selected(part.rows, onlyRefusals) }));
  const height = Math.min(most, Math.max(LEAST, ...parts.map(({ rows }) => rows.length)));
  const body = Array.from({ length: height }, (_, at) => [[parts.map((part) => cellsOf(part, at)).join(GAP)] as const]);
  return [[[parts.map(headOf).join(GAP), 'inverse']], ...body];
}

function partsOf({ routes, codes, clients }: Summary, columns: number): readonly Part[] {
  const isRoomy = columns >= ROOMY;
  const [wide, middle] = [Math.floor(columns * 0.38), Math.floor(columns * 0.3)];
  const rest = columns - wide - middle - 2 * GAP.length;
  return [
    {
      title: 'ROUTES',
      rows: routes,
      width: wide,
      numbers: isRoomy ? [requests, refused, failed] : [requests, refused],
    },
    { title: 'CODES', rows: codes, width: middle, numbers: [requests] },
    { title: 'CLIENTS', rows: clients, width: rest, numbers: isRoomy ? [requests, refused] : [requests] },
  ];
}

function selected(rows: readonly Tallied[], onlyRefusals: boolean): readonly Tallied[] {
  if (!onlyRefusals) return rows;
  const stopped = (row: Tallied) => row.refused + row.failed;
  return rows.filter((row) => stopped(row) > 0).toSorted((one, other) => stopped(other) - stopped(one));
}

function headOf({ title, width, numbers }: Part): string {
  return aligned(title, width, numbers, ({ head }) => head);
}

function cellsOf({ rows, width, numbers }: Part, at: number): string {
  const row = rows[at];
  if (row === undefined) return ' '.repeat(width);
  return aligned(row.name, width, numbers, ({ of }) => String(of(row)));
}

function aligned(
  name: string,
  width: number,
  numbers: readonly NumberColumn[],
  text: (of: NumberColumn) => string,
): string {
  const cells = numbers.map((each) => text(each).padStart(each.width)).join('');
  return column(name, width - cells.length) + cells;
}
