import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../base/clock.ts';
import { StorageUnavailable } from '../engine/errors.ts';
import { isBusy, storageError } from './errors.ts';

interface Write {
  /** For one statement, which SQLite rolls back if it fails. */
  readonly isOne: boolean;
  run(): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Settled = { readonly value: unknown } | { readonly error: unknown };

export interface GroupCommitOptions {
  readonly clock: Clock;
  /** Milliseconds for which a commit waits for another writing process. */
  readonly busyDeadline: number;
  /** Called after every commit with the number of writes in it. */
  readonly onCommit?: ((writes: number) => void) | undefined;
  /** False if a commit now would be lost; then nothing is committed. */
  readonly lasts?: (() => boolean) | undefined;
}

export interface GroupCommit {
  write<Result>(run: () => Result): Promise<Result>;
  /** Does the same for a single statement without other effects. */
  writeOne<Result>(run: () => Result): Promise<Result>;
  /** Settles when no write is waiting. */
  drain(): Promise<void>;
}

/** Milliseconds. */
const retryEvery = 15;

/**
 * The writes of one turn of the event loop share one transaction and its fsync. Each is answered after the commit. A write of
 * several statements has its own savepoint, so its failure does not affect the others.
 */
export function buildGroupCommit(database: DatabaseSync, options: GroupCommitOptions): GroupCommit {
  const statements = prepareControl(database);
  let waiting: Write[] = [];
  let firstTry: number | undefined;

  function enqueue<Result>(isOne: boolean, run: () => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    waiting.push({ isOne, run, resolve: resolve as (value: unknown) => void, reject });
    if (waiting.length === 1) setImmediate(commit);
    return promise;
  }

  function commit(): void {
    if (options.lasts?.() === false) {
      rejectAll(takeBatch(), new StorageUnavailable('the file of the database was moved or deleted'));
      return;
    }
    firstTry ??= options.clock.monotonic();
    try {
      statements.begin.run();
    } catch (error) {
      if (isBusy(error) && options.clock.monotonic() - firstTry < options.busyDeadline) setTimeout(commit, retryEvery);
      else rejectAll(takeBatch(), error);
      return;
    }
    commitBatch(takeBatch());
  }

  function takeBatch(): Write[] {
    const batch = waiting;
    waiting = [];
    firstTry = undefined;
    return batch;
  }

  function commitBatch(batch: Write[]): void {
    let settled: Settled[];
    try {
      settled = batch.map((entry) => (entry.isOne ? runAlone : runInSavepoint)(database, statements, entry));
      statements.commit.run();
    } catch (error) {
      abandon(database, statements);
      rejectAll(batch, error);
      return;
    }
    for (const [index, entry] of batch.entries()) settle(entry, settled[index] as Settled);
    options.onCommit?.(batch.length);
  }

  const write: GroupCommit['write'] = (run) => enqueue(false, run);
  const writeOne: GroupCommit['writeOne'] = (run) => enqueue(true, run);
  const drain = () => (waiting.length === 0 ? Promise.resolve() : write(() => {}).catch(() => {}));
  return { write, writeOne, drain };
}

type Control = ReturnType<typeof prepareControl>;

function prepareControl(database: DatabaseSync) {
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    rollback: database.prepare('ROLLBACK'),
    savepoint: database.prepare('SAVEPOINT verb'),
    release: database.prepare('RELEASE verb'),
    undo: database.prepare('ROLLBACK TO verb'),
  };
}

/** Throws only if SQLite has rolled back the whole transaction, as it does on a full disk or after a failed read. */
function runInSavepoint(database: DatabaseSync, control: Control, { run }: Write): Settled {
  control.savepoint.run();
  try {
    const value = run();
    control.release.run();
    return { value };
  } catch (error) {
    if (!database.isTransaction) throw error;
    control.undo.run();
    control.release.run();
    return { error };
  }
}

function runAlone(database: DatabaseSync, _control: Control, { run }: Write): Settled {
  try {
    return { value: run() };
  } catch (error) {
    if (!database.isTransaction) throw error;
    return { error };
  }
}

/** If a step fails here, the transaction stays open, and the next `BEGIN` reports it. */
function abandon(database: DatabaseSync, control: Control): void {
  try {
    if (database.isTransaction) control.rollback.run();
  } catch {
    // The original failure is reported.
  }
}

function settle(entry: Write, settled: Settled): void {
  if ('error' in settled) entry.reject(storageError(settled.error));
  else entry.resolve(settled.value);
}

function rejectAll(batch: readonly Write[], cause: unknown): void {
  for (const entry of batch) entry.reject(new StorageUnavailable('the store did not commit', { cause }));
}
