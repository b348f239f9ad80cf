import { all, changed, first, integer, json, type Row, run, text, textOrNone, type Verb } from '../engine/verb.ts';
import { endSessionKeys } from './ended-session-keys.ts';
import { type Ending, LONGEST_LIFE, lastEnd, reportEach, reportEvent } from './events.ts';
import { endGrantsOfSubject } from './grants.ts';
import { makeNotices } from './openid-sessions.ts';
import { newPassword, noteSecurityEvent } from './security-events.ts';
import { endSessionsOfSubject } from './sessions.ts';
import { removeUserKeys, reportUserKeys } from './user-keys.ts';

/** A person who can log in. */
export interface AccountRecord {
  /** `sub`: never changes, and never belongs to another person. */
  readonly subject: string;
  readonly username: string;
  /** PHC string. */
  readonly passwordHash: string;
  /** Changes with each new password. A stronger hash of the same password does not change it. */
  readonly passwordVersion: number;
  readonly name: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
}

/** False if the username or the subject is taken. A client's id also counts as a taken subject (RFC 9068 §5). */
export function* addAccount(account: Omit<AccountRecord, 'passwordVersion'>): Verb<boolean> {
  return yield* changed(
    `INSERT INTO account (subject, username, password_hash, password_version, name, claims, created_at)
     SELECT $1, $2, $3, 1, $4, $5, $6 WHERE NOT EXISTS (SELECT 1 FROM client WHERE client_id = $1)
     ON CONFLICT DO NOTHING RETURNING subject`,
    account.subject,
    account.username,
    account.passwordHash,
    account.name,
    JSON.stringify(account.claims),
    account.createdAt,
  );
}

export function* findAccount(username: string): Verb<AccountRecord | undefined> {
  const row = yield* first('SELECT * FROM account WHERE username = $1', username);
  return row && account(row);
}

export function* findAccountBySubject(subject: string): Verb<AccountRecord | undefined> {
  const row = yield* first('SELECT * FROM account WHERE subject = $1', subject);
  return row && account(row);
}

export function* listAccounts(): Verb<readonly AccountRecord[]> {
  return (yield* all('SELECT * FROM account ORDER BY username')).map(account);
}

/** The size of the sample. The order by subject is independent of the password's cost. */
const SAMPLE = 2_000;

/** Password hashes: all, or a sample if there are many accounts. */
export function* samplePasswordHashes(): Verb<readonly string[]> {
  const rows = yield* all('SELECT password_hash FROM account ORDER BY subject LIMIT $1', SAMPLE);
  return rows.map((row) => text(row, 'password_hash'));
}

export interface PasswordChange {
  readonly username: string;
  readonly passwordHash: string;
  readonly now: number;
  /** See `until` of `UserKeyRotation`; absent: the user's own signing keys stay. */
  readonly keysUntil?: number | undefined;
}

/** Changes the password, and ends the sessions of the old one. False for an unknown user. */
export function* setPassword({ username, passwordHash, now, keysUntil }: PasswordChange): Verb<boolean> {
  const row = yield* first(
    `UPDATE account SET password_hash = $2, password_version = password_version + 1
     WHERE username = $1 RETURNING subject`,
    username,
    passwordHash,
  );
  if (row === undefined) return false;
  const subject = text(row, 'subject');
  yield* noteSecurityEvent(newPassword(subject), now);
  yield* endAllSessions({ subject, now, keysUntil });
  return true;
}

export interface SignOut extends Pick<PasswordChange, 'now' | 'keysUntil'> {
  readonly subject: string;
}

/**
 * Ends every session and every grant of a user, with all their tokens. The feed reports each grant instead of a time. A time
 * has whole seconds: it cannot separate old tokens from tokens of a user who signs in again at once.
 */
export function* endAllSessions({ subject, now, keysUntil }: SignOut): Verb<void> {
  const { kids, keys, grants } = yield* endEverything(subject, now, keysUntil);
  yield* reportEach('gid', grants, now);
  yield* reportEach('token_hash', keys, now);
  yield* reportUserKeys(kids, keysUntil ?? now, now);
}

/** Stores a stronger hash of the same password, unless the password changed meanwhile. */
export function* rehashPassword(subject: string, old: string, next: string): Verb<void> {
  yield* run('UPDATE account SET password_hash = $3 WHERE subject = $1 AND password_hash = $2', subject, old, next);
}

/**
 * Removes the account with its sessions, consents, grants and keys. `keysUntil`: see `PasswordChange`. False for an unknown
 * user.
 */
export function* removeAccount(username: string, now: number, keysUntil = now): Verb<boolean> {
  const row = yield* first('DELETE FROM account WHERE username = $1 RETURNING subject', username);
  if (row === undefined) return false;
  const subject = text(row, 'subject');
  const { kids, grants } = yield* endEverything(subject, now, keysUntil);
  yield* run('DELETE FROM consent WHERE subject = $1', subject);
  yield* run('DELETE FROM imported_password WHERE username = $1', username);
  // The subject is never used again, so all its tokens end, whenever they were issued.
  const until = lastEnd(grants, now + LONGEST_LIFE);
  yield* reportEvent('sub_nbf', subject, until, now, until);
  yield* reportUserKeys(kids, keysUntil, now);
  return true;
}

/** The ended things that the feed must report. */
interface Ended {
  readonly kids: readonly string[];
  /** Session keys. */
  readonly keys: readonly Ending[];
  readonly grants: readonly Ending[];
}

/** Codes come before grants: this waits for a running exchange of a code, and then finds the grant that the exchange made. */
function* endEverything(subject: string, now: number, keysUntil: number | undefined): Verb<Ended> {
  const sessions = yield* endSessionsOfSubject(subject);
  const kids = keysUntil === undefined ? [] : yield* removeUserKeys(subject);
  yield* run('DELETE FROM authorization_code WHERE subject = $1 AND used_at IS NULL', subject);
  const keys = yield* endSessionKeys({ subject }, now);
  const grants = yield* endGrantsOfSubject(subject, now);
  yield* makeNotices(
    sessions.map((id) => ({ id, subject })),
    now,
  );
  yield* noteSecurityEvent({ event: 'session-revoked', subject }, now);
  return { kids, keys, grants };
}

function account(row: Row): AccountRecord {
  return {
    subject: text(row, 'subject'),
    username: text(row, 'username'),
    passwordHash: text(row, 'password_hash'),
    passwordVersion: integer(row, 'password_version'),
    name: textOrNone(row, 'name'),
    claims: json(row, 'claims'),
    createdAt: integer(row, 'created_at'),
  };
}
