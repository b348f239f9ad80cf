import type { Row } from './verb.ts';

/** Columns as values: SQLite and PostgreSQL have different types for the same content. */
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

/** A JSON column that we wrote ourselves. */
export function json<Content>(row: Row, column: string): Content {
  return JSON.parse(String(row[column])) as Content;
}

/** Of a scope (RFC 6749 §3.3). */
export function scopeTokens(row: Row, column: string): readonly string[] {
  const value = text(row, column);
  return value === '' ? [] : value.split(' ');
}
