import { type StorageUrl, storageUrls } from '../base/storage-urls.ts';
import type { ReadEngine } from './engine/engine.ts';
import type { OpenOptions } from './engine/open-options.ts';
import type { ReadOptions } from './lookup/read.ts';
import { readPostgres } from './postgres/read.ts';
import type { Records } from './records/records.ts';
import { readSqlite } from './sqlite/read.ts';

/** A kind of store: everything that other folders need from it. `location`: the part of its URL after the scheme. */
export interface StorageEngine extends StorageUrl {
  /** The name for people. */
  readonly title: string;
  /**
   * Opens the store and migrates it to this program's version. Loads its code only when called, so that a gateway contains no
   * code that writes. Rejects with `StorageUnusable` if this is impossible.
   */
  readonly open: (location: string, options: OpenOptions) => Promise<Records>;
  /** Does not connect yet: the first read, or the next read after a failure, opens the database. */
  readonly read: (location: string, options: ReadOptions) => ReadEngine;
  /** Statements that check the state of a store, even if it has no tables yet. */
  readonly check: StoreCheck;
}

/** Statements that only read. */
export interface StoreCheck {
  /** Returns one row if the tables of this program exist. */
  readonly journal: string;
  /** Returns `now`, milliseconds since the epoch, by the clock of a database server. Absent: there is no other clock. */
  readonly now?: string;
}

/** One row for each kind of URL. */
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
