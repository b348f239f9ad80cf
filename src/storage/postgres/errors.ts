import { StorageUnavailable } from '../engine/errors.ts';

// SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html
const retried: ReadonlySet<string> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
]);

/** The state of the connection is outdated: a newer program changed a table, or a pooler changed the server. */
const retriedElsewhere: ReadonlySet<string> = new Set([
  '0A000', // feature_not_supported: "cached plan must not change result type"
  '26000', // invalid_sql_statement_name
]);

/** Error classes that concern our values and rows, not the server: data_exception and integrity_constraint_violation. */
const defects: ReadonlySet<string> = new Set(['22', '23']);

/** The remedy for a failed statement. `again` and `elsewhere` both mean that its transaction had no effect. */
export function remedyFor(error: unknown): 'again' | 'elsewhere' | undefined {
  const code = sqlState(error);
  if (code === undefined) return undefined;
  if (retried.has(code)) return 'again';
  return retriedElsewhere.has(code) ? 'elsewhere' : undefined;
}

/** A violated constraint is our bug, and stays an error. Every other error of a connection is an outage. */
export function storageError(error: unknown): unknown {
  if (error instanceof StorageUnavailable) return error;
  const isDefect = defects.has(sqlState(error)?.slice(0, 2) ?? '');
  const hushed = hush(error);
  return isDefect ? hushed : new StorageUnavailable('the store failed', { cause: hushed });
}

/** Removes the fields that quote whole rows, because errors are logged with their fields. */
function hush(error: unknown): unknown {
  return isFromServer(error) ? Object.assign(error, { detail: undefined, where: undefined }) : error;
}

function sqlState(error: unknown): string | undefined {
  return isFromServer(error) ? error.code : undefined;
}

/** Recognized by its fields: the class is in pg, which is loaded only when needed. */
function isFromServer(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string';
}
