import type { Migration } from './migration.ts';

/**
 * What the user granted, by the grant of the consent page: JSON of lists. NULL in existing rows counts for codes, which
 * nearly all clients use. A client that gets tokens by `implicit` asks the user once more.
 */
export const consentByGrant: Migration = {
  version: 7,
  name: 'consent by grant',
  sql: `
    ALTER TABLE consent ADD COLUMN scope_by_grant TEXT;
  `,
};
