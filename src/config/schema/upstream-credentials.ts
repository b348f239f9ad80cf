import type { Static } from 'typebox';
import * as Type from 'typebox';
import { digestAlgorithmNames, qops } from '../../http-auth/digest-algorithms.ts';
import { flag, oneOf, record, text } from '../words/schema.ts';

const account = {
  username: text(undefined, 'This is the username, without a colon.'),
  password: text(undefined, 'This is the password. Use a variable.'),
};

const Digest = record(
  {
    ...account,
    algorithms: Type.Array(oneOf(digestAlgorithmNames), {
      minItems: 1,
      default: ['SHA-256', 'SHA-512-256', 'MD5'],
      description:
        'The gateway accepts these algorithms. It uses the first algorithm in this list that the upstream also offers.',
    }),
    qop: Type.Array(oneOf(qops), {
      minItems: 1,
      default: ['auth', 'auth-int'],
      description:
        'The gateway accepts these values of qop. It uses the first value in this list that the upstream also offers. With auth-int, the gateway hashes the whole body before it sends the request, so it must hold the body.',
    }),
    userhash: flag(
      true,
      'true: the gateway sends a hash of the username if the upstream accepts a hash (RFC 7616 §3.4.4).',
    ),
    cnonce: oneOf(
      ['request', 'nonce'],
      'request',
      'request: the gateway makes a new cnonce for each request. nonce: the gateway uses one cnonce for each nonce, because some servers require this.',
    ),
  },
  undefined,
  'The gateway uses Digest authentication (RFC 7616).',
);

/** The credentials that an upstream already expects. */
export const UpstreamCredentials = Type.Union(
  [
    record({ basic: record(account) }, undefined, 'The gateway uses Basic authentication (RFC 7617).'),
    record({ digest: Digest }, undefined, 'The gateway uses Digest authentication (RFC 7616).'),
    record(
      {
        header: record({
          name: text(undefined, 'The header has this name.'),
          value: text(undefined, 'The header has this value. It is a secret, so use a variable.'),
        }),
      },
      undefined,
      'The gateway sends this header.',
    ),
  ],
  {
    description:
      'The gateway authenticates at the upstream with { basic: { username, password } }, { digest: { username, password } } or { header: { name, value } }.',
  },
);

export type UpstreamCredentialsConfig = Static<typeof UpstreamCredentials>;
export type UpstreamDigestConfig = Static<typeof Digest>;
