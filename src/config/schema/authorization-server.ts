import * as Type from 'typebox';
import { storagePattern, storageWritten } from '../../base/storage-urls.ts';
import { algorithmNames } from '../../jwt/algorithms.ts';
import { count, duration, list, named, oneOf, record, text } from '../words/schema.ts';
import { BackChannelLogout, SecurityEvents } from './receiver.ts';

const Jwks = record(
  {
    ttl: duration('10m', 'The gateway fetches keys again after this time.'),
    cooldown: duration('10s', 'An unknown `kid` causes at most one fetch in this time.'),
    stale_if_error: duration(
      '1h',
      'If the gateway cannot fetch keys, it uses the last good keys for this long after `ttl`.',
    ),
  },
  {},
  "These settings say how the gateway caches the server's keys.",
);

const Cache = record(
  {
    size: count(50_000, 'The gateway caches at most this many verified tokens.'),
    ttl: duration(
      '60s',
      'The gateway uses an answer of introspection or of a store for this long, and never after the `exp` of the token.',
    ),
    negative_size: count(10_000, 'The gateway caches the hashes of at most this many rejected tokens.'),
    negative_ttl: duration('5s', 'The gateway caches a rejection for this long.'),
    stale_if_error: duration(
      '0s',
      'While introspection is unreachable, the gateway uses an active answer for this long after `ttl`, and never after `exp`.',
    ),
    max_concurrent: count(64, 'At most this many introspection calls may run at a time. Further calls wait.'),
  },
  {},
  'The gateway caches facts about tokens. It never caches decisions.',
);

const Tls = record(
  {
    ca: text(
      undefined,
      "This PEM file holds the only certificate authorities that the gateway trusts for this server, in place of the system's authorities. The gateway reads the file again when it changes.",
    ),
  },
  undefined,
  'These settings apply to TLS connections to this server.',
);

export const verifyModes = ['auto', 'jwt', 'introspection', 'both', 'store'] as const;

export const stalePolicies = ['introspect', 'deny', 'allow'] as const;

export const AuthorizationServerSchema = record(
  {
    issuer: text(
      undefined,
      "This is the issuer identifier. It must equal the token's `iss`, byte by byte. The gateway also reads the server's metadata from there (RFC 8414).",
    ),
    jwks_uri: Type.Optional(
      text(
        undefined,
        "The gateway fetches the server's keys from this URL. The default comes from the metadata of the issuer.",
      ),
    ),
    jwks_file: Type.Optional(
      text(undefined, 'This file holds a JWK Set and replaces `jwks_uri`. The gateway reads it again when it changes.'),
    ),
    jwks: Jwks,
    user_key_uri_template: Type.Optional(
      text(
        undefined,
        'The gateway fetches the keys of single users from this URL. It replaces `{kid}` by the key id. The default comes from the metadata of the issuer.',
      ),
    ),
    introspection_endpoint: Type.Optional(
      text(
        undefined,
        'The gateway introspects tokens at this URL (RFC 7662). The default comes from the metadata of the issuer.',
      ),
    ),
    introspection_endpoint_auth_method: oneOf(
      ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      'client_secret_basic',
      'The gateway authenticates at the introspection endpoint in this way (RFC 8414): with `client_secret`, or with a JWT that `client_key` signs (RFC 7523).',
    ),
    client_id: Type.Optional(text(undefined, 'The gateway is this client at the introspection endpoint.')),
    client_secret: Type.Optional(text(undefined, 'This is the secret of `client_id`. Use a variable.')),
    client_key: Type.Optional(text(undefined, 'This file holds the private key for private_key_jwt, as JWK or PEM.')),
    verify: oneOf(
      verifyModes,
      'auto',
      'auto: the gateway verifies a JWT locally, and any other token by introspection. jwt: it accepts only JWTs, and verifies them locally. introspection: it introspects every token. both: it verifies a JWT locally and by introspection. store: it verifies a JWT locally, and looks up every token in the database of `storage`.',
    ),
    storage: Type.Optional(
      Type.String({
        pattern: storagePattern(),
        description: `The gateway reads this \`storage\` of a Gatehouse authorization service for \`verify: store\`: ${storageWritten()}.`,
      }),
    ),
    audience: Type.Optional(text(undefined, '`aud` must contain this value. `any` turns the check off.')),
    algorithms: list(
      oneOf(algorithmNames),
      ['EdDSA', 'ES256', 'RS256', 'PS256'],
      'The gateway accepts these signature algorithms. HS256, HS384 and HS512 need a secret.',
    ),
    secret: Type.Optional(
      text(undefined, 'This is the secret for HS256, HS384 and HS512, a text of at least 32 bytes.'),
    ),
    secret_base64url: Type.Optional(text(undefined, 'This is `secret` in base64url.')),
    typ: list(
      text(),
      ['at+jwt'],
      'The gateway accepts these `typ` headers (RFC 9068 §4). `absent` accepts tokens without a type. `JWT` and `absent` need an audience or required_claims.',
    ),
    required_claims: named(
      list(text()),
      {},
      'A JWT must also have these claims, by name or path, each with one of the given values. Use them if `typ` and `aud` cannot separate access tokens from other JWTs.',
    ),
    scope_claims: list(
      text(),
      ['scope', 'scp'],
      "The values of these claims together are the token's scope. Each claim is a string or an array.",
    ),
    token_prefix: Type.Optional(text(undefined, 'Opaque tokens with this prefix belong to this server.')),
    clock_skew: duration('30s', 'Clocks may differ by this much when the gateway checks `exp`, `nbf` and `iat`.'),
    max_token_lifetime: duration(
      '24h',
      'The gateway rejects a token with a longer lifetime, counted from `iat` to `exp`.',
    ),
    events: Type.Optional(
      text(
        undefined,
        'The gateway follows the revocation feed at this URL. With `none` it follows no feed. The default comes from the metadata of the issuer, if `client_id` and `client_secret` belong to a client that may follow the feed. With `verify: store`, `backchannel_logout` or `security_events`, the default is none. Without a feed, revoked JWTs pass until their `exp`.',
      ),
    ),
    max_staleness: duration('60s', 'If the feed is silent for longer, `on_stale` applies.'),
    on_stale: oneOf(
      stalePolicies,
      'introspect',
      'This setting applies to JWTs while the feed is silent for longer than `max_staleness`. introspect: the gateway asks the server about each JWT. deny: it answers 503. allow: it accepts JWTs, even if they are revoked.',
    ),
    backchannel_logout: Type.Optional(BackChannelLogout),
    security_events: Type.Optional(SecurityEvents),
    tls: Type.Optional(Tls),
    cache: Cache,
  },
  undefined,
  'The gateway accepts the tokens of this authorization server.',
);
