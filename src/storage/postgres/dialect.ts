const replacements: readonly [found: RegExp, written: string][] = [
  [/\)\s*STRICT(?:,\s*WITHOUT ROWID)?/g, ')'],
  [/\bBLOB\b/g, 'BYTEA'],
  [/\bINTEGER\b/g, 'BIGINT'],
  // Bytes decide what is equal and what comes first, as in SQLite, whatever the locale of the database.
  [/\bTEXT\b/g, 'TEXT COLLATE "C"'],
];

/** A migration, which is written for SQLite, as PostgreSQL has it. */
export function postgresDialect(sql: string): string {
  return replacements.reduce((text, [found, written]) => text.replace(found, written), sql);
}
