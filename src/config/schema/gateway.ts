import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { CountedBy } from '../words/counted-by.ts';
import {
  type Address,
  address,
  count,
  duration,
  flag,
  list,
  named,
  oneOf,
  record,
  share,
  size,
  sizeOrNone,
  text,
} from '../words/schema.ts';
import { AuthorizationServerSchema } from './authorization-server.ts';
import { type CountersConfig, counters } from './counters.ts';
import { type HealthPassConfig, healthListen, listen } from './listener.ts';
import { Log, Shutdown } from './process.ts';
import { bearerMethodsSupported, identityHeaders, modes, passHeaders, RouteSchema } from './route.ts';
import { TestSchema } from './test-case.ts';
import { trustedProxies } from './trusted-proxies.ts';
import { type UpstreamConfig, UpstreamSettings } from './upstream.ts';

/**
 * gateway.yaml: schema and type in one declaration. A property with a default is never absent in the program.
 * Names are those of RFC 8414 (authorization servers), RFC 9728 (protected resources), RFC 6750 and RFC 7662.
 */

export { verifyModes } from './authorization-server.ts';
export { type AuthScheme, schemesOf } from './http-schemes.ts';
export { type BearerMethod, bearerMethods } from './route.ts';
export type { UpstreamConfig, UpstreamFile } from './upstream.ts';

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
      'A kept connection without a request is closed after this; so is a client that stopped reading, where its answer has ended after ten times this.',
    ),
    connections: count(10_000, 'Open client connections; above: refused at once.'),
    share: share(
      0.5,
      "The largest part of a shared resource that one client address may use at a time. It applies to an upstream's connections and to the memory for held bodies, per IPv4 address or IPv6 /64. It also applies to the queue for password checks, per IPv4 address or IPv6 /48. Above it, a request waits for a connection. A body that must be held, or a password, gets 503. 1 means no limit.",
    ),
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
  'The pages of other origins that may call the API. By default, none may.',
);

const Decision = record(
  {
    listen: address(
      '127.0.0.1:8082',
      'Where proxies ask: /nginx, /nginx/uri, /forward-auth, /envoy/…; only those in `trusted_proxies` are answered.',
    ),
    max_age: duration('1s', 'How long a proxy may remember that a request passed, in whole seconds; 0s: not at all.'),
  },
  undefined,
  'For a proxy that asks whether a request passes, and forwards it itself. Off by default.',
);

const AccessLog = record(
  {
    file: text(
      '-',
      'Where the lines go, relative to this file; `-`: standard output. After a reload, as by SIGHUP, a file that was renamed is begun again.',
    ),
    format: oneOf(
      ['combined', 'ecs'],
      'combined',
      'combined: that of Apache and nginx; ecs: JSON by the Elastic Common Schema.',
    ),
  },
  undefined,
  'A line for each request, forwarded or not, without its query. Off by default.',
);

/** More than machines have cores for; each takes the memory of a gateway. */
const MOST_WORKERS = 256;

export const GatewaySchema = record({
  version: Type.Unsafe<1>({ type: 'integer', const: 1, description: 'The version of this file format.' }),
  development: flag(false, 'true: http issuers beyond loopback are allowed.'),
  listen: listen('127.0.0.1:8080', 'Where clients connect: host:port, or { host, port, tls, http2 }.'),
  admin: Type.Optional(
    address(
      undefined,
      'Management listener: never on a public address. On loopback it answers to loopback names only.',
    ),
  ),
  health: Type.Optional(
    healthListen(
      'Only /livez, /readyz, /metrics: host:port, or { listen, pass } with paths of upstreams. Off by default.',
    ),
  ),
  decision: Type.Optional(Decision),
  workers: Type.Unsafe<number | 'auto'>({
    anyOf: [
      { type: 'integer', minimum: 1, maximum: MOST_WORKERS },
      { type: 'string', enum: ['auto'] },
    ],
    default: 1,
    description:
      'Processes that serve at `listen`, under one that keeps what they share: a number, or `auto`, one for each core.',
  }),
  mode: oneOf(modes, 'enforce', 'shadow: every route only records what it would refuse.'),
  trusted_proxies: trustedProxies(
    'CIDRs whose X-Forwarded-For, -Proto and request id are believed, and who may ask at `decision`; or { from, host }.',
  ),
  counters: counters('how often rate limits were used'),
  login: record(
    {
      max_failures: count(10, 'Wrong passwords of one user from one address, and ten times as many from one address …'),
      window: duration(
        '15m',
        'The window for `max_failures`. After more failures, the gateway answers 429 and checks no password from that address. An IPv6 /64 counts as one address. A /56 has twice this limit, a /48 four times.',
      ),
    },
    {},
    'Against guessing of passwords of Basic and Digest.',
  ),
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
  access_log: Type.Optional(AccessLog),
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
  upstreams: named(UpstreamSettings, {}, 'Name → an API behind the gateway.'),
  defaults: record(
    {
      upstream: Type.Optional(text(undefined, 'The name of one of `upstreams`.')),
      identity_headers: identityHeaders({}),
      pass_headers: passHeaders([]),
    },
    {},
    'For routes that do not say otherwise.',
  ),
  routes: Type.Array(RouteSchema, { minItems: 1, description: 'Which requests pass, and what they need.' }),
  tests: list(TestSchema, [], 'Requests and their expected outcomes. `check`, each start and each reload run them.'),
});

export type GatewayFile = Static<typeof GatewaySchema>;
export type RouteFile = GatewayFile['routes'][number];
/** Once loaded, every route has an id, and whom a limit counts is in parts. */
export type RouteConfig = Omit<RouteFile, 'rate_limit'> & { id: string; rate_limit?: RateLimitConfig };
export type RateLimitConfig = Omit<NonNullable<RouteFile['rate_limit']>, 'by'> & { readonly by: CountedBy };
/** Once loaded, the two ways of writing `health`, and those of an upstream's urls, are one. */
export type GatewayConfig = Omit<
  GatewayFile,
  'routes' | 'health' | 'decision' | 'upstreams' | 'trusted_proxies' | 'counters'
> & {
  counters: CountersConfig;
  routes: RouteConfig[];
  trusted_proxies: readonly string[];
  /** A request of a trusted proxy is judged by its X-Forwarded-Host, and not by Host. */
  is_host_forwarded: boolean;
  decision?: Address;
  /** Milliseconds; 0: a decision is not remembered. */
  decision_max_age: number;
  health?: Address;
  health_passes: Readonly<Record<string, HealthPassConfig>>;
  upstreams: Readonly<Record<string, UpstreamConfig>>;
};
export type AuthorizationServerConfig = GatewayConfig['authorization_servers'][string];
export type AccessLogConfig = NonNullable<GatewayConfig['access_log']>;
export type LimitsConfig = GatewayConfig['limits'];
export type ScopeConfig = NonNullable<RouteConfig['scope']>;
