import type { Migration } from './migration.ts';

/**
 * `session_id` is the id of the browser session in which the user logged in. `openid`: JSON, see `OpenidFacts`.
 * `session_client`: the clients that have an ID token of a session. `logout_notice`: the clients that must still learn that
 * a session ended.
 */
export const openidConnect: Migration = {
  version: 9,
  name: 'OpenID Connect',
  sql: `
    ALTER TABLE authorization_code ADD COLUMN session_id TEXT;
    ALTER TABLE authorization_code ADD COLUMN openid TEXT;
    ALTER TABLE authorization_grant ADD COLUMN session_id TEXT;
    ALTER TABLE authorization_grant ADD COLUMN openid TEXT;
    CREATE INDEX authorization_code_by_session ON authorization_code (session_id) WHERE session_id IS NOT NULL;
    CREATE INDEX authorization_grant_by_session ON authorization_grant (session_id) WHERE session_id IS NOT NULL;

    CREATE TABLE session_client (
      session_id TEXT NOT NULL,
      client_id TEXT NOT NULL,
      subject TEXT NOT NULL,
      until INTEGER NOT NULL,
      PRIMARY KEY (session_id, client_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_client_by_end ON session_client (until);

    CREATE TABLE logout_notice (
      session_id TEXT NOT NULL,
      client_id TEXT NOT NULL,
      subject TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      next_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      PRIMARY KEY (session_id, client_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX logout_notice_by_time ON logout_notice (next_at);
  `,
};
