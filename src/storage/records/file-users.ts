import { all, bytes, changed, run, text, textOrNone, type Verb } from '../engine/verb.ts';
import { endAllSessions, type SignOut } from './accounts.ts';
import { newPassword, noteSecurityEvent } from './security-events.ts';

/** A user of the configuration file, as a service last read it. */
export interface FileUserRecord {
  readonly subject: string;
  /** Changes with each new password. No one can guess the password from it. */
  readonly passwordDigest: Uint8Array;
  /** The claims that access tokens contain, as JSON. Undefined: not known yet. */
  readonly tokenClaims?: string | undefined;
}

export function* listFileUsers(): Verb<readonly FileUserRecord[]> {
  const rows = yield* all('SELECT * FROM file_user ORDER BY subject');
  return rows.map((row) => ({
    subject: text(row, 'subject'),
    passwordDigest: bytes(row, 'password_digest'),
    tokenClaims: textOrNone(row, 'token_claims'),
  }));
}

/** Adds the missing users, and claims that are not known yet. Everything else stays unchanged. */
export function* addFileUsers(users: readonly FileUserRecord[]): Verb<void> {
  for (const { subject, passwordDigest, tokenClaims } of users)
    yield* run(
      `INSERT INTO file_user (subject, password_digest, token_claims) VALUES ($1, $2, $3)
       ON CONFLICT (subject) DO UPDATE SET token_claims = excluded.token_claims WHERE file_user.token_claims IS NULL`,
      subject,
      passwordDigest,
      tokenClaims,
    );
}

export interface ClaimsChange {
  readonly subject: string;
  /** As stored before. */
  readonly before: string;
  readonly after: string;
  /** Claim → its new value. */
  readonly changed: Readonly<Record<string, unknown>>;
  readonly now: number;
}

/** Of several processes that start with the same file, one reports the change. */
export function* changeTokenClaims({ subject, before, after, changed: claims, now }: ClaimsChange): Verb<void> {
  const isOurs = yield* changed(
    'UPDATE file_user SET token_claims = $3 WHERE subject = $1 AND token_claims = $2 RETURNING subject',
    subject,
    before,
    after,
  );
  if (isOurs && Object.keys(claims).length > 0)
    yield* noteSecurityEvent({ event: 'token-claims-change', subject, details: { claims } }, now);
}

/** Ends everything that depends on the old password. False: the password has not changed. */
export function* changeFileUser({ passwordDigest, ...signOut }: FileUserRecord & SignOut): Verb<boolean> {
  const isNew = yield* changed(
    'UPDATE file_user SET password_digest = $2 WHERE subject = $1 AND password_digest <> $2 RETURNING subject',
    signOut.subject,
    passwordDigest,
  );
  if (!isNew) return false;
  yield* noteSecurityEvent(newPassword(signOut.subject), signOut.now);
  yield* endAllSessions(signOut);
  return true;
}

/** Removes consents too, because another person may get the name, and with it the subject. False: there is no such user. */
export function* removeFileUser(signOut: SignOut): Verb<boolean> {
  const { subject } = signOut;
  if (!(yield* changed('DELETE FROM file_user WHERE subject = $1 RETURNING subject', subject))) return false;
  yield* run('DELETE FROM consent WHERE subject = $1', subject);
  yield* endAllSessions(signOut);
  return true;
}
