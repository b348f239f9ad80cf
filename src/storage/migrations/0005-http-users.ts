import type { Migration } from './migration.ts';

/**
 * Users of Basic and Digest at a gateway. The sealed value in `ha1` is as good as a password. A hash in `imported_password` has
 * the form of its original file, and is valid until the user has an account.
 */
export const httpUsers: Migration = {
  version: 5,
  name: 'users of Basic and Digest',
  sql: `
    CREATE TABLE digest_user (
      realm TEXT NOT NULL,
      username TEXT NOT NULL,
      algorithm TEXT NOT NULL,
      userhash TEXT NOT NULL,
      ha1 BLOB NOT NULL,
      changed_at INTEGER NOT NULL,
      PRIMARY KEY (realm, username, algorithm)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX digest_user_by_hash ON digest_user (realm, algorithm, userhash);

    CREATE TABLE imported_password (
      username TEXT PRIMARY KEY,
      password_hash TEXT NOT NULL,
      changed_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
