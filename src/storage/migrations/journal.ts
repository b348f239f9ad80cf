import { sha256 } from '../../base/secret.ts';
import { StorageUnusable } from '../engine/errors.ts';
import type { Migration } from './migration.ts';

/** The table that records the migrations of a database. */
export const journal = `
  CREATE TABLE IF NOT EXISTS migration (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at INTEGER NOT NULL
  ) STRICT`;

export interface Applied {
  readonly version: number;
  readonly checksum: string;
}

export function checksumOf({ sql, postgres = '' }: Migration): string {
  return sha256(sql + postgres).toString('hex');
}

/** The missing migrations. Throws if the database belongs to another program. */
export function missing(applied: readonly Applied[], migrations: readonly Migration[]): readonly Migration[] {
  refuseNewer(applied, migrations);
  return migrations.filter((migration) => !isApplied(applied, migration));
}

function refuseNewer(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const newest = Math.max(0, ...applied.map(({ version }) => version));
  const known = Math.max(0, ...migrations.map(({ version }) => version));
  if (newest <= known) return;
  throw new StorageUnusable(
    `the database has version ${newest}, and this program knows only ${known}: start the newer program`,
  );
}

function isApplied(applied: readonly Applied[], migration: Migration): boolean {
  const found = applied.find(({ version }) => version === migration.version);
  if (found === undefined) return false;
  if (found.checksum === checksumOf(migration)) return true;
  throw new StorageUnusable(
    `migration ${migration.version} in the database differs from migration ${migration.version} of this program: start the program that applied it`,
  );
}
