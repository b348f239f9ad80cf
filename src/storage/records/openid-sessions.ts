import { all, type Row, run, scopeTokens, text, type Verb } from '../engine/verb.ts';
import { type Ending, reportEach } from './events.ts';
import { ending } from './grants.ts';
import {
  type Attempted,
  attempted,
  countWaiting,
  delay,
  drop,
  type NoticeClaim,
  type OutboxTable,
  takeDue,
} from './outbox.ts';

/** A session that has just ended. */
export interface EndedSession {
  readonly id: string;
  /** The session's user. An index leads to the codes and grants of a user, and none to those of a session. */
  readonly subject: string;
}

/**
 * Ends what a session gave its clients, and makes one notice for each client. Codes come before grants, as in
 * `endEverything`: this waits for a running exchange of a code, and then finds the grant that the exchange made.
 */
export function* endSessionAtClients(session: EndedSession, now: number): Verb<void> {
  yield* run(
    'DELETE FROM authorization_code WHERE subject = $1 AND session_id = $2 AND used_at IS NULL',
    session.subject,
    session.id,
  );
  const grants = yield* endSessionGrants(session, now);
  yield* makeNotices([session], now);
  yield* reportEach('gid', grants, now);
}

/** OpenID Connect Back-Channel Logout §2.7: a grant with `offline_access` outlives the session. The caller reports the others. */
function* endSessionGrants({ id, subject }: EndedSession, now: number): Verb<readonly Ending[]> {
  const rows = yield* all(
    `UPDATE authorization_grant SET used_at = used_at
     WHERE subject = $1 AND session_id = $2 AND revoked_at IS NULL RETURNING id, scope, tokens_until`,
    subject,
    id,
  );
  const ended = rows.filter((row) => !scopeTokens(row, 'scope').includes('offline_access')).map(ending);
  for (const { key } of ended) yield* run('UPDATE authorization_grant SET revoked_at = $2 WHERE id = $1', key, now);
  return ended;
}

/**
 * Where the clients of a session are. The exchange of a code writes nothing for this, because a used code names its client.
 * Earlier versions wrote `session_client`.
 */
const sources = ['authorization_code', 'session_client'] as const;

/**
 * One for each client that has an ID token of a session. Codes end before notices are made, because this waits for a
 * running exchange of a code, and then finds its client.
 */
export function* makeNotices(sessions: readonly EndedSession[], now: number): Verb<void> {
  for (const { id, subject } of sessions) {
    for (const source of sources) yield* noticesFrom(source, { id, subject }, now);
    yield* run('DELETE FROM session_client WHERE session_id = $1', id);
  }
}

function noticesFrom(source: (typeof sources)[number], { id, subject }: EndedSession, now: number): Verb<void> {
  return run(
    `INSERT INTO logout_notice (session_id, client_id, subject, created_at, next_at, attempts)
     SELECT session_id, client_id, subject, $3, $3, 0 FROM ${source} WHERE subject = $1 AND session_id = $2
     ON CONFLICT (session_id, client_id) DO NOTHING`,
    subject,
    id,
    now,
  );
}

/** A client that must still learn that a session ended. */
export interface LogoutNotice extends Attempted {
  readonly sessionId: string;
  readonly clientId: string;
  readonly subject: string;
}

const notices: OutboxTable = { table: 'logout_notice', key: 'session_id', receiver: 'client_id' };

/** `except`: these clients get none now. */
export function* takeLogoutNotices(claim: NoticeClaim, except: readonly string[]): Verb<readonly LogoutNotice[]> {
  return (yield* takeDue(notices, claim, { except })).map(notice);
}

type NoticeKey = Pick<LogoutNotice, 'sessionId' | 'clientId'>;

/** The client has answered, or gets no further attempt. */
export function dropLogoutNotice({ sessionId, clientId }: NoticeKey): Verb<void> {
  return drop(notices, sessionId, clientId);
}

export function delayLogoutNotice({ sessionId, clientId }: NoticeKey, nextAt: number): Verb<void> {
  return delay(notices, [sessionId, clientId], nextAt);
}

/** How many notices wait. */
export function countLogoutNotices(): Verb<number> {
  return countWaiting(notices);
}

function notice(row: Row): LogoutNotice {
  return {
    sessionId: text(row, 'session_id'),
    clientId: text(row, 'client_id'),
    subject: text(row, 'subject'),
    ...attempted(row),
  };
}
