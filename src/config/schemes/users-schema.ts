import * as Type from 'typebox';
import { storagePattern, storageWritten } from '../../base/storage-urls.ts';
import { named, text } from '../words/schema.ts';

/** What the blocks of schemes with users share. */
export const scopes = named(
  text(),
  {},
  'User → the scope that the user holds, space-delimited. Without an entry a user holds none.',
);

export const storage = Type.String({
  pattern: storagePattern(),
  description: `${storageWritten()}: the \`storage\` of a Gatehouse authorization service. It is only read, and a change holds within a second.`,
});
