import type { Static } from 'typebox';
import * as Type from 'typebox';
import { anything, named, record, text } from '../words/schema.ts';

export const User = record(
  {
    username: text(undefined, 'The user types this name to log in. Upper and lower case do not matter.'),
    password_argon2: Type.Optional(
      text(undefined, 'This is the password hash that `gatehouse hash-password` prints: $argon2id$v=19$….'),
    ),
    password: Type.Optional(text(undefined, 'This is the password itself. It is valid only with `development: true`.')),
    name: Type.Optional(text(undefined, 'Pages show this name.')),
    claims: named(
      anything(),
      {},
      'These are facts about the user. `tokens.access.claims` says which facts tokens contain.',
    ),
    subject: Type.Optional(
      text(
        undefined,
        'Tokens for this user have this `sub`. No other user ever gets the same `sub`. The default is the username.',
      ),
    ),
  },
  undefined,
  'This is a person who may log in.',
);

export type UserFile = Static<typeof User>;

/** The loaded form: a user has a subject, and either `password_argon2` or, in development, `password`. */
export type UserConfig = Omit<UserFile, 'subject'> & { readonly subject: string };
