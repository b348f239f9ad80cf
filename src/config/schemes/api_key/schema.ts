import * as Type from 'typebox';
import { oneOf, record, text } from '../../words/schema.ts';
import { storage } from '../users-schema.ts';

export const ApiKey = record(
  {
    realm: Type.Optional(text(undefined, 'In the challenge. Default: `realm` of the file.')),
    in: oneOf(['header', 'query'], 'header', 'The place of the key. In a query it is kept out of logs and caches.'),
    name: text('X-API-Key', 'The name of the header or query parameter.'),
    keys: Type.Union(
      [
        text(
          undefined,
          'A file that `gatehouse api-key create` writes. It holds hashes and no keys. Only its owner may read it. The gateway reads it again when it changes.',
        ),
        record({ storage }, undefined, 'The database to which `gatehouse api-key create --config` writes.'),
      ],
      { description: 'A file, or { storage } of an authorization service.' },
    ),
    hmac_key: Type.Optional(
      text(undefined, 'Opens what `gatehouse api-key import` kept of short keys: 32 bytes in base64.'),
    ),
  },
  undefined,
  'API keys of a route.',
);

export type ApiKeyConfig = Type.Static<typeof ApiKey>;
