import * as Type from 'typebox';
import { flag, oneOf, record, text } from '../../words/schema.ts';
import { scopes, storage } from '../users-schema.ts';

export const Basic = record(
  {
    realm: Type.Optional(text(undefined, 'The challenge names this realm. The default is `realm` of the file.')),
    users: Type.Union(
      [
        text(
          undefined,
          'A file in the format of htpasswd, with hashes of bcrypt, Argon2id, apr1, {SHA} or {SSHA}. Only its owner and its group may read it. The gateway reads it again when it changes.',
        ),
        record(
          { storage },
          undefined,
          'The accounts of an authorization service (`gatehouse user add`), and the users that `gatehouse import htpasswd --config` added.',
        ),
      ],
      {
        description:
          'Write the path of a file with the users. For the users in the store of an authorization service, write { storage }.',
      },
    ),
    charset: Type.Optional(oneOf(['UTF-8'], undefined, 'The challenge asks clients for UTF-8 (RFC 7617 §2.1).')),
    allow_insecure: flag(
      false,
      'true: the route also accepts passwords from other machines over connections without TLS.',
    ),
    scopes,
  },
  undefined,
  'The route accepts Basic authentication (RFC 7617).',
);

export type BasicConfig = Type.Static<typeof Basic>;
