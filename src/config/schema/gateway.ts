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
import { type AdminConfig, adminListen } from './admin.ts';
import { AuthorizationServerSchema } from './authorization-server.ts';
import { type CountersConfig, counters } from './counters.ts';
import { type HealthPassConfig, healthListen, type Listen, listen, listeners, listenWithTls } from './listener.ts';
import { Log, Shutdown } from './process.ts';
import { Receiver } from './receiver.ts';
import { bearerMethodsSupported, identityHeaders, modes, passHeaders, RouteSchema } from './route.ts';
import { TestSchema } from './test-case.ts';
import { trustedProxies } from './trusted-proxies.ts';
import { type UpstreamConfig, UpstreamSettings } from './upstream.ts';

/**
 * The schema and the type of gateway.yaml. A property with a default is never absent in the program. The names come from RFC
 * 8414 (authorization servers), RFC 9728 (protected resources), RFC 6750 and RFC 7662.
 */

export { verifyModes } from './authorization-server.ts';
export { type AuthScheme, schemesOf } from './http-schemes.ts';
export { type BearerMethod, bearerMethods } from './route.ts';
export type { UpstreamConfig, UpstreamFile } from './upstream.ts';

const Limits = record(
  {
    header_size: size(
      '16KiB',
      'All header lines of a request together may have at most this size. A request with larger headers gets 431.',
    ),
    header_count: count(
      100,
      'A request may have at most this many header lines. A request with more header lines gets 431.',
    ),
    headers_timeout: duration('10s', 'The whole head of a request must arrive within this time.'),
    body: sizeOrNone('none', 'A request body may have at most this size. A larger body gets 413.'),
    form_body: size(
      '64KiB',
      'If a route accepts a token in a form, a form may have at most this size. A larger form gets 413, even without a token.',
    ),
    body_rate: record(
      {
        bytes: size('1KiB', 'At least this much of a body must arrive within `over`.'),
        over: duration('30s', 'The gateway measures the rate over this time.'),
      },
      {},
      'If fewer than `bytes` of a body arrive within `over`, the gateway answers 408 and closes the connection.',
    ),
    idle: duration(
      '75s',
      'After the first request of a connection, the gateway closes the connection if it has no request for this time. Before the first request, `headers_timeout` applies. An HTTP/1.1 connection without a request then gets 408. So a TCP health check of a balancer that keeps its connection open appears as `request_timeout` in the metrics. If a client does not read an answer for this time, the gateway cuts the answer. If the connection uses HTTP/1.1 and the gateway already has the whole answer, it cuts the answer only after ten times as long.',
    ),
    connections: count(
      10_000,
      'At most this many client connections may be open. The gateway refuses further connections at once.',
    ),
    share: share(
      0.5,
      'One client address may use at most this fraction of a shared resource at a time. The shared resources are the connections of an upstream, the memory for held bodies, and the queue for password checks. An IPv6 /64 counts as one address. In the queue for password checks, an IPv6 /48 counts as one address. If an address uses its whole share of the connections, its further requests wait. If an address uses its whole share of the memory or of the queue, its further requests for this resource get 503. 1 means no limit.',
    ),
  },
  {},
  'These limits apply to the connections and requests of all clients.',
);

const Cors = record(
  {
    origins: Type.Array(text(), {
      minItems: 1,
      description:
        'Pages of these origins may call the API. Each origin is scheme://host[:port], or `*` for every origin.',
    }),
    headers: list(
      text(),
      ['Authorization', 'Content-Type'],
      'Pages may send these request headers. If the file has an `mcp` route, pages may also send the headers of the Model Context Protocol, on all routes.',
    ),
    credentials: flag(false, 'true: pages may send cookies. true is not allowed with the origin `*`.'),
    max_age: duration('10m', 'A browser may cache a preflight for this long.'),
  },
  undefined,
  'Web pages of these `origins` may call the API. Without `cors`, browsers do not let pages of other origins read the answers of the API.',
);

const Decision = record(
  {
    listen: address(
      '127.0.0.1:8082',
      'Proxies ask at this address, under the paths /nginx, /nginx/uri, /forward-auth and /envoy/…. Only proxies in `trusted_proxies` may ask. Other callers get 403 `caller_untrusted`.',
    ),
    grpc: Type.Optional(
      listenWithTls(
        'Envoy asks at this address by gRPC (`envoy.service.auth.v3.Authorization`): host:port, or { host, port, tls }. This listener is off by default.',
      ),
    ),
    max_age: duration(
      '1s',
      'A proxy may cache a positive answer for this long. The value must be a whole number of seconds. 0s forbids caching.',
    ),
  },
  undefined,
  'At this endpoint, a proxy asks whether a request passes. If the request passes, the proxy forwards the request itself. The endpoint is off by default.',
);

const AccessLog = record(
  {
    file: text(
      '-',
      'The lines go to this file, relative to the configuration file. `-` is standard output. After a reload, such as by SIGHUP, the gateway opens the file again.',
    ),
    format: oneOf(
      ['combined', 'ecs'],
      'combined',
      'combined is the format of Apache and nginx. ecs is JSON by the Elastic Common Schema.',
    ),
  },
  undefined,
  'The gateway writes one line for each request, even if it does not forward the request. It writes no line if the bytes are not a whole request. It also writes no line if the head of an HTTP/1.1 request is too large (431) or too late (408). The line does not contain the query. The access log is off by default.',
);

/** More than the number of cores in common machines. Each worker needs the memory of a gateway. */
const MOST_WORKERS = 256;

export const GatewaySchema = record({
  version: Type.Unsafe<1>({ type: 'integer', const: 1, description: 'The version of this file format.' }),
  development: flag(
    false,
    'true: issuers and other URLs of authorization servers may be http URLs on any host. false: they may be http URLs only on loopback.',
  ),
  listen: listen('127.0.0.1:8080', 'Clients connect to this address: host:port, or { host, port, tls, http2 }.'),
  listener: oneOf(
    listeners,
    'auto',
    'This setting chooses the code that reads HTTP/1.1 without TLS at `listen`. node: the server of Node.js. auto: the listener of the gateway, which needs less CPU. With auto, if the body of a request does not arrive together with its head, the server of Node.js reads this request. It also reads all later requests of this connection.',
  ),
  admin: Type.Optional(
    adminListen(
      'The admin listener has this address: host:port, or { listen, tls, url, console, replicas, access }. Without `access`, never make this listener public. On a loopback address, the listener answers only if the Host header has a loopback name or the host of `url`.',
    ),
  ),
  health: Type.Optional(
    healthListen(
      'The health listener has this address: host:port, or { listen, pass }. The listener serves only /livez, /readyz, /metrics and the paths in `pass`. The gateway forwards requests for the paths in `pass` to upstreams. The listener is off by default.',
    ),
  ),
  decision: Type.Optional(Decision),
  receiver: Type.Optional(Receiver),
  workers: Type.Unsafe<number | 'auto'>({
    anyOf: [
      { type: 'integer', minimum: 1, maximum: MOST_WORKERS },
      { type: 'string', enum: ['auto'] },
    ],
    default: 1,
    description:
      'This many processes (workers) serve requests at `listen`. With several workers, a primary process keeps their shared state. `auto` means one worker for each CPU core.',
  }),
  mode: oneOf(
    modes,
    'enforce',
    'enforce: each route rejects requests that break its rules. shadow: each route forwards these requests, and the gateway records what the route would reject.',
  ),
  trusted_proxies: trustedProxies(
    'These are the addresses (CIDR) of your proxies. The gateway trusts X-Forwarded-For, X-Forwarded-Proto and the request id from these proxies. Only these proxies may ask for decisions at `decision`. Write a list, or { from, host }.',
  ),
  counters: counters('rate limits, wrong passwords and Digest nonces'),
  login: record(
    {
      max_failures: count(
        10,
        'One user may send this many wrong passwords from one address. All users together may send ten times as many from one address. A wrong API key counts as a wrong password.',
      ),
      window: duration(
        '15m',
        'The first wrong password begins this window, which is from 1s to 1d. After `max_failures` wrong passwords, the gateway answers 429 to this user at this address until the window ends. Until then, the gateway checks no password of this user from this address. But a Basic password that the gateway accepted within the last minute still passes. An IPv6 /64 counts as one address. An IPv6 /56 may send twice as many wrong passwords, and a /48 four times as many.',
      ),
    },
    {},
    'These limits stop attackers who guess passwords or API keys.',
  ),
  nonce_keys: Type.Optional(
    list(
      text(),
      undefined,
      'These keys protect the nonces of Digest. Each key has 32 bytes, in base64. The gateway signs with the first key, and verifies with every key. Give all replicas the same keys. Without this setting, the gateway uses a random key, so a nonce is valid only until the process ends.',
    ),
  ),
  ticket_keys: Type.Optional(
    list(
      text(),
      undefined,
      'These keys protect the tickets of refusals. Each key has 32 bytes, in base64. The gateway seals with the first key, and can open tickets with every key. Give all replicas the same keys. Without this setting, the gateway uses a random key, so only the same process can open its tickets (GET /why/TICKET at `admin`).',
    ),
  ),
  session_keys: Type.Optional(
    list(
      text(),
      undefined,
      'These keys bind the session ids of `mcp` routes to their callers. Each key has 32 bytes, in base64. The gateway signs with the first key, and verifies with every key. Give all replicas the same keys. Without this setting, the gateway uses a random key, so clients must open new sessions after a restart.',
    ),
  ),
  limits: Limits,
  request_id: record(
    {
      header: text(
        'X-Request-Id',
        'The gateway makes the id, or takes it from a trusted proxy. It sends the id in this header to the upstream and to the client.',
      ),
    },
    {},
    'The request id helps you to find a request in logs.',
  ),
  log: Log,
  access_log: Type.Optional(AccessLog),
  shutdown: Shutdown,
  resource: Type.Optional(
    text(undefined, 'This is the resource identifier of RFC 9728: the URL of the API as clients see it.'),
  ),
  cors: Type.Optional(Cors),
  realm: text('api', 'Challenges name this realm (RFC 9110 §11.5).'),
  scopes_supported: Type.Optional(
    list(text(), undefined, 'These are all scopes that routes may name. Any other scope in a route is an error.'),
  ),
  scopes: Type.Optional(
    named(
      record(
        {
          implies: Type.Array(text(), {
            minItems: 1,
            description: 'A token with the scope NAME also satisfies routes that require the scopes in this list.',
          }),
        },
        undefined,
        'This is a scope that implies others.',
      ),
      undefined,
      'These scopes imply other scopes, directly or through several steps. Headers, `when` and logs still show only the scopes that the token itself has.',
    ),
  ),
  bearer_methods_supported: bearerMethodsSupported(['header']),
  authorization_servers: named(
    AuthorizationServerSchema,
    {},
    'The gateway accepts the tokens of these authorization servers. Each server has a name.',
  ),
  upstreams: named(UpstreamSettings, {}, 'These are the APIs behind the gateway. Each upstream has a name.'),
  defaults: record(
    {
      upstream: Type.Optional(text(undefined, 'Requests go to this upstream, a name in `upstreams`.')),
      identity_headers: identityHeaders({}),
      pass_headers: passHeaders([]),
    },
    {},
    'These values apply to routes that do not set their own values.',
  ),
  routes: Type.Array(RouteSchema, {
    minItems: 1,
    description: 'Each route says which requests it applies to, and what these requests need.',
  }),
  tests: list(
    TestSchema,
    [],
    'Each test is a request with its expected outcome. The gateway runs all tests at each start and reload, and `check` runs them too.',
  ),
});

export type GatewayFile = Static<typeof GatewaySchema>;
export type RouteFile = GatewayFile['routes'][number];
/** The loaded form: every route has an id, and the key of a rate limit is parsed. */
export type RouteConfig = Omit<RouteFile, 'rate_limit'> & { id: string; rate_limit?: RateLimitConfig };
export type RateLimitConfig = Omit<NonNullable<RouteFile['rate_limit']>, 'by'> & { readonly by: CountedBy };
/** The loaded form: `admin` and `health` have one form, and the URLs of an upstream too. */
export type GatewayConfig = Omit<
  GatewayFile,
  'routes' | 'admin' | 'health' | 'decision' | 'upstreams' | 'trusted_proxies' | 'counters'
> & {
  counters: CountersConfig;
  routes: RouteConfig[];
  trusted_proxies: readonly string[];
  /** True: for a trusted proxy, X-Forwarded-Host replaces Host. */
  is_host_forwarded: boolean;
  decision?: Address;
  /** The address where Envoy asks by gRPC. */
  decision_grpc?: Listen;
  /** Milliseconds; 0: proxies may not cache decisions. */
  decision_max_age: number;
  admin?: AdminConfig;
  health?: Address;
  health_passes: Readonly<Record<string, HealthPassConfig>>;
  upstreams: Readonly<Record<string, UpstreamConfig>>;
};
export type AuthorizationServerConfig = GatewayConfig['authorization_servers'][string];
export type AccessLogConfig = NonNullable<GatewayConfig['access_log']>;
export type LimitsConfig = GatewayConfig['limits'];
export type ScopeConfig = NonNullable<RouteConfig['scope']>;
