import type { Migration } from './migration.ts';

/** One valid key for each user and algorithm. Nothing remains of a rotated key. */
export const userKeys: Migration = {
  version: 4,
  name: 'user keys',
  sql: `
    CREATE TABLE user_key (
      subject TEXT NOT NULL,
      alg TEXT NOT NULL,
      kid TEXT NOT NULL UNIQUE,
      public_jwk TEXT,
      private_jwk BLOB NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (subject, alg)
    ) STRICT, WITHOUT ROWID;
  `,
};
