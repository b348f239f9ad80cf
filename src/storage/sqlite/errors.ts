import { StorageUnavailable } from '../engine/errors.ts';

// Primary result codes, https://sqlite.org/rescode.html
const SQLITE_BUSY = 5;
const SQLITE_CONSTRAINT = 19;

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

/** As long as it is not told by SQLite, nothing is wrong with the open database. */
export function isFromSqlite(error: unknown): boolean {
  return primaryCode(error) !== undefined || isClosed(error);
}

/** A broken constraint is a bug of ours and stays what it is; everything else that SQLite reports is an outage. */
export function storageError(error: unknown): unknown {
  const isBug = primaryCode(error) === SQLITE_CONSTRAINT || !isFromSqlite(error);
  return isBug ? error : new StorageUnavailable('the store failed', { cause: error });
}

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE';
}
