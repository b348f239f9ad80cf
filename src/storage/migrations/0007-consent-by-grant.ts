import type { Migration } from './migration.ts';

/**
 * What the user granted, by the grant for which the page was shown: JSON of lists. NULL in what is there already, which
 * counts for codes, as all but a few clients ask for them: where tokens are asked for by `implicit`, the user is asked
 * once more.
 */
export const consentByGrant: Migration = {
  version: 7,
  name: 'consent by grant',
  sql: `
    ALTER TABLE consent ADD COLUMN scope_by_grant TEXT;
  `,
};
