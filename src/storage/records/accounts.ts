import { integer, json, text, textOrNone } from '../columns.ts';
import { all, changed, first, type Row, run, type Verb } from '../verb.ts';
import { revokeGrantsOfSubject } from './grants.ts';
import { endSessionsOfSubject } from './sessions.ts';

/** A person who can log in. */
export interface AccountRecord {
  /** `sub`: never changes, and never names another person. */
  readonly subject: string;
  readonly username: string;
  /** PHC string. */
  readonly passwordHash: string;
  /** Another one with each new password; a stronger hash of the same password leaves it. */
  readonly passwordVersion: number;
  readonly name: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
}

/** False where the username or the subject is taken. */
export function* addAccount(account: Omit<AccountRecord, 'passwordVersion'>): Verb<boolean> {
  return yield* changed(
    `INSERT INTO account (subject, username, password_hash, password_version, name, claims, created_at)
     VALUES ($1, $2, $3, 1, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING subject`,
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

export interface PasswordChange {
  readonly username: string;
  readonly passwordHash: string;
  readonly now: number;
}

/** Whoever was signed in with the old password is so no longer; false for an unknown user. */
export function* setPassword({ username, passwordHash, now }: PasswordChange): Verb<boolean> {
  const row = yield* first(
    `UPDATE account SET password_hash = $2, password_version = password_version + 1
     WHERE username = $1 RETURNING subject`,
    username,
    passwordHash,
  );
  if (row === undefined) return false;
  yield* endEverything(text(row, 'subject'), now);
  return true;
}

/** A stronger hash of the same password, unless the password changed meanwhile. */
export function* rehashPassword(subject: string, old: string, next: string): Verb<void> {
  yield* run('UPDATE account SET password_hash = $3 WHERE subject = $1 AND password_hash = $2', subject, old, next);
}

/** With sessions, consents and grants; false for an unknown user. */
export function* removeAccount(username: string, now: number): Verb<boolean> {
  const row = yield* first('DELETE FROM account WHERE username = $1 RETURNING subject', username);
  if (row === undefined) return false;
  const subject = text(row, 'subject');
  yield* endEverything(subject, now);
  yield* run('DELETE FROM consent WHERE subject = $1', subject);
  return true;
}

/** Codes first: that waits for an exchange which is under way, and what came of it is then found by the others. */
function* endEverything(subject: string, now: number): Verb<void> {
  yield* endSessionsOfSubject(subject);
  yield* run('DELETE FROM authorization_code WHERE subject = $1 AND used_at IS NULL', subject);
  yield* run('DELETE FROM session_key WHERE subject = $1', subject);
  yield* revokeGrantsOfSubject(subject, now);
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
