import * as Type from 'typebox';
import { storagePattern, storageWritten } from '../../base/storage-urls.ts';
import { algorithmNames } from '../../jwt/algorithms.ts';
import { count, duration, list, named, oneOf, record, text } from '../words/schema.ts';

const Jwks = record(
  {
    ttl: duration('10m', 'Keys are fetched again after this.'),
    cooldown: duration('10s', 'At most one fetch for unknown `kid`s in this time.'),
    stale_if_error: duration('1h', 'How long past `ttl` the last good keys serve when fetching fails.'),
  },
  {},
  'The cached key set.',
);

const Cache = record(
  {
    size: count(50_000, 'Verified tokens kept.'),
    ttl: duration('60s', 'How long an answer of introspection or of a store serves; never past its `exp`.'),
    negative_size: count(10_000, 'Refused tokens kept, by digest.'),
    negative_ttl: duration('5s', 'How long a refusal serves.'),
    stale_if_error: duration(
      '0s',
      'How long past `ttl` an active answer serves while introspection is out; never past `exp`.',
    ),
    max_concurrent: count(64, 'Introspection calls at one time; further ones wait.'),
  },
  {},
  'Facts about tokens. Decisions are never cached.',
);

const Tls = record(
  {
    ca: text(
      undefined,
      "A PEM file of the only certificate authorities that the gateway trusts for this server. It replaces the system's. The gateway reads the file again when it changes.",
    ),
  },
  undefined,
  'TLS towards its metadata, keys and introspection.',
);

export const verifyModes = ['auto', 'jwt', 'introspection', 'both', 'store'] as const;

export const stalePolicies = ['introspect', 'deny', 'allow'] as const;

export const AuthorizationServerSchema = record(
  {
    issuer: text(
      undefined,
      'The issuer identifier; compared byte by byte with `iss`, and where metadata is found (RFC 8414).',
    ),
    jwks_uri: Type.Optional(text(undefined, "Default: from the issuer's metadata.")),
    jwks_file: Type.Optional(text(undefined, 'A JWK Set in a file, reloaded when it changes; instead of jwks_uri.')),
    jwks: Jwks,
    user_key_uri_template: Type.Optional(
      text(
        undefined,
        "Where keys of single users are, with `{kid}` in it. Default: from the issuer's metadata. Their tokens are verified with a key that is fetched by its `kid`.",
      ),
    ),
    introspection_endpoint: Type.Optional(text(undefined, "RFC 7662. Default: from the issuer's metadata.")),
    introspection_endpoint_auth_method: oneOf(
      ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      'client_secret_basic',
      'How the gateway proves there who it is (RFC 8414): by `client_secret`, or by a JWT signed with `client_key` (RFC 7523).',
    ),
    client_id: Type.Optional(text(undefined, 'The credentials that the gateway uses at the introspection endpoint.')),
    client_secret: Type.Optional(text(undefined, 'The secret of `client_id`; best a variable.')),
    client_key: Type.Optional(text(undefined, 'For private_key_jwt: a file with the private key, JWK or PEM.')),
    verify: oneOf(
      verifyModes,
      'auto',
      'auto: a JWT locally, anything else by introspection; both: a JWT locally and by introspection; store: a JWT locally, and everything by the database of `storage`.',
    ),
    storage: Type.Optional(
      Type.String({
        pattern: storagePattern(),
        description: `${storageWritten()}: the \`storage\` of a Gatehouse authorization service, for \`verify: store\`. It is only read.`,
      }),
    ),
    audience: Type.Optional(text(undefined, 'The value that `aud` must contain. `any` turns the check off.')),
    algorithms: list(
      oneOf(algorithmNames),
      ['EdDSA', 'ES256', 'RS256', 'PS256'],
      'Signature algorithms that are accepted; HS256, HS384, HS512 only with a secret.',
    ),
    secret: Type.Optional(text(undefined, 'For HS256, HS384, HS512: text of 32 bytes at least.')),
    secret_base64url: Type.Optional(text(undefined, 'The same as `secret`, in base64url.')),
    typ: list(
      text(),
      ['at+jwt'],
      'Accepted `typ` headers (RFC 9068 §4). `JWT`, and `absent` for tokens that name no type, must be asked for, and need an audience or required_claims.',
    ),
    required_claims: named(
      list(text()),
      {},
      'Claims that a JWT must also have, by name or path, each with one of the given values. They separate access tokens from other JWTs if `typ` and `aud` do not.',
    ),
    scope_claims: list(text(), ['scope', 'scp'], 'Claims that carry scope, all together: strings or arrays.'),
    token_prefix: Type.Optional(text(undefined, "Opaque tokens with this prefix are this server's.")),
    clock_skew: duration('30s', 'By how much the clocks may differ when `exp` and `nbf` are judged.'),
    max_token_lifetime: duration('24h', 'A token that lives longer, from `iat` to `exp`, is refused.'),
    events: Type.Optional(
      text(
        undefined,
        "The revocation feed of the server, or `none`. Default: from the issuer's metadata, where there are `client_id` and `client_secret` of a client that may follow it. Without a feed, revoked JWTs pass until their `exp`.",
      ),
    ),
    max_staleness: duration('60s', 'When the feed says nothing for longer, `on_stale` applies.'),
    on_stale: oneOf(
      stalePolicies,
      'introspect',
      'JWTs while the feed is silent. introspect: their server is asked about each; deny: 503; allow: they pass, revoked ones too.',
    ),
    tls: Type.Optional(Tls),
    cache: Cache,
  },
  undefined,
  'An authorization server whose tokens are accepted.',
);
