import { all, bytes, changed, run, text, type Verb } from '../engine/verb.ts';
import { endAllSessions, type SignOut } from './accounts.ts';

/** A user of the configuration file, as a service last read it. */
export interface FileUserRecord {
  readonly subject: string;
  /** Changes with each new password. No one can guess the password from it. */
  readonly passwordDigest: Uint8Array;
}

export function* listFileUsers(): Verb<readonly FileUserRecord[]> {
  const rows = yield* all('SELECT * FROM file_user ORDER BY subject');
  return rows.map((row) => ({ subject: text(row, 'subject'), passwordDigest: bytes(row, 'password_digest') }));
}

/** Adds the missing users. The others stay unchanged. */
export function* addFileUsers(users: readonly FileUserRecord[]): Verb<void> {
  for (const { subject, passwordDigest } of users)
    yield* run(
      'INSERT INTO file_user (subject, password_digest) VALUES ($1, $2) ON CONFLICT (subject) DO NOTHING',
      subject,
      passwordDigest,
    );
}

/** Ends everything that depends on the old password. False: the password has not changed. */
export function* changeFileUser({ passwordDigest, ...signOut }: FileUserRecord & SignOut): Verb<boolean> {
  const isNew = yield* changed(
    'UPDATE file_user SET password_digest = $2 WHERE subject = $1 AND password_digest <> $2 RETURNING subject',
    signOut.subject,
    passwordDigest,
  );
  if (isNew) yield* endAllSessions(signOut);
  return isNew;
}

/** Removes consents too, because another person may get the name, and with it the subject. False: there is no such user. */
export function* removeFileUser(signOut: SignOut): Verb<boolean> {
  const { subject } = signOut;
  if (!(yield* changed('DELETE FROM file_user WHERE subject = $1 RETURNING subject', subject))) return false;
  yield* run('DELETE FROM consent WHERE subject = $1', subject);
  yield* endAllSessions(signOut);
  return true;
}
