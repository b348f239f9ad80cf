import { all, run, type Verb } from '../engine/verb.ts';
import { pruneEvents } from './events.ts';

/**
 * A used code stays until its session ends (see `makeNotices`), because each login of the same user renews the session. The
 * same is true for what earlier versions wrote about the session's clients.
 */
const isSessionGone = (table: string) => `NOT EXISTS (SELECT 1 FROM login_session WHERE id = ${table}.session_id)`;

/**
 * Table, key, and the column with the time after which a row is no longer needed. The last part is a condition that such a row
 * must meet too.
 */
const ending: readonly (readonly [table: string, key: string, end: string, condition?: string])[] = [
  ['access_token', 'hash', 'expires_at'],
  ['denied_jwt', 'jti', 'until'],
  ['authorization_code', 'hash', 'keep_until', `(used_at IS NULL OR ${isSessionGone('authorization_code')})`],
  ['refresh_token', 'hash', 'expires_at'],
  ['authorization_grant', 'id', 'expires_at'],
  ['login_session', 'hash', 'expires_at'],
  ['session_client', 'session_id', 'until', isSessionGone('session_client')],
  ['session_key', 'hash', 'expires_at'],
  ['client_secret', 'hash', 'expires_at'],
  ['one_time', 'hash', 'until'],
];

/** Removes up to `limit` rows of each kind that ended before `now`. Returns their number. */
export function* sweep(now: number, limit: number): Verb<number> {
  let removed = 0;
  for (const [table, key, end, condition = '1 = 1'] of ending) {
    const rows = yield* all(
      // The end is checked again: a selected row may have been extended meanwhile.
      `DELETE FROM ${table} WHERE ${end} <= $1
         AND ${key} IN (SELECT ${key} FROM ${table} WHERE ${end} <= $1 AND ${condition} LIMIT $2) RETURNING 1 AS gone`,
      now,
      limit,
    );
    removed += rows.length;
  }
  return removed + (yield* pruneEvents(now, limit));
}

/** Proves by a write that the store works. A full or read-only disk still answers reads. */
export function* ping(now: number): Verb<void> {
  yield* run('INSERT INTO heartbeat (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at', now);
}
