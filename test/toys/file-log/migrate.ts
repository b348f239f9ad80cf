import { all, integer, run, text } from '../../../src/storage/engine/verb.ts';
import { migrations } from '../../../src/storage/migrations/index.ts';
import { checksumOf, journal, missing } from '../../../src/storage/migrations/journal.ts';
import type { Tables } from './tables.ts';

/** `now`: NumericDate. */
export function migrate(tables: Tables, now: number): void {
  tables.script(journal);
  const rows = tables.read(all('SELECT version, checksum FROM migration'));
  const applied = rows.map((row) => ({ version: integer(row, 'version'), checksum: text(row, 'checksum') }));
  for (const migration of missing(applied, migrations)) {
    const { version, name, sql } = migration;
    tables.script(sql);
    tables.write(run('INSERT INTO migration VALUES ($1, $2, $3, $4)', version, name, checksumOf(migration), now));
  }
}
