import * as Type from 'typebox';
import { oneOf, record, text } from '../../words/schema.ts';
import { storage } from '../users-schema.ts';

export const ApiKey = record(
  {
    realm: Type.Optional(text(undefined, 'The challenge names this realm. The default is `realm` of the file.')),
    in: oneOf(
      ['header', 'query'],
      'header',
      'Clients send the key in this place. If the key is in the query, the gateway keeps it out of logs and caches.',
    ),
    name: text('X-API-Key', 'The header or query parameter has this name.'),
    keys: Type.Union(
      [
        text(
          undefined,
          'A file that `gatehouse api-key create` writes. It holds hashes and no keys. Only its owner and its group may read it. The gateway reads it again when it changes.',
        ),
        record({ storage }, undefined, 'The database to which `gatehouse api-key create --config` writes.'),
      ],
      {
        description:
          'Write the path of a file with the keys. For the keys in the store of an authorization service, write { storage }.',
      },
    ),
    hmac_key: Type.Optional(
      text(
        undefined,
        'This secret has 32 bytes, in base64. The gateway needs it for short API keys that `gatehouse api-key import --hmac-key` stored.',
      ),
    ),
  },
  undefined,
  'The route accepts API keys.',
);

export type ApiKeyConfig = Type.Static<typeof ApiKey>;
