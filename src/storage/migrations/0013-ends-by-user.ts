import type { Migration } from './migration.ts';

/**
 * The end of a session finds its codes and grants among those of its user. Each exchange of a code wrote an entry into these
 * indexes, and a session rarely ends.
 */
export const endsByUser: Migration = {
  version: 13,
  name: 'sessions end by user',
  sql: `
    DROP INDEX authorization_code_by_session;
    DROP INDEX authorization_grant_by_session;
  `,
};
