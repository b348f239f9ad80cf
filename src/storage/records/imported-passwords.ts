import { all, changed, first, integer, run, text, type Verb } from '../engine/verb.ts';

/** A password for Basic from another server's file. An account of the same name takes precedence. */
export interface ImportedPassword {
  /** In the form of account names. */
  readonly username: string;
  /** In the form of htpasswd. */
  readonly passwordHash: string;
  readonly changedAt: number;
}

/** False if an imported password or an account of this name exists. */
export function* addImportedPassword({ username, passwordHash, changedAt }: ImportedPassword): Verb<boolean> {
  const account = yield* first('SELECT 1 AS found FROM account WHERE username = $1', username);
  if (account !== undefined) return false;
  return yield* changed(
    `INSERT INTO imported_password (username, password_hash, changed_at)
     VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING username`,
    username,
    passwordHash,
    changedAt,
  );
}

/** Replaces the earlier one; false if an account of this name exists, which stays unchanged. */
export function* setImportedPassword(password: ImportedPassword): Verb<boolean> {
  yield* run('DELETE FROM imported_password WHERE username = $1', password.username);
  return yield* addImportedPassword(password);
}

/** False if there is none. */
export function* removeImportedPassword(username: string): Verb<boolean> {
  return yield* changed('DELETE FROM imported_password WHERE username = $1 RETURNING username', username);
}

/** Only effective ones: a user with an account is not listed. */
export function* listImportedPasswords(): Verb<readonly ImportedPassword[]> {
  const rows = yield* all(
    `SELECT username, password_hash, changed_at FROM imported_password
     WHERE username NOT IN (SELECT username FROM account) ORDER BY username`,
  );
  return rows.map((row) => ({
    username: text(row, 'username'),
    passwordHash: text(row, 'password_hash'),
    changedAt: integer(row, 'changed_at'),
  }));
}

/** The size of the sample of each kind. */
const SAMPLE = 2_000;

/** Password hashes of accounts and of imported users. */
export function* samplePasswords(): Verb<readonly string[]> {
  const rows = yield* all(
    `SELECT password_hash FROM (SELECT password_hash FROM account ORDER BY subject LIMIT $1) AS theirs
     UNION ALL SELECT password_hash
     FROM (SELECT password_hash FROM imported_password ORDER BY username LIMIT $1) AS imported`,
    SAMPLE,
  );
  return rows.map((row) => text(row, 'password_hash'));
}

/** The password for Basic: of the account, otherwise the imported one. */
export function* findPasswordHash(
  username: string,
): Verb<{ readonly username: string; readonly passwordHash: string } | undefined> {
  const row = yield* first(
    `SELECT username, password_hash, 0 AS is_imported FROM account WHERE username = $1
     UNION ALL SELECT username, password_hash, 1 FROM imported_password WHERE username = $1
     ORDER BY is_imported LIMIT 1`,
    username,
  );
  return row && { username: text(row, 'username'), passwordHash: text(row, 'password_hash') };
}
