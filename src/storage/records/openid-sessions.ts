import { all, first, integer, type Row, run, scopeTokens, text, type Verb } from '../engine/verb.ts';
import { type Ending, reportEach } from './events.ts';
import { ending } from './grants.ts';

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
  const grants = yield* endSessionGrants(sessionId, now);
  yield* makeNotices([sessionId], now);
  yield* reportEach('gid', grants, now);
}

/** OpenID Connect Back-Channel Logout §2.7: a grant with `offline_access` outlives the session. The caller reports the others. */
function* endSessionGrants(sessionId: string, now: number): Verb<readonly Ending[]> {
  const rows = yield* all(
    `UPDATE authorization_grant SET used_at = used_at
     WHERE session_id = $1 AND revoked_at IS NULL RETURNING id, scope, tokens_until`,
    sessionId,
  );
  const ended = rows.filter((row) => !scopeTokens(row, 'scope').includes('offline_access')).map(ending);
  for (const { key } of ended) yield* run('UPDATE authorization_grant SET revoked_at = $2 WHERE id = $1', key, now);
  return ended;
}

/**
 * One for each client that has an ID token of a session. Codes come before notices too: the exchange of a code adds its client.
 */
export function* makeNotices(sessionIds: readonly string[], now: number): Verb<void> {
  for (const id of sessionIds) {
    yield* run(
      `INSERT INTO logout_notice (session_id, client_id, subject, created_at, next_at, attempts)
       SELECT session_id, client_id, subject, $2, $2, 0 FROM session_client WHERE session_id = $1
       ON CONFLICT (session_id, client_id) DO NOTHING`,
      id,
      now,
    );
    yield* run('DELETE FROM session_client WHERE session_id = $1', id);
  }
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
  /** The most notices for one client, so that no client delays the notices of the others. */
  readonly share: number;
  /** These clients get none now. */
  readonly except: readonly string[];
}

/**
 * Notices that are compared at once. After an outage there may be a hundred thousand, and the sender asks again as soon as a
 * client has its share.
 */
const LOOKED_AT = 1_000;

/**
 * Takes due notices. Of several processes, only one gets each notice. Clients take turns, and first attempts come before later
 * ones.
 */
export function* takeLogoutNotices(claim: NoticeClaim): Verb<readonly LogoutNotice[]> {
  const { now, leaseUntil, limit, share, except } = claim;
  const others = except.map((_, index) => `AND client_id <> $${index + 5}`).join(' ');
  const rows = yield* all(
    `UPDATE logout_notice SET next_at = $2, attempts = attempts + 1
     WHERE next_at <= $1 AND (session_id, client_id) IN
       (SELECT session_id, client_id FROM
         (SELECT session_id, client_id, next_at, attempts AS tried,
           row_number() OVER (PARTITION BY client_id ORDER BY attempts, next_at) AS place
          FROM (SELECT session_id, client_id, next_at, attempts FROM logout_notice
                WHERE next_at <= $1 ${others} ORDER BY next_at LIMIT ${LOOKED_AT}) AS earliest) AS due
        WHERE place <= $4 ORDER BY place, tried, next_at LIMIT $3)
     RETURNING session_id, client_id, subject, created_at, attempts`,
    now,
    leaseUntil,
    limit,
    share,
    ...except,
  );
  return rows.map(notice);
}

type NoticeKey = Pick<LogoutNotice, 'sessionId' | 'clientId'>;

/** The client has answered, or gets no further attempt. */
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
