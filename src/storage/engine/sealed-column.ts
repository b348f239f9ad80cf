import type { Row } from './verb.ts';

/** A column whose values are sealed under an encryption key: a new one needs a row in `records/reseal.ts`. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** By which a row is found. */
  readonly key: readonly string[];
  /** What is bound into the value of a row. */
  readonly purpose: (row: Row) => string;
}
