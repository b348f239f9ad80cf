import type { DatabaseSync } from 'node:sqlite';
import { checksumOf, journal, missing } from '../migrations/journal.ts';
import type { Migration } from '../migrations/migration.ts';

/** Migrates the database to the version of this program, completely or not at all. The write lock keeps other processes out. */
export function migrate(database: DatabaseSync, migrations: readonly Migration[], now: number): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(journal);
    const applied = database.prepare('SELECT version, checksum FROM migration').all();
    const read = applied.map(({ version, checksum }) => ({ version: Number(version), checksum: String(checksum) }));
    for (const migration of missing(read, migrations)) apply(database, migration, now);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function apply(database: DatabaseSync, migration: Migration, now: number): void {
  database.exec(migration.sql);
  const { version, name } = migration;
  database.prepare('INSERT INTO migration VALUES (?, ?, ?, ?)').run(version, name, checksumOf(migration), now);
}
