import * as Type from 'typebox';
import { flag, oneOf, record, text } from '../../words/schema.ts';
import { scopes, storage } from '../users-schema.ts';

export const Basic = record(
  {
    realm: Type.Optional(text(undefined, 'In the challenge. Default: `realm` of the file.')),
    users: Type.Union(
      [
        text(
          undefined,
          'A file that htpasswd writes, with bcrypt, Argon2id, apr1 or {SSHA}. Only its owner may read it. The gateway reads it again when it changes.',
        ),
        record(
          { storage },
          undefined,
          'The accounts of an authorization service (`gatehouse user add`), and what `gatehouse import htpasswd --config` put beside them.',
        ),
      ],
      { description: 'A file, or { storage } of an authorization service.' },
    ),
    charset: Type.Optional(oneOf(['UTF-8'], undefined, 'Asks clients for UTF-8 (RFC 7617 §2.1).')),
    allow_insecure: flag(false, 'true: passwords are taken without TLS too.'),
    scopes,
  },
  undefined,
  'Basic authentication (RFC 7617) of a route.',
);

export type BasicConfig = Type.Static<typeof Basic>;
