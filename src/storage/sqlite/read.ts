import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ReadEngine } from '../engine/engine.ts';
import { StorageUnavailable } from '../engine/errors.ts';
import type { ReadOptions } from '../lookup/read.ts';
import { sqliteReader } from './engine.ts';
import { isBusy, isFromSqlite, storageError } from './errors.ts';

/** A reader meets a lock only while another process recovers or closes the database. It waits about a second for this. */
const BUSY_TRIES = 50;
const RETRY_EVERY = 15;

/** `sqlite:FILE` of an authorization service. */
export function readSqlite(location: string, { directory, traceless = false }: ReadOptions): ReadEngine {
  const followed = followFile(resolve(directory, location), traceless ? openTraceless : open);
  return {
    async read(verb) {
      for (let tries = 1; ; tries++) {
        try {
          return await (await followed.engine()).read(verb);
        } catch (error) {
          const cause = causeOf(error);
          if (isFromSqlite(cause) && !isBusy(cause)) await followed.release();
          if (!isBusy(cause) || tries === BUSY_TRIES) throw unavailable(cause);
        }
        await sleep(RETRY_EVERY);
      }
    },
    close: () => followed.close(),
  };
}

function causeOf(error: unknown): unknown {
  return error instanceof StorageUnavailable && error.cause !== undefined ? error.cause : error;
}

/** SQLite's message names tables and files, never their content. */
function unavailable(cause: unknown): unknown {
  const told = storageError(cause);
  if (told === cause || !(cause instanceof Error)) return told;
  return new StorageUnavailable(`the database cannot be read: ${cause.message}`, { cause });
}

/**
 * The database that has this name now. An open handle would continue to read a moved file, and would miss its replacement. So
 * the name is checked before each read.
 */
function followFile(file: string, open: (file: string) => ReadEngine) {
  let held: { readonly engine: ReadEngine; readonly identity: string } | undefined;
  let closed = false;
  const release = async () => {
    const { engine } = held ?? {};
    held = undefined;
    await engine?.close();
  };
  return {
    async engine(): Promise<ReadEngine> {
      if (closed) throw new StorageUnavailable('the database is closed');
      const identity = identityOf(file);
      if (held?.identity !== identity) await release();
      if (identity === undefined) throw new StorageUnavailable(`there is no database ${file}`);
      held ??= { engine: open(file), identity };
      return held.engine;
    },
    release,
    async close() {
      closed = true;
      await release();
    },
  };
}

/** Device and inode: no other file can have them while this one is open. */
function identityOf(file: string): string | undefined {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.dev} ${stats.ino}`;
  } catch (cause) {
    throw new StorageUnavailable(`the database ${file} cannot be reached: ${(cause as NodeJS.ErrnoException).code}`);
  }
}

/** A wait inside SQLite blocks the event loop. So SQLite hardly waits, and this program waits instead. */
function open(file: string): ReadEngine {
  return sqliteReader(new DatabaseSync(file, { readOnly: true, timeout: 5 }));
}

/**
 * To read a database in WAL mode, SQLite creates two files beside it. Without a journal, no process has the database open, and
 * it does not change.
 */
function openTraceless(file: string): ReadEngine {
  if (existsSync(`${file}-wal`)) return open(file);
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return sqliteReader(new DatabaseSync(url, { readOnly: true, timeout: 5 }));
}
