import type { Migration } from './migration.ts';

/**
 * The scope that the user granted, by grant type: JSON of lists. NULL in existing rows means codes, which nearly all clients
 * use. A client that gets tokens by `implicit` asks the user once more.
 */
export const consentByGrant: Migration = {
  version: 7,
  name: 'consent by grant',
  sql: `
    ALTER TABLE consent ADD COLUMN scope_by_grant TEXT;
  `,
};
