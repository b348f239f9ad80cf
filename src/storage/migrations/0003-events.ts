import type { Migration } from './migration.ts';

/**
 * The messages of the revocation feed. `event_feed` has one row, whose lock orders the numbers. `tokens_until` is the time when
 * the last access token of a grant ends. If an earlier version did not store it, it is the latest possible time.
 */
export const events: Migration = {
  version: 3,
  name: 'events',
  sql: `
    CREATE TABLE event (
      seq INTEGER PRIMARY KEY,
      kind TEXT NOT NULL CHECK (
        kind IN ('kid', 'jti', 'gid', 'sub_nbf', 'client_nbf', 'token_hash', 'reset')),
      key TEXT NOT NULL,
      until INTEGER NOT NULL,
      nbf INTEGER,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX event_by_end ON event (until);
    CREATE INDEX event_by_key ON event (kind, key);

    CREATE TABLE event_feed (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      last_seq INTEGER NOT NULL,
      pruned_seq INTEGER NOT NULL
    ) STRICT;

    ALTER TABLE authorization_grant ADD COLUMN tokens_until INTEGER NOT NULL DEFAULT 0;
    UPDATE authorization_grant SET tokens_until = CASE
      WHEN expires_at < coalesce(used_at, created_at) + 86400 THEN expires_at
      ELSE coalesce(used_at, created_at) + 86400 END;
  `,
  postgres: `
    CREATE FUNCTION event_notify() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN NOTIFY gatehouse_event; RETURN NULL; END';
    CREATE TRIGGER event_notify AFTER INSERT ON event FOR EACH STATEMENT EXECUTE FUNCTION event_notify();
  `,
};
