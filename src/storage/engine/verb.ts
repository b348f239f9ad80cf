/**
 * A store operation, separate from the engine that runs it. A verb yields statements and receives their rows. One text of each
 * verb serves SQLite, which answers synchronously, and PostgreSQL, which answers asynchronously. Both run it in one
 * transaction. A verb may run again after a conflict, so it has no state of its own and no side effects.
 */
export type Verb<Outcome> = Generator<Statement, Outcome, readonly Row[]>;

export interface Statement {
  /** Parameters are $1, $2, …; the dialect is common to SQLite and PostgreSQL. */
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /** The caller reads no row, and may continue before the statement runs. */
  readonly silent?: true;
}

export type SqlValue = string | number | Uint8Array | null;

export type Row = Readonly<Record<string, unknown>>;

export function* all(sql: string, ...parameters: readonly (SqlValue | undefined)[]): Verb<readonly Row[]> {
  return yield { sql, parameters: parameters.map((value) => value ?? null) };
}

export function* first(sql: string, ...parameters: readonly (SqlValue | undefined)[]): Verb<Row | undefined> {
  const rows = yield* all(sql, ...parameters);
  return rows[0];
}

/** True if the statement, which ends with RETURNING, changed a row. */
export function* changed(sql: string, ...parameters: readonly (SqlValue | undefined)[]): Verb<boolean> {
  const rows = yield* all(sql, ...parameters);
  return rows.length > 0;
}

/** For a statement without a result. */
export function* run(sql: string, ...parameters: readonly (SqlValue | undefined)[]): Verb<void> {
  yield { sql, parameters: parameters.map((value) => value ?? null), silent: true };
}

/** Typed columns: SQLite and PostgreSQL have different types for the same content. */
export function text(row: Row, column: string): string {
  return String(row[column]);
}

export function textOrNone(row: Row, column: string): string | undefined {
  const value = row[column];
  return value === null || value === undefined ? undefined : String(value);
}

export function integer(row: Row, column: string): number {
  return Number(row[column]);
}

export function integerOrNone(row: Row, column: string): number | undefined {
  const value = row[column];
  return value === null || value === undefined ? undefined : Number(value);
}

export function flag(row: Row, column: string): boolean {
  return Number(row[column]) === 1;
}

export function bytes(row: Row, column: string): Uint8Array {
  return row[column] as Uint8Array;
}

export function bytesOrNone(row: Row, column: string): Uint8Array | undefined {
  return (row[column] as Uint8Array | null) ?? undefined;
}

/** A JSON column with our own content. */
export function json<Content>(row: Row, column: string): Content {
  return JSON.parse(String(row[column])) as Content;
}

/** The tokens of a scope (RFC 6749 §3.3). */
export function scopeTokens(row: Row, column: string): readonly string[] {
  const value = text(row, column);
  return value === '' ? [] : value.split(' ');
}
