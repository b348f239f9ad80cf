import Type, { type Static } from 'typebox';
import { Log, Shutdown } from './process.ts';
import { address, count, duration, flag, list, named, oneOf, record, text } from './schema.ts';

/**
 * authorization.yaml: schema and type in one declaration. A property with a default is never absent in the program.
 * Client metadata is named as in RFC 7591; `app_id` and `app_secret` are accepted for `client_id` and `client_secret`.
 */

export const tokenFormats = ['opaque', 'jwt'] as const;
export type TokenFormat = (typeof tokenFormats)[number];

const ClientSchema = record(
  {
    client_id: Type.Optional(text(undefined, 'Or app_id; one of them is required.')),
    app_id: Type.Optional(text(undefined, 'The same as `client_id`.')),
    client_secret: Type.Optional(text(undefined, 'Or app_secret, or client_secret_sha256. Absent: a public client.')),
    app_secret: Type.Optional(text(undefined, 'The same as `client_secret`.')),
    client_secret_sha256: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the secret, lower-case hex.' }),
    ),
    client_name: Type.Optional(text(undefined, 'For people.')),
    scope: Type.Optional(text(undefined, 'Space-delimited: the upper bound of every later grant.')),
    grant_types: list(oneOf(['client_credentials']), [], 'Grants that the client may use.'),
    access_token_format: Type.Optional(oneOf(tokenFormats, undefined, 'Default: `tokens.access.format`.')),
    introspect: flag(false, 'true: may ask the introspection endpoint about any token.'),
  },
  undefined,
  'A client, registered in advance (RFC 6749 §2).',
);

export const AuthorizationSchema = record({
  version: Type.Unsafe<1>({ type: 'integer', const: 1, description: 'Of this file format.' }),
  development: flag(false, 'true: an http issuer beyond loopback is allowed.'),
  issuer: text(undefined, 'The issuer identifier (RFC 8414): never taken from the Host header.'),
  listen: address('127.0.0.1:8081', 'Where clients connect; TLS ends before it.'),
  admin: Type.Optional(address(undefined, 'Management listener: never on a public address.')),
  health: Type.Optional(address(undefined, 'Only /livez, /readyz, /metrics. Off by default.')),
  storage: Type.String({
    default: 'sqlite:data/gatehouse.db',
    pattern: '^sqlite:.+',
    description: 'sqlite:FILE, relative to this file.',
  }),
  encryption_keys: Type.Optional(
    list(
      text(),
      undefined,
      '32 bytes of base64 each; the first encrypts, all decrypt. Absent: made beside the database, mode 0600.',
    ),
  ),
  signing: record(
    { alg: oneOf(['EdDSA', 'ES256', 'RS256'], 'ES256', 'Of JWT access tokens.') },
    {},
    'How tokens are signed.',
  ),
  resources: Type.Array(text(), {
    minItems: 1,
    description: 'Resource indicators (RFC 8707); the first is the default `aud`.',
  }),
  tokens: record(
    {
      access: record(
        {
          format: oneOf(tokenFormats, 'opaque', 'A client may override it.'),
          ttl: duration('1h', 'Of an opaque access token.'),
          jwt_ttl: duration('15m', 'Of a JWT access token.'),
        },
        {},
        'Access tokens.',
      ),
    },
    {},
    'Form and lifetime of tokens.',
  ),
  scopes: named(text(), {}, 'Scope → what it allows, in words.'),
  scope_excess: oneOf(
    ['reject', 'narrow'],
    'reject',
    'A request for more than the client registered: invalid_scope, or granted in part.',
  ),
  compat: record(
    {
      aliases: flag(true, 'Accept app_id, app_secret and their like.'),
      jwt_typ: oneOf(['at+jwt', 'JWT'], 'at+jwt', 'The `typ` of JWT access tokens (RFC 9068 §2.1).'),
    },
    {},
    'For clients and resource servers that cannot follow the specifications.',
  ),
  clients: list(ClientSchema, [], 'Who may ask for tokens.'),
  login: record(
    {
      max_failures: count(10, 'Wrong secrets of one client from one address …'),
      window: duration('15m', '… within this time; above: 429.'),
    },
    {},
    'Against guessing of secrets.',
  ),
  log: Log,
  shutdown: Shutdown,
});

export type AuthorizationFile = Static<typeof AuthorizationSchema>;
export type ClientFile = AuthorizationFile['clients'][number];
/** Once loaded, a client has one spelling of its names: client_id, client_secret. */
export type ClientConfig = Omit<ClientFile, 'client_id' | 'app_id' | 'app_secret'> & { client_id: string };
export type AuthorizationConfig = Omit<AuthorizationFile, 'clients'> & { clients: ClientConfig[] };
