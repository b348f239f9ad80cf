import { LONGEST_STEP } from '../../base/clock.ts';
import {
  all,
  bytes,
  changed,
  first,
  integer,
  integerOrNone,
  type Row,
  run,
  text,
  textOrNone,
  type Verb,
} from '../engine/verb.ts';
import { endSessionAtClients } from './openid-sessions.ts';
import { type Premises, stillHold } from './preconditions.ts';
import { noteSecurityEvent } from './security-events.ts';

/** A browser in which a user is signed in. */
export interface SessionRecord {
  /** SHA-256 of the cookie's value. */
  readonly hash: Uint8Array;
  /** Identifies the session on pages, which must not show the hash. */
  readonly id: string;
  readonly subject: string;
  readonly username: string;
  readonly authenticatedAt: number;
  readonly expiresAt: number;
  readonly userAgent: string | undefined;
  /** Where the last recorded request came from. */
  readonly address: string | undefined;
  /** Undefined: unknown, because an older version made the session. */
  readonly seenAt: number | undefined;
}

/**
 * `outdated`: the checked password is no longer the user's, so no session starts. `renewed`: the hash of this browser's session.
 * If it belongs to the same user, the new session keeps its id: for the clients it is the same session.
 */
export function* saveSession(
  session: SessionRecord,
  premises: Premises = {},
  renewed?: Uint8Array,
): Verb<'saved' | 'outdated'> {
  if (!(yield* stillHold(premises, session.authenticatedAt))) return 'outdated';
  if (renewed !== undefined && (yield* renewSession(renewed, session))) return 'saved';
  yield* insertSession(session);
  return 'saved';
}

/** An update, and not a new row: a logout at the same time waits for this transaction, and then finds the session by its id. */
function* renewSession(renewed: Uint8Array, session: SessionRecord): Verb<boolean> {
  return yield* changed(
    `UPDATE login_session
     SET hash = $3, username = $4, authenticated_at = $5, expires_at = $6, user_agent = $7, address = $8, seen_at = $9
     WHERE hash = $1 AND subject = $2 RETURNING id`,
    renewed,
    session.subject,
    session.hash,
    session.username,
    session.authenticatedAt,
    session.expiresAt,
    session.userAgent,
    session.address,
    session.seenAt,
  );
}

function* insertSession(session: SessionRecord): Verb<void> {
  yield* run(
    `INSERT INTO login_session (hash, id, subject, username, authenticated_at, expires_at, user_agent, address, seen_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    session.hash,
    session.id,
    session.subject,
    session.username,
    session.authenticatedAt,
    session.expiresAt,
    session.userAgent,
    session.address,
    session.seenAt,
  );
}

/** The browser used the session. A session that has ended meanwhile stays ended. */
export function* seeSession({ hash, address, seenAt }: Pick<SessionRecord, 'hash' | 'address' | 'seenAt'>): Verb<void> {
  yield* run('UPDATE login_session SET address = $2, seen_at = $3 WHERE hash = $1', hash, address, seenAt);
}

export function* findSession(hash: Uint8Array, now: number): Verb<SessionRecord | undefined> {
  const row = yield* first(
    `SELECT * FROM login_session WHERE hash = $1 AND expires_at > $2 AND authenticated_at <= $2 + ${LONGEST_STEP}`,
    hash,
    now,
  );
  return row && session(row);
}

export function* listSessions(subject: string, now: number): Verb<readonly SessionRecord[]> {
  const rows = yield* all(
    'SELECT * FROM login_session WHERE subject = $1 AND expires_at > $2 ORDER BY authenticated_at DESC, id',
    subject,
    now,
  );
  return rows.map(session);
}

/** Only a session of this user. Its clients' tokens end with it, and the clients get notices. */
export function* endSession(id: string, subject: string, now: number): Verb<boolean> {
  const isEnded = yield* changed('DELETE FROM login_session WHERE id = $1 AND subject = $2 RETURNING id', id, subject);
  if (!isEnded) return false;
  yield* noteSecurityEvent({ event: 'session-revoked', subject, sessionId: id }, now);
  yield* endSessionAtClients({ id, subject }, now);
  return true;
}

/** Returns the ids. The caller ends the user's codes and grants, and then calls `makeNotices`. */
export function* endSessionsOfSubject(subject: string): Verb<readonly string[]> {
  const rows = yield* all('DELETE FROM login_session WHERE subject = $1 RETURNING id', subject);
  return rows.map((row) => text(row, 'id'));
}

function session(row: Row): SessionRecord {
  return {
    hash: bytes(row, 'hash'),
    id: text(row, 'id'),
    subject: text(row, 'subject'),
    username: text(row, 'username'),
    authenticatedAt: integer(row, 'authenticated_at'),
    expiresAt: integer(row, 'expires_at'),
    userAgent: textOrNone(row, 'user_agent'),
    address: textOrNone(row, 'address'),
    seenAt: integerOrNone(row, 'seen_at'),
  };
}
