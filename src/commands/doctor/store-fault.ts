import { StorageUnavailable, StorageUnusable } from '../../storage/errors.ts';
import { remedyFor } from './connection-fault.ts';
import { bad, type Seen } from './finding.ts';

/** What a store that does not answer says of itself; anything else is a defect, and thrown on. */
export function storeFault(error: unknown, otherwise: string): Seen {
  if (!(error instanceof StorageUnavailable || error instanceof StorageUnusable)) throw error;
  const detail = reasonsOf(error);
  return bad(detail, remedyFor(detail, otherwise));
}

/** What is said first is what the programs say; below it stands what the database said. */
function reasonsOf(error: Error): string {
  const { cause, message } = error;
  if (!(cause instanceof Error)) return message;
  const below = cause instanceof AggregateError ? cause.errors.map(String).join('; ') : reasonsOf(cause);
  return message.includes(below) || below === '' ? message : `${message}: ${below}`;
}
