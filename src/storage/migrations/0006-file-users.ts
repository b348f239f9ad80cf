import type { Migration } from './migration.ts';

/**
 * The password of each user of the file, when a service last read it. It is a keyed digest, so no one can guess the password
 * from it.
 */
export const fileUsers: Migration = {
  version: 6,
  name: 'users of the file',
  sql: `
    CREATE TABLE file_user (
      subject TEXT PRIMARY KEY,
      password_digest BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
