import { integer, type Row, type SqlValue, text } from '../engine/verb.ts';
import { checksumOf, journal, missing } from '../migrations/journal.ts';
import type { Migration } from '../migrations/migration.ts';
import { postgresDialect } from './dialect.ts';

/** A separate connection for the migration. */
export interface MigrationLink {
  /** Runs any number of statements without parameters. */
  script(sql: string): Promise<void>;
  rows(sql: string, parameters: readonly SqlValue[]): Promise<readonly Row[]>;
}

/** An arbitrary number, the same in every version of this program: "gatehous" as bytes. */
const LOCK = '7449363237540164979';

/** Migrates the database to the version of this program, completely or not at all. The lock keeps other processes out. */
export async function migratePostgres(
  link: MigrationLink,
  migrations: readonly Migration[],
  now: number,
): Promise<void> {
  await link.script('BEGIN');
  try {
    await link.script(`SELECT pg_advisory_xact_lock(${LOCK})`);
    await link.script(postgresDialect(journal));
    const applied = await link.rows('SELECT version, checksum FROM migration', []);
    const read = applied.map((row) => ({ version: integer(row, 'version'), checksum: text(row, 'checksum') }));
    for (const migration of missing(read, migrations)) await apply(link, migration, now);
    await link.script('COMMIT');
  } catch (error) {
    await link.script('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function apply(link: MigrationLink, migration: Migration, now: number): Promise<void> {
  await link.script(postgresDialect(migration.sql));
  if (migration.postgres !== undefined) await link.script(migration.postgres);
  const { version, name } = migration;
  await link.rows('INSERT INTO migration VALUES ($1, $2, $3, $4)', [version, name, checksumOf(migration), now]);
}
