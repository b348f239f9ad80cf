import * as Type from 'typebox';
import { storagePattern, storageWritten } from '../../base/storage-urls.ts';
import { algorithmNames } from '../../jwt/algorithms.ts';
import { count, duration, list, named, oneOf, places, record, text } from '../words/schema.ts';
import { BackChannelLogout, SecurityEvents } from './receiver.ts';

const Jwks = record(
  {
    ttl: duration('10m', 'The gateway fetches keys again after this time.'),
    cooldown: duration('10s', 'Tokens with an unknown `kid` together cause at most one fetch in this time.'),
    stale_if_error: duration(
      '1h',
      'If the gateway cannot fetch keys, it uses the last good keys for this long after the end of `ttl`.',
    ),
  },
  {},
  "These settings say how the gateway caches the server's keys.",
);

const Cache = record(
  {
    size: places(50_000, 'The gateway caches at most this many verified tokens.'),
    ttl: duration(
      '60s',
      'The gateway uses an answer of introspection or of a store for this long, but never after the `exp` of the token.',
    ),
    negative_size: places(10_000, 'The gateway caches the hashes of at most this many rejected tokens.'),
    negative_ttl: duration('5s', 'The gateway caches a rejection for this long.'),
    stale_if_error: duration(
      '0s',
      'While introspection fails, the gateway uses an active answer for this long after the end of `ttl`. It never uses an answer after the `exp` of the token.',
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
      "This PEM file holds certificate authorities. The gateway trusts only these authorities for this server, and not the system's authorities. The gateway reads the file again when the file changes.",
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
      'This is the issuer identifier of the server. The `iss` of a token must equal this value, byte by byte. The gateway also finds the metadata of the server by this identifier (RFC 8414).',
    ),
    jwks_uri: Type.Optional(
      text(
        undefined,
        "The gateway fetches the server's keys from this URL. The default comes from the metadata of the issuer.",
      ),
    ),
    jwks_file: Type.Optional(
      text(
        undefined,
        'This file holds a JWK Set and replaces `jwks_uri`. The gateway reads the file again when the file changes.',
      ),
    ),
    jwks: Jwks,
    user_key_uri_template: Type.Optional(
      text(
        undefined,
        'The gateway fetches the keys of single users from this URL. It replaces `{kid}` by the key id of the token. The default comes from the metadata of the issuer.',
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
      'The gateway authenticates at the introspection endpoint by this method (RFC 8414). client_secret_basic and client_secret_post: it sends `client_secret`. private_key_jwt: it sends a JWT that it signs with `client_key` (RFC 7523).',
    ),
    client_id: Type.Optional(
      text(undefined, 'The gateway authenticates as this client at the introspection endpoint.'),
    ),
    client_secret: Type.Optional(text(undefined, 'This is the secret of `client_id`. Use a variable.')),
    client_key: Type.Optional(text(undefined, 'This file holds the private key for private_key_jwt, as JWK or PEM.')),
    verify: oneOf(
      verifyModes,
      'auto',
      'auto: the gateway verifies a JWT locally, and any other token by introspection. jwt: the gateway accepts only JWTs, and verifies them locally. introspection: the gateway introspects every token. both: the gateway introspects every token, and also verifies a JWT locally. store: the gateway looks up every token in the database of `storage`, and also verifies a JWT locally.',
    ),
    storage: Type.Optional(
      Type.String({
        pattern: storagePattern(),
        description: `The gateway reads this store, if \`verify\` is \`store\`. The store is the \`storage\` of an authorization service: ${storageWritten()}.`,
      }),
    ),
    audience: Type.Optional(
      text(undefined, 'The `aud` of a token must contain this value. With `any`, the gateway does not check `aud`.'),
    ),
    algorithms: list(
      oneOf(algorithmNames),
      ['EdDSA', 'ES256', 'RS256', 'PS256'],
      'The gateway accepts these signature algorithms. HS256, HS384 and HS512 need `secret`, `secret_base64url` or `user_key_uri_template`.',
    ),
    secret: Type.Optional(
      text(undefined, 'This is the secret for HS256, HS384 and HS512, a text of at least 32 bytes.'),
    ),
    secret_base64url: Type.Optional(
      text(undefined, 'This is the secret for HS256, HS384 and HS512 in base64url. Write either this key or `secret`.'),
    ),
    typ: list(
      text(),
      ['at+jwt'],
      'The gateway accepts these `typ` headers (RFC 9068 §4). With `absent`, it also accepts tokens without `typ`. `JWT` and `absent` need `audience` or `required_claims`.',
    ),
    required_claims: named(
      list(text()),
      {},
      'A JWT must have each of these claims, with one of the given values. Each key is the name or the path of a claim. Set this key if `typ` and `aud` cannot distinguish access tokens from other JWTs.',
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
      'The gateway rejects a token if the time from its `iat` to its `exp` is longer.',
    ),
    events: Type.Optional(
      text(
        undefined,
        'The gateway follows the revocation feed at this URL. With `none`, the gateway follows no feed. If `client_id` and `client_secret` are set, the default comes from the metadata of the issuer. The server must allow this client to follow the feed. While the server refuses this, or does not answer, `on_stale` applies. Without `client_id` or without `client_secret`, the default is `none`. With `verify: store`, `backchannel_logout` or `security_events`, the default is also `none`. If the gateway verifies JWTs only locally and learns of no revocations, revoked JWTs pass until their `exp`.',
      ),
    ),
    max_staleness: duration('60s', 'If the feed is silent for longer than this (15s to 1h), `on_stale` applies.'),
    on_stale: oneOf(
      stalePolicies,
      'introspect',
      'This setting applies to JWTs while the feed is silent for longer than `max_staleness`. introspect: the gateway also introspects each JWT. deny: the gateway answers 503. allow: the gateway accepts JWTs, even revoked JWTs.',
    ),
    backchannel_logout: Type.Optional(BackChannelLogout),
    security_events: Type.Optional(SecurityEvents),
    tls: Type.Optional(Tls),
    cache: Cache,
  },
  undefined,
  'The gateway accepts the tokens of this authorization server.',
);
