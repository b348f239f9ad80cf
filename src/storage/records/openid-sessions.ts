import { all, first, integer, type Row, run, scopeTokens, text, type Verb } from '../engine/verb.ts';
import { revokeGrant } from './grants.ts';

/** Remembers that this client has an ID token of the session. */
export function* noteSessionClient(sessionId: string, clientId: string): Verb<void> {
  yield* run(
    `INSERT INTO session_client (session_id, client_id, subject, until)
     SELECT id, $2, subject, expires_at FROM login_session WHERE id = $1
     ON CONFLICT (session_id, client_id) DO UPDATE SET until = excluded.until`,
    sessionId,
    clientId,
  );
}

/**
 * Ends what a session gave its clients, and makes one notice for each client. Codes come before grants, as in
 * `endEverything`: this waits for a running exchange of a code, and then finds the grant that the exchange made.
 */
export function* endSessionAtClients(sessionId: string, now: number): Verb<void> {
  yield* run('DELETE FROM authorization_code WHERE session_id = $1 AND used_at IS NULL', sessionId);
  yield* endSessionGrants(sessionId, now);
  yield* makeNotices(sessionId, now);
}

/** OpenID Connect Back-Channel Logout §2.7: a grant with `offline_access` outlives the session. */
function* endSessionGrants(sessionId: string, now: number): Verb<void> {
  const rows = yield* all(
    `UPDATE authorization_grant SET used_at = used_at
     WHERE session_id = $1 AND revoked_at IS NULL RETURNING id, scope`,
    sessionId,
  );
  for (const row of rows)
    if (!scopeTokens(row, 'scope').includes('offline_access')) yield* revokeGrant(text(row, 'id'), now);
}

/** One for each client that has an ID token of the session. */
export function* makeNotices(sessionId: string, now: number): Verb<void> {
  const clients = yield* all(
    'DELETE FROM session_client WHERE session_id = $1 RETURNING client_id, subject',
    sessionId,
  );
  for (const row of clients)
    yield* run(
      `INSERT INTO logout_notice (session_id, client_id, subject, created_at, next_at, attempts)
       VALUES ($1, $2, $3, $4, $4, 0) ON CONFLICT (session_id, client_id) DO NOTHING`,
      sessionId,
      text(row, 'client_id'),
      text(row, 'subject'),
      now,
    );
}

/** A client that must still learn that a session ended. */
export interface LogoutNotice {
  readonly sessionId: string;
  readonly clientId: string;
  readonly subject: string;
  readonly createdAt: number;
  /** This attempt included. */
  readonly attempts: number;
}

export interface NoticeClaim {
  readonly now: number;
  /** Until then, no other process takes the notice. After a crash, another attempt follows. */
  readonly leaseUntil: number;
  readonly limit: number;
}

/** Takes due notices. Of several processes, only one gets each notice. */
export function* takeLogoutNotices({ now, leaseUntil, limit }: NoticeClaim): Verb<readonly LogoutNotice[]> {
  const rows = yield* all(
    `UPDATE logout_notice SET next_at = $2, attempts = attempts + 1
     WHERE next_at <= $1 AND (session_id, client_id) IN
       (SELECT session_id, client_id FROM logout_notice WHERE next_at <= $1 ORDER BY next_at LIMIT $3)
     RETURNING session_id, client_id, subject, created_at, attempts`,
    now,
    leaseUntil,
    limit,
  );
  return rows.map(notice);
}

type NoticeKey = Pick<LogoutNotice, 'sessionId' | 'clientId'>;

/** The client has its answer, or gets no further attempt. */
export function* dropLogoutNotice({ sessionId, clientId }: NoticeKey): Verb<void> {
  yield* run('DELETE FROM logout_notice WHERE session_id = $1 AND client_id = $2', sessionId, clientId);
}

export function* delayLogoutNotice({ sessionId, clientId }: NoticeKey, nextAt: number): Verb<void> {
  yield* run(
    'UPDATE logout_notice SET next_at = $3 WHERE session_id = $1 AND client_id = $2',
    sessionId,
    clientId,
    nextAt,
  );
}

/** How many notices wait. */
export function* countLogoutNotices(): Verb<number> {
  const row = yield* first('SELECT count(*) AS waiting FROM logout_notice');
  return row === undefined ? 0 : integer(row, 'waiting');
}

function notice(row: Row): LogoutNotice {
  return {
    sessionId: text(row, 'session_id'),
    clientId: text(row, 'client_id'),
    subject: text(row, 'subject'),
    createdAt: integer(row, 'created_at'),
    attempts: integer(row, 'attempts'),
  };
}
