import type { Migration } from './migration.ts';

/**
 * `event_receiver`: which receivers hear of which events, by the configuration file. `security_event`: the events that a
 * receiver must still hear. `session_id` and `client_id` are NULL if the event is about the whole user. `details`: JSON,
 * the members of the event. `token_claims`: JSON, the claims of a user of the file that access tokens contain; NULL: unknown.
 */
export const securityEvents: Migration = {
  version: 12,
  name: 'security events',
  sql: `
    CREATE TABLE event_receiver (
      receiver_id TEXT NOT NULL,
      event TEXT NOT NULL,
      PRIMARY KEY (receiver_id, event)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE security_event (
      id TEXT NOT NULL,
      receiver_id TEXT NOT NULL,
      event TEXT NOT NULL,
      subject TEXT NOT NULL,
      session_id TEXT,
      client_id TEXT,
      details TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      next_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      PRIMARY KEY (id, receiver_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX security_event_by_time ON security_event (next_at);

    ALTER TABLE file_user ADD COLUMN token_claims TEXT;
  `,
};
