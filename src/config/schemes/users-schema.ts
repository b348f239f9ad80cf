import * as Type from 'typebox';
import { storagePattern, storageWritten } from '../../base/storage-urls.ts';
import { named, text } from '../words/schema.ts';

/** Keys that all schemes with users share. */
export const scopes = named(
  text(),
  {},
  'Each key is a user, and each value is the space-delimited scope of this user. A user without an entry has no scope.',
);

export const storage = Type.String({
  pattern: storagePattern(),
  description: `The gateway reads this store, which is the \`storage\` of an authorization service: ${storageWritten()}. A change in the store applies within a second.`,
});
