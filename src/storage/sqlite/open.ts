import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { seconds } from '../../base/clock.ts';
import { readableByEverybody } from '../../base/file-mode.ts';
import { IN_MEMORY } from '../../base/storage-urls.ts';
import { decodeKeys, type EncryptionKeys, keysBeside } from '../engine/encryption-keys.ts';
import { unusable } from '../engine/errors.ts';
import type { OpenOptions } from '../engine/open-options.ts';
import { buildSeal } from '../engine/seal.ts';
import { migrations } from '../migrations/index.ts';
import { buildRecords, type Records } from '../records/records.ts';
import { sqliteEngine } from './engine.ts';
import { isBusy } from './errors.ts';
import { buildGroupCommit } from './group-commit.ts';
import { migrate } from './migrate.ts';
import { watchSqlite } from './watch.ts';

/** `sqlite:FILE`, or `sqlite::memory:` for data that may be lost. */
export async function openSqlite(location: string, options: OpenOptions): Promise<Records> {
  const file = location === IN_MEMORY ? location : resolve(options.directory, location);
  const database = openFile(file);
  try {
    await prepareDatabase(database, options);
    const { clock, onCommit, warn, busyDeadline = 1500 } = options;
    const keys = decodeKeys(options.encryptionKeys) ?? ownKeys(file, database, warn);
    const open = file === IN_MEMORY ? undefined : readableByEverybody(file);
    if (open !== undefined) warn?.(open);
    const { watch, committed } = watchSqlite(database);
    const told = (writes: number) => {
      onCommit?.(writes);
      committed();
    };
    const lasts = file === IN_MEMORY ? undefined : sameFile(file);
    const group = buildGroupCommit(database, { clock, onCommit: told, busyDeadline, lasts });
    return buildRecords(sqliteEngine(database, group, watch), buildSeal(keys));
  } catch (error) {
    database.close();
    throw unusable(file, error);
  }
}

/** This program makes the file, so that others can never read it. SQLite gives its side files the same mode. */
function openFile(file: string): DatabaseSync {
  try {
    if (file !== IN_MEMORY) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      closeSync(openSync(file, 'a', 0o600));
    }
    return new DatabaseSync(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Pages of 4 KiB in the journal before SQLite moves them to the database. A page that many commits changed is moved once. */
const CHECKPOINT_EVERY = 4096;

/** KiB. Pages that a group commit changes stay in memory until they are written, so each is written once. */
const CACHE = 16_384;

/** A wait inside SQLite blocks the event loop. So SQLite hardly waits, and this program waits instead. */
const pragmas = `
  PRAGMA busy_timeout = 5;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -${CACHE};
  PRAGMA wal_autocheckpoint = ${CHECKPOINT_EVERY}`;

/** Another process may be at the same step. SQLite does not wait by itself when the journal mode changes. */
async function prepareDatabase(database: DatabaseSync, { clock }: OpenOptions): Promise<void> {
  const deadline = clock.monotonic() + 10_000;
  for (;;) {
    try {
      database.exec(pragmas);
      migrate(database, migrations, seconds(clock));
      return;
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() > deadline) throw error;
      await sleep(20);
    }
  }
}

/** With HS256 there is no signing key, but there are secrets. */
function ownKeys(file: string, database: DatabaseSync, warn: OpenOptions['warn']): EncryptionKeys {
  if (file === IN_MEMORY) return [crypto.getRandomValues(new Uint8Array(32))];
  const sealed = database.prepare('SELECT 1 FROM signing_key UNION ALL SELECT 1 FROM secret LIMIT 1').get();
  return keysBeside(file, { isFirstStart: sealed === undefined, warn });
}

/**
 * True while the path names the same file. Throws if it names none. SQLite keeps writing to a file that was moved, deleted or
 * replaced, and those commits are lost with the process.
 */
export function sameFile(path: string): () => boolean {
  const opened = placeOf(path);
  return () => isThere(path, opened);
}

function placeOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev} ${ino}`;
}

function isThere(path: string, place: string): boolean {
  try {
    return placeOf(path) === place;
  } catch {
    return false;
  }
}
