import { connectionRemedy } from '../../gateway/message/connection-faults.ts';
import { REDIRECT } from '../../gateway/server-client/status-fault.ts';
import { StorageUnavailable, StorageUnusable } from '../../storage/engine/errors.ts';
import { bad, type Seen } from './finding.ts';

/** Also finds a code inside a sentence, for a caller that has only the sentence. */
export function faultRemedy(detail: string, otherwise: string): string {
  if (detail.includes(REDIRECT)) return 'if you trust the target of the redirect, write its address instead';
  return connectionRemedy(detail) ?? otherwise;
}

const FAILS = 'the authorization server itself fails: read its log, and its /readyz if it has one';

/** Like `faultRemedy`, for an authorization server. `rows`: what a fault of this call contains → its remedy. */
export function serverRemedy(
  detail: string,
  rows: readonly (readonly [fault: RegExp | string, remedy: string])[],
  otherwise: string,
): string {
  const has = (fault: RegExp | string) => (typeof fault === 'string' ? detail.includes(fault) : fault.test(detail));
  const found = [[/\bstatus 5\d\d\b/, FAILS] as const, ...rows].find(([fault]) => has(fault));
  return faultRemedy(detail, found?.[1] ?? otherwise);
}

/** The error code, or the message if there is no code. */
export function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // If a name has several addresses, the parts of the error have the codes.
  if (error instanceof AggregateError && error.errors.length > 0) return errorCodeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** The finding for a store that does not answer. Any other error is a bug, and is thrown again. */
export function storeFault(error: unknown, otherwise: string): Seen {
  if (!(error instanceof StorageUnavailable || error instanceof StorageUnusable)) throw error;
  const detail = reasonsOf(error);
  return bad(detail, faultRemedy(detail, otherwise));
}

/** The message of the program, then the messages of the database. */
function reasonsOf(error: Error): string {
  const { cause, message } = error;
  if (!(cause instanceof Error)) return message;
  const below = cause instanceof AggregateError ? cause.errors.map(String).join('; ') : reasonsOf(cause);
  return message.includes(below) || below === '' ? message : `${message}: ${below}`;
}
