import { StorageUnavailable } from '../engine/errors.ts';

// Primary result codes, https://sqlite.org/rescode.html
const SQLITE_BUSY = 5;
const SQLITE_CONSTRAINT = 19;

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

/** True for an error of SQLite. With any other error, the open database is intact. */
export function isFromSqlite(error: unknown): boolean {
  return primaryCode(error) !== undefined || isClosed(error);
}

/** A violated constraint is our bug, and stays an error. Every other error of SQLite is an outage. */
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
