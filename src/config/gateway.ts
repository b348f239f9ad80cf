import Type, { type Static } from 'typebox';
import { address, count, duration, durationOrNone, flag, list, named, oneOf, record, size, sizeOrNone, text } from './schema.ts';

/**
 * gateway.yaml: schema and type in one declaration. A property with a default is never absent in the program.
 * Names are those of RFC 8414 (authorization servers), RFC 9728 (protected resources), RFC 6750 and RFC 7662.
 */

export const bearerMethods = ['header', 'body', 'query'] as const;
export type BearerMethod = (typeof bearerMethods)[number];

const bearerMethodsSupported = (fallback?: readonly BearerMethod[]) =>
  list(oneOf(bearerMethods), fallback, 'Where a bearer token may stand (RFC 6750 §2, RFC 9728): header, body, query.');

const Limits = record(
  {
    header_size: size('16KiB', 'All header lines of a request together; above: 431.'),
    header_count: count(100, 'Header lines of a request; above: 431.'),
    headers_timeout: duration('10s', 'For the head of a request to arrive whole.'),
    body: sizeOrNone('none', 'Request body; above: 413.'),
    form_body: size('64KiB', 'A form that is read for its access_token; above: 413.'),
    body_rate: record(
      { bytes: size('1KiB'), over: duration('30s') },
      {},
      'The slowest body that is waited for: fewer than `bytes` in `over` ends the connection.',
    ),
    idle: duration('75s', 'A kept connection without a request is closed after this; so is a client that stopped reading.'),
    connections: count(10_000, 'Open client connections; above: refused at once.'),
  },
  {},
  'Limits on everything that a stranger can hold open.',
);

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
    ttl: duration('60s', 'How long an introspection answer serves; never past its `exp`.'),
    negative_size: count(10_000, 'Refused tokens kept, by digest.'),
    negative_ttl: duration('5s', 'How long a refusal serves.'),
    stale_if_error: duration('0s', 'How long past `ttl` an active answer serves while introspection is out; never past `exp`.'),
    max_concurrent: count(64, 'Introspection calls at one time; further ones wait.'),
  },
  {},
  'Facts about tokens. Decisions are never cached.',
);

export const verifyModes = ['auto', 'jwt', 'introspection', 'both'] as const;

export const jwsAlgorithms = [
  'EdDSA', 'ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'HS256', 'HS384', 'HS512',
] as const;

const AuthorizationServer = record(
  {
    issuer: text(undefined, 'The issuer identifier; compared byte by byte with `iss`, and where metadata is found (RFC 8414).'),
    jwks_uri: Type.Optional(text(undefined, "Default: from the issuer's metadata.")),
    jwks_file: Type.Optional(text(undefined, 'Keys in a file, reloaded when it changes; instead of jwks_uri.')),
    jwks: Jwks,
    introspection_endpoint: Type.Optional(text(undefined, "RFC 7662. Default: from the issuer's metadata.")),
    introspection_endpoint_auth_method: oneOf(['client_secret_basic', 'client_secret_post'], 'client_secret_basic'),
    client_id: Type.Optional(text(undefined, 'Who the gateway is at the introspection endpoint.')),
    client_secret: Type.Optional(text()),
    verify: oneOf(verifyModes, 'auto', 'auto: a JWT locally, anything else by introspection; both: a JWT locally and by introspection.'),
    audience: Type.Optional(text(undefined, 'What `aud` must contain; `any` turns the check off.')),
    algorithms: list(oneOf(jwsAlgorithms), ['EdDSA', 'ES256', 'RS256', 'PS256'], 'Signature algorithms that are accepted; HS256, HS384, HS512 only with a secret.'),
    secret: Type.Optional(text(undefined, 'For HS256, HS384, HS512: text of 32 bytes at least.')),
    secret_base64url: Type.Optional(text()),
    typ: list(text(), ['at+jwt'], 'Accepted `typ` headers (RFC 9068 §4); `JWT` must be asked for, and needs an audience.'),
    scope_claims: list(text(), ['scope', 'scp'], 'Claims that carry scope, all together: strings or arrays.'),
    token_prefix: Type.Optional(text(undefined, 'Opaque tokens with this prefix are this server\'s.')),
    clock_skew: duration('30s'),
    cache: Cache,
  },
  undefined,
  'An authorization server whose tokens are accepted.',
);

const Upstream = record(
  {
    url: text(undefined, 'http: or https:, host and port, no path.'),
    host: text('preserve', 'The Host that the upstream sees: preserve | upstream | a literal.'),
    timeout: record(
      {
        connect: duration('2s'),
        response: duration('30s', 'To the first byte of the answer.'),
        idle: durationOrNone('60s', 'Between two bytes of the answer; none for quiet streams.'),
      },
      {},
    ),
    max_connections: count(256),
    max_pending: count(1024, 'Requests that wait for a connection; above: 503.', 0),
  },
  undefined,
  'An API behind the gateway.',
);

const IdentityHeaders = record(
  {
    prefix: text('X-Auth-', 'Every inbound header with this prefix, in any spelling, is dropped.'),
    set: named(text(), { 'X-Auth-Subject': 'sub', 'X-Auth-Client': 'client_id', 'X-Auth-Scope': 'scope' }, 'Header name → claim.'),
  },
  {},
  'What the upstream is told about the caller.',
);

const RouteTimeout = record({
  response: Type.Optional(duration()),
  idle: Type.Optional(durationOrNone()),
});

const scopeAlternatives = Type.Array(text(), { minItems: 1 });
const Scope = Type.Union(
  [
    text(undefined, 'Space-delimited (RFC 6749 §3.3), all required.'),
    record({ any_of: scopeAlternatives }, undefined, 'One entry suffices; each is a space-delimited string.'),
    record({ all_of: scopeAlternatives }, undefined, 'Every entry is required.'),
  ],
  { description: 'The scope that a token must carry: a string, any_of or all_of.' },
);

const Route = record(
  {
    id: Type.Optional(text(undefined, 'In logs and metrics. Default: made from methods and path.')),
    match: record({
      host: Type.Optional(text()),
      path: Type.String({ minLength: 1, description: 'literal, {name} (one segment), {name*} (the rest, also empty).' }),
      methods: Type.Optional(Type.Array(text(), { minItems: 1 })),
    }),
    upstream: Type.Optional(text()),
    access: Type.Optional(oneOf(['public', 'optional', 'authenticated'], undefined, 'Absent: scope is required.')),
    scope: Type.Optional(Scope),
    audience: Type.Optional(text()),
    authorization_servers: Type.Optional(Type.Array(text(), { minItems: 1 })),
    bearer_methods_supported: Type.Optional(bearerMethodsSupported()),
    forward_credential: flag(false, 'true: the upstream sees the credential too.'),
    encoded_slashes: oneOf(['refuse', 'keep'], 'refuse', '%2f in a path.'),
    path_parameters: oneOf(['refuse', 'keep'], 'refuse', '; in a path.'),
    identity_headers: Type.Optional(IdentityHeaders),
    timeout: Type.Optional(RouteTimeout),
    limits: Type.Optional(record({ body: Type.Optional(sizeOrNone()), form_body: Type.Optional(size()) })),
  },
  undefined,
  'Which requests, and what they need.',
);

export const GatewaySchema = record({
  version: Type.Unsafe<1>({ type: 'integer', const: 1, description: 'Of this file format.' }),
  development: flag(false, 'true: http issuers beyond loopback are allowed.'),
  listen: address('127.0.0.1:8080', 'Where clients connect.'),
  admin: Type.Optional(address(undefined, 'Management listener: never on a public address.')),
  health: Type.Optional(address(undefined, 'Only /livez, /readyz, /metrics. Off by default.')),
  limits: Limits,
  request_id: record({ header: text('X-Request-Id', 'Made here, sent upstream and back.') }, {}),
  log: record(
    {
      level: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
      format: oneOf(['auto', 'json', 'pretty'], 'auto', 'auto: pretty on a terminal.'),
    },
    {},
  ),
  shutdown: record({ deadline: duration('30s', 'SIGTERM: what is in flight may take this long.') }, {}),
  realm: text('api', 'In challenges (RFC 9110 §11.5).'),
  scopes_supported: Type.Optional(list(text(), undefined, 'A route that names another scope is an error.')),
  bearer_methods_supported: bearerMethodsSupported(['header']),
  authorization_servers: named(AuthorizationServer, {}),
  upstreams: named(Upstream, {}),
  defaults: record({ upstream: Type.Optional(text()), identity_headers: IdentityHeaders }, {}, 'For routes that do not say otherwise.'),
  routes: Type.Array(Route, { minItems: 1 }),
});

export type GatewayConfig = Static<typeof GatewaySchema>;
export type RouteConfig = GatewayConfig['routes'][number];
export type AuthorizationServerConfig = GatewayConfig['authorization_servers'][string];
export type UpstreamConfig = GatewayConfig['upstreams'][string];
export type LimitsConfig = GatewayConfig['limits'];
export type ScopeConfig = NonNullable<RouteConfig['scope']>;
