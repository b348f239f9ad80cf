import type { Row } from './verb.ts';

/** A column whose values are sealed with an encryption key. A new column needs a row in `records/reseal.ts`. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The columns that identify a row. */
  readonly key: readonly string[];
  /** The purpose that is bound into the value of a row. */
  readonly purpose: (row: Row) => string;
}
