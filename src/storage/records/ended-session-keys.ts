import { all, bytes, integer, type Row, run, type Verb } from '../engine/verb.ts';
import { tokenHashKey } from './access-tokens.ts';
import { type Ending, LONGEST_LIFE } from './events.ts';

/** One user's keys, at one client or at all clients. */
export interface KeyHolder {
  readonly subject: string;
  readonly clientId?: string | undefined;
}

/** Removes the keys. The caller reports them as `token_hash`. */
export function* endSessionKeys({ subject, clientId }: KeyHolder, now: number): Verb<readonly Ending[]> {
  const rows = yield* all(
    `DELETE FROM session_key WHERE subject = $1 AND client_id = coalesce($2, client_id) RETURNING hash, expires_at`,
    subject,
    clientId,
  );
  return rows.map((row) => endedKey(row, now));
}

/** Locks the keys: a verb that replaces one waits until this transaction has ended. */
export function* holdSessionKeys({ subject, clientId }: KeyHolder): Verb<readonly Row[]> {
  return yield* all(
    `UPDATE session_key SET scope = scope WHERE subject = $1 AND client_id = coalesce($2, client_id)
     RETURNING hash, scope, expires_at`,
    subject,
    clientId,
  );
}

/** Removes these rows. The caller reports them as `token_hash`. */
export function* endSessionKeysOf(rows: readonly Row[], now: number): Verb<readonly Ending[]> {
  for (const row of rows) yield* run('DELETE FROM session_key WHERE hash = $1', bytes(row, 'hash'));
  return rows.map((row) => endedKey(row, now));
}

/** A gateway that cached the key asks again within a day, and then learns that it is gone. */
export function endedKey(row: Row, now: number): Ending {
  const until = Math.min(integer(row, 'expires_at'), now + LONGEST_LIFE);
  return { key: tokenHashKey(bytes(row, 'hash')), until };
}
