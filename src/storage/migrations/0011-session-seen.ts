import type { Migration } from './migration.ts';

/** When the browser used its session last, within five minutes. NULL in existing rows means that this is unknown. */
export const sessionSeen: Migration = {
  version: 11,
  name: 'when a session was seen',
  sql: `
    ALTER TABLE login_session ADD COLUMN seen_at INTEGER;
  `,
};
