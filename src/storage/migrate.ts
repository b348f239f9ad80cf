import type { DatabaseSync } from 'node:sqlite';
import { sha256 } from '../base/secret.ts';
import { StorageUnusable } from './errors.ts';
import type { Migration } from './migrations/migration.ts';

/** Brings the database to the version of this program, whole or not at all; the write lock keeps other processes out. */
export function migrate(database: DatabaseSync, migrations: readonly Migration[], now: number): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(journal);
    const applied = readApplied(database);
    refuseNewer(applied, migrations);
    for (const migration of migrations) apply(database, migration, applied.get(migration.version), now);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

const journal = `
  CREATE TABLE IF NOT EXISTS migration (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at INTEGER NOT NULL
  ) STRICT`;

function readApplied(database: DatabaseSync): Map<number, string> {
  const rows = database.prepare('SELECT version, checksum FROM migration').all();
  return new Map(rows.map(({ version, checksum }) => [Number(version), String(checksum)]));
}

function refuseNewer(applied: ReadonlyMap<number, string>, migrations: readonly Migration[]): void {
  const newest = Math.max(0, ...applied.keys());
  const known = Math.max(0, ...migrations.map(({ version }) => version));
  if (newest <= known) return;
  throw new StorageUnusable(
    `the database is at version ${newest}, this program knows ${known}: start the newer program`,
  );
}

function apply(database: DatabaseSync, migration: Migration, applied: string | undefined, now: number): void {
  const checksum = sha256(migration.sql).toString('hex');
  if (applied === checksum) return;
  if (applied !== undefined) {
    throw new StorageUnusable(`migration ${migration.version} of the database is not the one of this program`);
  }
  database.exec(migration.sql);
  const { version, name } = migration;
  database.prepare('INSERT INTO migration VALUES (?, ?, ?, ?)').run(version, name, checksum, now);
}
