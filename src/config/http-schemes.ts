import * as Type from 'typebox';
import { digestAlgorithmNames, qops } from '../http-auth/digest-algorithms.ts';
import { duration, flag, list, named, oneOf, record, size, text } from './schema.ts';

/** How a request may say who it is from: the bearer tokens of OAuth 2.0, and the two schemes that are older. */
export const authSchemes = ['bearer', 'basic', 'digest'] as const;
export type AuthScheme = (typeof authSchemes)[number];

const scheme = oneOf(authSchemes, undefined, 'bearer | basic | digest');

export const Auth = Type.Union(
  [
    scheme,
    record(
      { any_of: Type.Array(scheme, { minItems: 1, description: 'Schemes, of which a request uses one.' }) },
      undefined,
      'Several schemes; each gets a challenge of its own.',
    ),
  ],
  { description: 'bearer (the default), basic, digest, or { any_of: [ … ] }' },
);

const scopes = named(
  text(),
  {},
  'User → the scope that the user holds, space-delimited. Without an entry a user holds none.',
);

const storage = Type.String({
  pattern: '^(sqlite:|postgres(ql)?://).+',
  description:
    'sqlite:FILE, relative to this file, or postgres://USER@HOST/DATABASE: the `storage` of a Gatehouse authorization service. It is only read, and a change holds within a second.',
});

export const Basic = record(
  {
    realm: Type.Optional(text(undefined, 'In the challenge. Default: `realm` of the file.')),
    users: Type.Union(
      [
        text(
          undefined,
          'A file as htpasswd writes it, with bcrypt, Argon2id, apr1 or {SSHA}; closed to everybody else, and read again when it changes.',
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

export const Digest = record(
  {
    realm: text(undefined, 'In the challenge, and in every stored hash: a change makes all of them worthless.'),
    users: Type.Union(
      [
        text(
          undefined,
          'A file as htdigest writes it, user:realm:HEX; whoever reads it needs no password, so it is closed to everybody else. Read again when it changes.',
        ),
        record(
          {
            storage,
            encryption_keys: Type.Optional(
              list(
                text(),
                undefined,
                'Those of the authorization service, which open its hashes. Absent: the key file beside the SQLite database; required with postgres.',
              ),
            ),
          },
          undefined,
          'What `gatehouse digest set --config` wrote for this realm.',
        ),
      ],
      { description: 'A file, or { storage, encryption_keys } of an authorization service.' },
    ),
    algorithms: Type.Array(oneOf(digestAlgorithmNames), {
      minItems: 1,
      default: ['SHA-256'],
      description:
        'What is offered, each with a challenge; MD5 only for clients that know no other (no FIPS module has it).',
    }),
    qop: Type.Array(oneOf(qops), {
      minItems: 1,
      default: ['auth'],
      description: 'auth, and auth-int, which also protects the body.',
    }),
    nonce_ttl: duration('5m', 'A nonce serves this long; then the client gets a new one without asking its user.'),
    nc: oneOf(
      ['strict', 'window'],
      'strict',
      'strict: the count of a nonce only grows. window: in any order, each once, for clients that send several requests at a time.',
    ),
    legacy_no_qop: flag(false, 'true: also responses of RFC 2069, by MD5, each nonce once.'),
    userhash: flag(true, 'Clients may send a hash in place of the name (RFC 7616 §3.4.4).'),
    bind_ip: flag(false, 'true: a nonce serves only the address that got it.'),
    uri_match: oneOf(
      ['exact', 'normalized'],
      'exact',
      'How `uri` is compared with the request target: byte by byte, or after decoding unreserved characters.',
    ),
    uri_from: Type.Array(oneOf(['X-Original-URI', 'X-Forwarded-Uri', 'X-Forwarded-Prefix']), {
      default: [],
      description:
        'By which fields a trusted proxy that rewrites tells what it received, so that `uri` may be that. It must set each of them itself, or a client could.',
    }),
    auth_int: record({ max_body: size('1MiB', 'A body that is read to be hashed; above: 413.') }, {}, 'For auth-int.'),
    nextnonce: flag(false, 'true: towards the end of its time a nonce is followed by the next one in the answer.'),
    opaque: flag(true, 'The challenge has an opaque value, which clients give back.'),
    domain: Type.Optional(
      list(text(), undefined, 'Where the credentials serve too; absent: everywhere on this server.'),
    ),
    scopes,
  },
  undefined,
  'Digest authentication (RFC 7616) of a route.',
);

/** The schemes of a route, in the order of their challenges. */
export function schemesOf(auth: Type.Static<typeof Auth> | undefined): readonly AuthScheme[] {
  if (auth === undefined) return ['bearer'];
  const named = typeof auth === 'string' ? [auth] : auth.any_of;
  return challengeOrder.filter((each) => named.includes(each));
}

/** Whether a route takes bearer tokens, of whichever server. */
export function takesTokens(route: { readonly access?: string; readonly auth?: Type.Static<typeof Auth> }): boolean {
  return route.access !== 'public' && schemesOf(route.auth).includes('bearer');
}

/** The strongest first: many a client takes the first that it knows (RFC 9110 §11.6.1 leaves it the choice). */
const challengeOrder: readonly AuthScheme[] = ['bearer', 'digest', 'basic'];

export type BasicConfig = Type.Static<typeof Basic>;
export type DigestConfig = Type.Static<typeof Digest>;
/** In a store, not in a file. */
export type DigestUsersInStore = Exclude<DigestConfig['users'], string>;
