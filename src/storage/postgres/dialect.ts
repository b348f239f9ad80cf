const replacements: readonly [found: RegExp, written: string][] = [
  [/\)\s*STRICT(?:,\s*WITHOUT ROWID)?/g, ')'],
  [/\bBLOB\b/g, 'BYTEA'],
  [/\bINTEGER\b/g, 'BIGINT'],
  // Texts are compared byte by byte, as in SQLite, whatever the locale of the database.
  [/\bTEXT\b/g, 'TEXT COLLATE "C"'],
];

/** Converts a migration, which is written for SQLite, to PostgreSQL. */
export function postgresDialect(sql: string): string {
  return replacements.reduce((text, [found, written]) => text.replace(found, written), sql);
}
