import type { Static } from 'typebox';
import * as Type from 'typebox';
import { digestAlgorithmNames, qops } from '../../http-auth/digest-algorithms.ts';
import { flag, oneOf, record, text } from '../words/schema.ts';

const account = { username: text(undefined, 'Without a colon.'), password: text(undefined, 'Best a variable.') };

const Digest = record(
  {
    ...account,
    algorithms: Type.Array(oneOf(digestAlgorithmNames), {
      minItems: 1,
      default: ['SHA-256', 'SHA-512-256', 'MD5'],
      description: 'The accepted schemes. The gateway uses the first one that the upstream offers.',
    }),
    qop: Type.Array(oneOf(qops), {
      minItems: 1,
      default: ['auth', 'auth-int'],
      description:
        'The accepted values of qop. The gateway uses the first one that the upstream offers. auth-int hashes the body, so the gateway holds the body first.',
    }),
    userhash: flag(true, 'Where the upstream takes it, a hash stands for the name (RFC 7616 §3.4.4).'),
    cnonce: oneOf(
      ['request', 'nonce'],
      'request',
      'request: a new one with each request. nonce: one as long as a nonce serves, for servers that want it so.',
    ),
  },
  undefined,
  'Digest authentication (RFC 7616).',
);

/** What an upstream has always wanted to see. */
export const UpstreamCredentials = Type.Union(
  [
    record({ basic: record(account) }, undefined, 'Basic authentication (RFC 7617).'),
    record({ digest: Digest }, undefined, 'Digest authentication (RFC 7616).'),
    record(
      {
        header: record({
          name: text(undefined, 'The value of the header.'),
          value: text(undefined, 'Best a variable.'),
        }),
      },
      undefined,
      'A header of any name.',
    ),
  ],
  {
    description: '{ basic: { username, password } }, { digest: { username, password } } or { header: { name, value } }',
  },
);

export type UpstreamCredentialsConfig = Static<typeof UpstreamCredentials>;
export type UpstreamDigestConfig = Static<typeof Digest>;
