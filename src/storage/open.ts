import { StorageUnusable } from './errors.ts';
import type { OpenOptions } from './open-options.ts';
import { openSqlite } from './open-sqlite.ts';
import type { Records } from './records.ts';

type Open = (location: string, options: OpenOptions) => Promise<Records>;

/** Its driver is loaded only where it is asked for. */
const openPostgres: Open = async (location, options) =>
  (await import('./open-postgres.ts')).openPostgres(location, options);

/** URL scheme → how it is opened. */
const engines: Readonly<Record<string, Open>> = {
  sqlite: openSqlite,
  postgres: openPostgres,
  postgresql: openPostgres,
};

/** Opens the store, brings it to this program's version, and fails with `StorageUnusable` where that cannot be. */
export async function openRecords(url: string, options: OpenOptions): Promise<Records> {
  const [scheme = '', ...location] = url.split(':');
  const open = Object.hasOwn(engines, scheme) ? engines[scheme] : undefined;
  if (open === undefined) throw new StorageUnusable(`storage: there is no engine for ${scheme}:`);
  return open(location.join(':'), options);
}
