import { StorageUnavailable } from '../engine/errors.ts';

// SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html
const anew: ReadonlySet<string> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
]);

/** What a connection remembers does not fit any more: a newer program changed a table, or a pooler changed the server. */
const anewElsewhere: ReadonlySet<string> = new Set([
  '0A000', // feature_not_supported: "cached plan must not change result type"
  '26000', // invalid_sql_statement_name
]);

/** Classes that tell of our values and rows, not of the server: data_exception and integrity_constraint_violation. */
const defects: ReadonlySet<string> = new Set(['22', '23']);

/** What to do about a failed statement: each of `again` and `elsewhere` says that nothing of its transaction happened. */
export function remedyFor(error: unknown): 'again' | 'elsewhere' | undefined {
  const code = sqlState(error);
  if (code === undefined) return undefined;
  if (anew.has(code)) return 'again';
  return anewElsewhere.has(code) ? 'elsewhere' : undefined;
}

/** A broken constraint is a bug of ours and stays what it is; everything else that a connection reports is an outage. */
export function storageError(error: unknown): unknown {
  if (error instanceof StorageUnavailable) return error;
  const isDefect = defects.has(sqlState(error)?.slice(0, 2) ?? '');
  const hushed = hush(error);
  return isDefect ? hushed : new StorageUnavailable('the store failed', { cause: hushed });
}

/** These fields quote whole rows, and an error is logged with its fields. */
function hush(error: unknown): unknown {
  return isFromServer(error) ? Object.assign(error, { detail: undefined, where: undefined }) : error;
}

function sqlState(error: unknown): string | undefined {
  return isFromServer(error) ? error.code : undefined;
}

/** By its fields: the class is one of pg, which is loaded only where it is used. */
function isFromServer(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string';
}
