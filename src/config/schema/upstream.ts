import type { Static } from 'typebox';
import * as Type from 'typebox';
import { count, duration, durationOrNone, flag, oneOf, record, text } from '../words/schema.ts';
import { UpstreamCredentials } from './upstream-credentials.ts';

export const balances = ['round_robin', 'least_connections'] as const;
export type Balance = (typeof balances)[number];

export const engines = ['own', 'undici'] as const;

const Health = record(
  {
    path: text(
      undefined,
      'The health check sends a GET request for this target, without a credential. A check is successful if the answer has a 2xx status.',
    ),
    interval: duration('5s', 'A check runs at this interval (at least 100ms), with a random change of at most 10 %.'),
    timeout: duration('2s', 'A check fails if no answer arrives within this time.'),
    unhealthy_after: count(3, 'After this many failed checks in a row, the URL is unhealthy and gets no requests.'),
    healthy_after: count(2, 'After this many successful checks in a row, the URL is healthy again.'),
  },
  undefined,
  'The gateway checks the health of each URL. Without this key, every URL counts as healthy.',
);

const CircuitBreaker = record(
  {
    failures: count(
      5,
      'After this many requests in a row without a valid answer, the circuit breaker opens and the URL gets no requests.',
    ),
    open_for: duration(
      '10s',
      'The circuit breaker stays open for this long (at least 100ms). Then one request tests the URL. If the URL answers, the circuit breaker closes.',
    ),
  },
  undefined,
  'The gateway stops sending requests to a URL that does not answer. Any status counts as an answer. The circuit breaker is off by default.',
);

const Tls = record(
  {
    ca: Type.Optional(
      text(
        undefined,
        "This PEM file holds certificate authorities. The gateway trusts only these authorities for this upstream. By default, it trusts the system's authorities.",
      ),
    ),
    cert: Type.Optional(
      text(
        undefined,
        'This PEM file holds the certificate that the gateway presents to the upstream. `cert` needs `key`.',
      ),
    ),
    key: Type.Optional(text(undefined, 'This PEM file holds the private key of `cert`.')),
    server_name: Type.Optional(
      text(undefined, 'The certificate of the upstream must have this name. The default is the host of the URL.'),
    ),
  },
  undefined,
  'These settings apply to https URLs. The gateway always verifies certificates, and reads the files again when they change.',
);

export const UpstreamSettings = record(
  {
    url: Type.Optional(text(undefined, 'The API has this URL: http: or https:, a host and a port, without a path.')),
    urls: Type.Optional(
      Type.Array(text(), {
        minItems: 1,
        description: 'The API has these URLs. The gateway distributes requests among them.',
      }),
    ),
    balance: oneOf(
      balances,
      'round_robin',
      'round_robin: the gateway uses each of the `urls` in turn. least_connections: the gateway uses the URL with the fewest requests in flight.',
    ),
    host: text(
      'preserve',
      'The gateway sends this Host to the upstream. preserve: the Host that the client sent. upstream: the host of the URL. Any other text: this text.',
    ),
    case_sensitive: flag(
      true,
      'false: the API treats /API and /api as equal, so the gateway ignores upper and lower case in the paths of routes to this upstream.',
    ),
    credentials: Type.Optional(UpstreamCredentials),
    timeout: record(
      {
        connect: duration('2s', 'A connection must open within this time.'),
        response: Type.Optional(
          duration(
            undefined,
            'The first byte of the answer must arrive within this time. The default is 30s. If all routes of the upstream are in shadow mode, the default is no limit.',
          ),
        ),
        idle: Type.Optional(
          durationOrNone(
            undefined,
            'The answer may pause for this long. `none` means no limit: write `none` for streams that may be silent for long. The default is 60s. For `mcp` routes, the default is no limit. If all routes of the upstream are in shadow mode, the default is no limit either.',
          ),
        ),
      },
      {},
      'These limits say how long the gateway waits for the upstream. After a limit, the gateway answers 504, or cuts an answer that has begun.',
    ),
    retries: Type.Integer({
      minimum: 0,
      maximum: 5,
      default: 1,
      description:
        'The gateway retries a failed request at most this many times. If no connection opened, the gateway retries the request, but only at another URL. The gateway also retries an idempotent request without a body in three other cases. First, the connection broke before an answer: the retry goes to another URL if there is one. Second, no answer arrived in time: the retry goes only to another URL. Third, `engine: own` cannot read the answer: the retry uses undici.',
    }),
    health: Type.Optional(Health),
    circuit_breaker: Type.Optional(CircuitBreaker),
    tls: Type.Optional(Tls),
    engine: oneOf(
      engines,
      'own',
      'The gateway uses this HTTP client for HTTP/1.1 with the upstream. own: the small, strict client of the gateway. If this client does not understand the beginning of two answers within ten minutes, the gateway uses undici for ten minutes. undici: the gateway always uses undici, the HTTP client of the Node.js project. For a small request, undici needs about 1.5 times as much CPU.',
    ),
    http2: flag(
      false,
      'true: the gateway uses HTTP/2. With https URLs, it negotiates HTTP/2 by ALPN. With http URLs, it uses HTTP/2 without negotiation.',
    ),
    max_connections: count(
      256,
      'Each URL may have at most this many connections at a time. WebSockets do not count. With `http2`, this is the limit for requests at a time.',
    ),
    max_pending: count(
      1024,
      'At most this many requests to the upstream may wait for a connection. Further requests get 503.',
      0,
    ),
  },
  undefined,
  'This is an API behind the gateway.',
);

export type UpstreamFile = Static<typeof UpstreamSettings>;
/** The loaded form: a single URL is a list of one. */
export type UpstreamConfig = Omit<UpstreamFile, 'url' | 'urls'> & { readonly urls: readonly string[] };
export type HealthConfig = NonNullable<UpstreamFile['health']>;
export type CircuitBreakerConfig = NonNullable<UpstreamFile['circuit_breaker']>;
export type UpstreamTlsConfig = NonNullable<UpstreamFile['tls']>;

/** Each URL, with its place in the block. */
export function urlsOf({
  url,
  urls,
}: Pick<UpstreamFile, 'url' | 'urls'>): readonly (readonly [readonly (string | number)[], string])[] {
  if (urls !== undefined) return urls.map((each, index) => [['urls', index], each] as const);
  return url === undefined ? [] : [[['url'], url]];
}
