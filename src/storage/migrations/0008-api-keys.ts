import type { Migration } from './migration.ts';

/** API keys of clients. `hash` is `sha256:…` or `hmac:…`, so the database reveals no key. */
export const apiKeys: Migration = {
  version: 8,
  name: 'API keys',
  sql: `
    CREATE TABLE api_key (
      id TEXT PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      client TEXT NOT NULL,
      scope TEXT NOT NULL,
      expires_at INTEGER,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
