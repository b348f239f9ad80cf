import type { Migration } from './migration.ts';

/**
 * Clients that registered themselves. `token_hash`: the hash of the token with which the client manages its
 * registration. `used_at`: the client got its last token then, within a day; at first, the time of the registration.
 */
export const clientRegistrations: Migration = {
  version: 10,
  name: 'clients that register themselves',
  sql: `
    CREATE TABLE client_registration (
      client_id TEXT PRIMARY KEY,
      token_hash BLOB NOT NULL,
      used_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX client_registration_by_use ON client_registration (used_at);
  `,
};
