import type { Static } from 'typebox';
import * as Type from 'typebox';
import { count, duration, durationOrNone, flag, oneOf, record, text } from '../words/schema.ts';
import { UpstreamCredentials } from './upstream-credentials.ts';

export const balances = ['round_robin', 'least_connections'] as const;
export type Balance = (typeof balances)[number];

export const engines = ['own', 'undici'] as const;

const Health = record(
  {
    path: text(undefined, 'The target of the health check, a GET without a credential. 2xx is healthy.'),
    interval: duration('5s', 'Between two questions, a tenth more or less by chance.'),
    timeout: duration('2s', 'For an answer; above: as if it had failed.'),
    unhealthy_after: count(3, 'So many failures in a row, and the url gets no requests …'),
    healthy_after: count(2, '… until it answered so many times in a row.'),
  },
  undefined,
  'Asks each url whether it is well. Absent: every url counts as well.',
);

const CircuitBreaker = record(
  {
    failures: count(
      5,
      'So many requests in a row without an answer (refused, cut, garbage, silence), and the url gets none …',
    ),
    open_for: duration('10s', '… for so long; then one, and with its answer all again.'),
  },
  undefined,
  'Leaves a url alone that does not answer. An answer of any status is an answer. Absent: never.',
);

const Tls = record(
  {
    ca: Type.Optional(
      text(
        undefined,
        "A PEM file of the only certificate authorities that the gateway trusts for this upstream. By default, it trusts the system's.",
      ),
    ),
    cert: Type.Optional(text(undefined, 'File: the certificate that is shown to it, PEM; with `key`.')),
    key: Type.Optional(text(undefined, 'File: the private key of `cert`, PEM.')),
    server_name: Type.Optional(
      text(undefined, 'The name that its certificate must have. Absent: the host of the url.'),
    ),
  },
  undefined,
  'Towards https urls. Certificates are always verified; the files are read again when they change.',
);

export const UpstreamSettings = record(
  {
    url: Type.Optional(text(undefined, 'http: or https:, host and port, no path.')),
    urls: Type.Optional(
      Type.Array(text(), { minItems: 1, description: 'Several of the same, between which requests are shared out.' }),
    ),
    balance: oneOf(
      balances,
      'round_robin',
      'Between `urls`: one after the other, or where the fewest requests are in flight.',
    ),
    host: text('preserve', 'The Host that the upstream sees: preserve | upstream | a literal.'),
    case_sensitive: flag(true, 'false: it treats /API and /api alike, so its routes match without case.'),
    credentials: Type.Optional(UpstreamCredentials),
    timeout: record(
      {
        connect: duration('2s', 'For a connection to open.'),
        response: Type.Optional(
          duration(
            undefined,
            'To the first byte of the answer. Absent: 30s; no limit while all its routes are in shadow.',
          ),
        ),
        idle: Type.Optional(
          durationOrNone(
            undefined,
            'Between two bytes of the answer; none for quiet streams. Absent: 60s; no limit while all its routes are in shadow.',
          ),
        ),
      },
      {},
      'How long it is waited for; above: 504.',
    ),
    retries: Type.Integer({
      minimum: 0,
      maximum: 5,
      default: 1,
      description:
        'How often a request is sent again, to another url where there is one: of an idempotent method without a body when its connection broke before an answer, any when no connection opened.',
    }),
    health: Type.Optional(Health),
    circuit_breaker: Type.Optional(CircuitBreaker),
    tls: Type.Optional(Tls),
    engine: oneOf(
      engines,
      'own',
      'The client that speaks HTTP/1.1 with the upstream. own: a small, strict client; undici takes over for ten minutes if own does not understand how an answer begins. undici: always undici, which costs the gateway about half as much again for each request.',
    ),
    http2: flag(false, 'true: HTTP/2, by ALPN over https or at once over http.'),
    max_connections: count(
      256,
      'Connections to each url at one time, without those that became WebSockets; with `http2`, requests.',
    ),
    max_pending: count(1024, 'Requests that wait for a connection; above: 503.', 0),
  },
  undefined,
  'An API behind the gateway.',
);

export type UpstreamFile = Static<typeof UpstreamSettings>;
/** Once loaded, one url is a list of one. */
export type UpstreamConfig = Omit<UpstreamFile, 'url' | 'urls'> & { readonly urls: readonly string[] };
export type HealthConfig = NonNullable<UpstreamFile['health']>;
export type CircuitBreakerConfig = NonNullable<UpstreamFile['circuit_breaker']>;
export type UpstreamTlsConfig = NonNullable<UpstreamFile['tls']>;

/** Each url with its place in the block. */
export function urlsOf({
  url,
  urls,
}: Pick<UpstreamFile, 'url' | 'urls'>): readonly (readonly [readonly (string | number)[], string])[] {
  if (urls !== undefined) return urls.map((each, index) => [['urls', index], each] as const);
  return url === undefined ? [] : [[['url'], url]];
}
