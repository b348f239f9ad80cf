import Type, { type Static } from 'typebox';
import { AuthorizationServerSchema } from './authorization-server.ts';
import type { CountedBy } from './counted-by.ts';
import { counters } from './counters.ts';
import { type HealthPassConfig, healthListen, listen } from './listener.ts';
import { Log, Shutdown } from './process.ts';
import { bearerMethodsSupported, identityHeaders, modes, RouteSchema } from './route.ts';
import {
  type Address,
  address,
  count,
  duration,
  durationOrNone,
  flag,
  list,
  named,
  oneOf,
  record,
  size,
  sizeOrNone,
  text,
} from './schema.ts';
import { TestSchema } from './test-case.ts';

/**
 * gateway.yaml: schema and type in one declaration. A property with a default is never absent in the program.
 * Names are those of RFC 8414 (authorization servers), RFC 9728 (protected resources), RFC 6750 and RFC 7662.
 */

export { verifyModes } from './authorization-server.ts';
export { type AuthScheme, type BasicConfig, type DigestConfig, schemesOf } from './http-schemes.ts';
export { type BearerMethod, bearerMethods } from './route.ts';

const Limits = record(
  {
    header_size: size('16KiB', 'All header lines of a request together; above: 431.'),
    header_count: count(100, 'Header lines of a request; above: 431.'),
    headers_timeout: duration('10s', 'For the head of a request to arrive whole.'),
    body: sizeOrNone('none', 'Request body; above: 413.'),
    form_body: size('64KiB', 'A form that is read for its access_token; above: 413.'),
    body_rate: record(
      { bytes: size('1KiB', 'So much at least …'), over: duration('30s', '… within this time.') },
      {},
      'The slowest body that is waited for: fewer than `bytes` in `over` ends the connection.',
    ),
    idle: duration(
      '75s',
      'A kept connection without a request is closed after this; so is a client that stopped reading.',
    ),
    connections: count(10_000, 'Open client connections; above: refused at once.'),
  },
  {},
  'Limits on everything that a stranger can hold open.',
);

const Cors = record(
  {
    origins: Type.Array(text(), {
      minItems: 1,
      description: 'Origins whose pages may call, each scheme://host[:port].',
    }),
    headers: list(text(), ['Authorization', 'Content-Type'], 'Request headers that pages may send.'),
    credentials: flag(false, 'true: cookies may be sent; never with the origin `*`.'),
    max_age: duration('10m', 'How long a browser remembers a preflight.'),
  },
  undefined,
  'Who may call from a page of another origin. Absent: nobody.',
);

const UpstreamCredentials = Type.Union(
  [
    record(
      {
        basic: record({ username: text(undefined, 'Without a colon.'), password: text(undefined, 'Best a variable.') }),
      },
      undefined,
      'Basic authentication (RFC 7617).',
    ),
    record(
      {
        header: record({ name: text(undefined, 'Of the header.'), value: text(undefined, 'Best a variable.') }),
      },
      undefined,
      'A header of any name.',
    ),
  ],
  { description: '{ basic: { username, password } } or { header: { name, value } }' },
);

const Upstream = record(
  {
    url: text(undefined, 'http: or https:, host and port, no path.'),
    host: text('preserve', 'The Host that the upstream sees: preserve | upstream | a literal.'),
    case_sensitive: flag(true, 'false: it treats /API and /api alike, so its routes match without case.'),
    credentials: Type.Optional(UpstreamCredentials),
    timeout: record(
      {
        connect: duration('2s', 'For a connection to open.'),
        response: duration('30s', 'To the first byte of the answer.'),
        idle: durationOrNone('60s', 'Between two bytes of the answer; none for quiet streams.'),
      },
      {},
      'How long it is waited for; above: 504.',
    ),
    max_connections: count(256, 'Connections to it at one time.'),
    max_pending: count(1024, 'Requests that wait for a connection; above: 503.', 0),
  },
  undefined,
  'An API behind the gateway.',
);

export const GatewaySchema = record({
  version: Type.Unsafe<1>({ type: 'integer', const: 1, description: 'Of this file format.' }),
  development: flag(false, 'true: http issuers beyond loopback are allowed.'),
  listen: listen('127.0.0.1:8080', 'Where clients connect: host:port, or { host, port, tls }.'),
  admin: Type.Optional(address(undefined, 'Management listener: never on a public address.')),
  health: Type.Optional(
    healthListen(
      'Only /livez, /readyz, /metrics: host:port, or { listen, pass } with paths of upstreams. Off by default.',
    ),
  ),
  mode: oneOf(modes, 'enforce', 'shadow: every route only records what it would refuse.'),
  trusted_proxies: list(text(), [], 'CIDRs whose X-Forwarded-* and request id are believed.'),
  counters: counters('how often rate limits were used'),
  nonce_keys: Type.Optional(
    list(
      text(),
      undefined,
      '32 bytes base64 each, for the nonces of Digest: the first signs, all verify. Absent: random per start, so that every nonce ends with the process.',
    ),
  ),
  ticket_keys: Type.Optional(
    list(
      text(),
      undefined,
      '32 bytes base64 each: the first seals the ticket of each refusal, all open; share them between replicas. Absent: random per start, so that only that process opens its tickets (GET /why/TICKET at `admin`).',
    ),
  ),
  limits: Limits,
  request_id: record(
    { header: text('X-Request-Id', 'Made here, sent upstream and back.') },
    {},
    'How a request is found again in logs.',
  ),
  log: Log,
  shutdown: Shutdown,
  resource: Type.Optional(text(undefined, 'The resource identifier of RFC 9728: where clients think the API is.')),
  cors: Type.Optional(Cors),
  realm: text('api', 'In challenges (RFC 9110 §11.5).'),
  scopes_supported: Type.Optional(list(text(), undefined, 'A route that names another scope is an error.')),
  bearer_methods_supported: bearerMethodsSupported(['header']),
  authorization_servers: named(
    AuthorizationServerSchema,
    {},
    'Name → an authorization server whose tokens are accepted.',
  ),
  upstreams: named(Upstream, {}, 'Name → an API behind the gateway.'),
  defaults: record(
    {
      upstream: Type.Optional(text(undefined, 'The name of one of `upstreams`.')),
      identity_headers: identityHeaders({}),
    },
    {},
    'For routes that do not say otherwise.',
  ),
  routes: Type.Array(RouteSchema, { minItems: 1, description: 'Which requests pass, and what they need.' }),
  tests: list(TestSchema, [], 'What must become of which request: run by `check`, at start and before a reload.'),
});

export type GatewayFile = Static<typeof GatewaySchema>;
export type RouteFile = GatewayFile['routes'][number];
/** Once loaded, every route has an id, and whom a limit counts is in parts. */
export type RouteConfig = Omit<RouteFile, 'rate_limit'> & { id: string; rate_limit?: RateLimitConfig };
export type RateLimitConfig = Omit<NonNullable<RouteFile['rate_limit']>, 'by'> & { readonly by: CountedBy };
/** Once loaded, the two ways of writing `health` are one. */
export type GatewayConfig = Omit<GatewayFile, 'routes' | 'health'> & {
  routes: RouteConfig[];
  health?: Address;
  health_passes: Readonly<Record<string, HealthPassConfig>>;
};
export type AuthorizationServerConfig = GatewayConfig['authorization_servers'][string];
export type UpstreamConfig = GatewayConfig['upstreams'][string];
export type LimitsConfig = GatewayConfig['limits'];
export type ScopeConfig = NonNullable<RouteConfig['scope']>;
