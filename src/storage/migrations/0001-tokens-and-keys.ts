import type { Migration } from './migration.ts';

/** The sweep finds ended rows by their time. The partial index allows only one current key for each algorithm. */
export const tokensAndKeys: Migration = {
  version: 1,
  name: 'tokens and keys',
  sql: `
    CREATE TABLE access_token (
      hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
      client_id TEXT NOT NULL,
      subject TEXT NOT NULL,
      scope TEXT NOT NULL,
      audience TEXT NOT NULL,
      issued_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX access_token_by_end ON access_token (expires_at);

    CREATE TABLE denied_jwt (
      jti TEXT PRIMARY KEY,
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX denied_jwt_by_end ON denied_jwt (until);

    CREATE TABLE signing_key (
      kid TEXT PRIMARY KEY,
      alg TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('next', 'current', 'retired')),
      public_jwk TEXT NOT NULL,
      private_key BLOB NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX signing_key_current ON signing_key (alg) WHERE status = 'current';

    CREATE TABLE heartbeat (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      at INTEGER NOT NULL
    ) STRICT;
  `,
};
