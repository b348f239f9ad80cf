import { type StorageUrl, storageUrls } from '../base/storage-urls.ts';
import type { ReadEngine } from './engine/engine.ts';
import type { OpenOptions } from './engine/open-options.ts';
import type { ReadOptions } from './lookup/read.ts';
import { readPostgres } from './postgres/read.ts';
import type { Records } from './records/records.ts';
import { readSqlite } from './sqlite/read.ts';

/** A kind of store, as one row: all that the other folders ask of it. `location`: what follows the scheme of its URL. */
export interface StorageEngine extends StorageUrl {
  /** For people. */
  readonly title: string;
  /**
   * Opens the store and brings it to this program's version. Loads its code when it is called, so that a gateway holds
   * nothing that writes. Rejects with `StorageUnusable` where that cannot be.
   */
  readonly open: (location: string, options: OpenOptions) => Promise<Records>;
  /** Opens nothing yet: the first read does, and each one after a failure. */
  readonly read: (location: string, options: ReadOptions) => ReadEngine;
  /** What is asked to see how far a store is, before it is known to have tables. */
  readonly check: StoreCheck;
}

/** Statements that only read. */
export interface StoreCheck {
  /** Yields one row where the tables of this program are there. */
  readonly journal: string;
  /** Yields `now`, milliseconds since the epoch, by the clock of a database server. Absent: there is no other clock. */
  readonly now?: string;
}

/** One row for each of the URLs. */
const rows = {
  sqlite: {
    ...storageUrls.sqlite,
    title: 'SQLite',
    open: async (location, options) => (await import('./sqlite/open.ts')).openSqlite(location, options),
    read: readSqlite,
    check: { journal: `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'` },
  },
  postgres: {
    ...storageUrls.postgres,
    title: 'PostgreSQL',
    open: async (location, options) => (await import('./postgres/open.ts')).openPostgres(location, options),
    read: readPostgres,
    check: {
      journal: `SELECT 1 WHERE to_regclass('migration') IS NOT NULL`,
      now: 'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now',
    },
  },
} as const satisfies Readonly<Record<keyof typeof storageUrls, StorageEngine>>;

export const storageEngines: readonly StorageEngine[] = Object.values(rows);
