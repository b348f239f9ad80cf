import type { Migration } from './migration.ts';

/** A used code is kept for as long as its tokens are valid, so that a replay is always detected. */
export const grantsAndPeople: Migration = {
  version: 2,
  name: 'grants and people',
  sql: `
    ALTER TABLE access_token ADD COLUMN username TEXT;
    ALTER TABLE access_token ADD COLUMN claims TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE access_token ADD COLUMN grant_id TEXT;
    ALTER TABLE access_token ADD COLUMN auth_time INTEGER;

    CREATE TABLE authorization_grant (
      id TEXT PRIMARY KEY,
      client_id TEXT NOT NULL,
      subject TEXT NOT NULL,
      username TEXT,
      scope TEXT NOT NULL,
      audience TEXT NOT NULL,
      auth_time INTEGER,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER,
      revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX authorization_grant_by_person ON authorization_grant (subject, client_id);
    CREATE INDEX authorization_grant_by_client ON authorization_grant (client_id);
    CREATE INDEX authorization_grant_by_end ON authorization_grant (expires_at);

    CREATE TABLE authorization_code (
      hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
      for_use TEXT NOT NULL CHECK (for_use IN ('token', 'session')),
      client_id TEXT NOT NULL,
      subject TEXT NOT NULL,
      username TEXT NOT NULL,
      scope TEXT NOT NULL,
      audience TEXT NOT NULL,
      redirect_uri TEXT,
      redirect_uri_sent INTEGER NOT NULL,
      challenge TEXT,
      auth_time INTEGER NOT NULL,
      grant_id TEXT NOT NULL,
      issued_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER,
      keep_until INTEGER NOT NULL,
      failures INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX authorization_code_by_end ON authorization_code (keep_until);
    CREATE INDEX authorization_code_by_person ON authorization_code (subject, client_id);

    CREATE TABLE refresh_token (
      hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
      grant_id TEXT NOT NULL,
      scope TEXT NOT NULL,
      audience TEXT NOT NULL,
      issued_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER,
      successor BLOB,
      response BLOB,
      carried BLOB
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX refresh_token_by_end ON refresh_token (expires_at);

    CREATE TABLE consent (
      subject TEXT NOT NULL,
      client_id TEXT NOT NULL,
      scope TEXT NOT NULL,
      granted_at INTEGER NOT NULL,
      PRIMARY KEY (subject, client_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE login_session (
      hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
      id TEXT NOT NULL UNIQUE,
      subject TEXT NOT NULL,
      username TEXT NOT NULL,
      authenticated_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      user_agent TEXT,
      address TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX login_session_by_person ON login_session (subject);
    CREATE INDEX login_session_by_end ON login_session (expires_at);

    CREATE TABLE account (
      subject TEXT PRIMARY KEY,
      username TEXT NOT NULL UNIQUE,
      password_hash TEXT NOT NULL,
      password_version INTEGER NOT NULL,
      name TEXT,
      claims TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE client (
      client_id TEXT PRIMARY KEY,
      metadata TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE client_secret (
      hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
      client_id TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX client_secret_by_client ON client_secret (client_id);

    CREATE TABLE session_key (
      hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
      client_id TEXT NOT NULL,
      subject TEXT NOT NULL,
      username TEXT NOT NULL,
      openid TEXT NOT NULL,
      scope TEXT NOT NULL,
      value BLOB NOT NULL,
      issued_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      UNIQUE (client_id, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_key_by_end ON session_key (expires_at);

    CREATE TABLE one_time (
      hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX one_time_by_end ON one_time (until);

    CREATE TABLE secret (
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;

    ALTER TABLE signing_key ADD COLUMN retired_at INTEGER;
    CREATE UNIQUE INDEX signing_key_next ON signing_key (alg) WHERE status = 'next';
  `,
};
