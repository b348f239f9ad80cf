import * as Type from 'typebox';
import { storagePattern, storageWritten } from '../../base/storage-urls.ts';
import { named, text } from '../words/schema.ts';

/** Keys that all schemes with users share. */
export const scopes = named(
  text(),
  {},
  'Each user has this space-delimited scope. A user without an entry has no scope.',
);

export const storage = Type.String({
  pattern: storagePattern(),
  description: `The gateway reads this \`storage\` of a Gatehouse authorization service: ${storageWritten()}. A change applies within a second.`,
});
