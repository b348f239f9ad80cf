import type { Static } from 'typebox';
import * as Type from 'typebox';
import { anything, named, record, text } from '../words/schema.ts';

export const User = record(
  {
    username: text(undefined, 'The name that the user types to log in. Upper and lower case are equal.'),
    password_argon2: Type.Optional(text(undefined, 'As `gatehouse hash-password` prints it: $argon2id$v=19$…')),
    password: Type.Optional(text(undefined, 'The password itself; only with `development: true`.')),
    name: Type.Optional(text(undefined, 'For people.')),
    claims: named(anything(), {}, 'Facts about the user; `tokens.access.claims` says which go into tokens.'),
    subject: Type.Optional(
      text(undefined, 'The `sub` of tokens for this user, never given to another. Default: the username.'),
    ),
  },
  undefined,
  'A person who may log in.',
);

export type UserFile = Static<typeof User>;

/** Once loaded, a user has a subject, and either `password_argon2` or, in development, `password`. */
export type UserConfig = Omit<UserFile, 'subject'> & { readonly subject: string };
