import { all, bytes, changed, run, text, type Verb } from '../engine/verb.ts';
import { endAllSessions, type SignOut } from './accounts.ts';

/** A user of the configuration file, as a service last took it up. */
export interface FileUserRecord {
  readonly subject: string;
  /** Another one with each new password, and nothing to guess the password by. */
  readonly passwordDigest: Uint8Array;
}

export function* listFileUsers(): Verb<readonly FileUserRecord[]> {
  const rows = yield* all('SELECT * FROM file_user ORDER BY subject');
  return rows.map((row) => ({ subject: text(row, 'subject'), passwordDigest: bytes(row, 'password_digest') }));
}

/** Those that are not there yet; the others stay as they are. */
export function* addFileUsers(users: readonly FileUserRecord[]): Verb<void> {
  for (const { subject, passwordDigest } of users)
    yield* run(
      'INSERT INTO file_user (subject, password_digest) VALUES ($1, $2) ON CONFLICT (subject) DO NOTHING',
      subject,
      passwordDigest,
    );
}

/** Everything that rests on the old password ends. False: it is the password that was there already. */
export function* changeFileUser({ passwordDigest, ...signOut }: FileUserRecord & SignOut): Verb<boolean> {
  const isNew = yield* changed(
    'UPDATE file_user SET password_digest = $2 WHERE subject = $1 AND password_digest <> $2 RETURNING subject',
    signOut.subject,
    passwordDigest,
  );
  if (isNew) yield* endAllSessions(signOut);
  return isNew;
}

/**
 * Consents too, for another person may get the name, and with it the subject. False: there is no such user, or no longer.
 */
export function* removeFileUser(signOut: SignOut): Verb<boolean> {
  const { subject } = signOut;
  if (!(yield* changed('DELETE FROM file_user WHERE subject = $1 RETURNING subject', subject))) return false;
  yield* run('DELETE FROM consent WHERE subject = $1', subject);
  yield* endAllSessions(signOut);
  return true;
}
