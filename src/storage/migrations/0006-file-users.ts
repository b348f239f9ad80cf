import type { Migration } from './migration.ts';

/** Which password each user of the file had when a service took it up last: a keyed digest, which is no hash to guess at. */
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
