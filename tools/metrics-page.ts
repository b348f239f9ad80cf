// docs/metrics.md: every metric of the programs, read from the registries that they serve. Nothing is collected here.
import type { Registry } from 'prom-client';
import { buildServiceMetrics } from '../src/authorization/telemetry/metrics.ts';
import { viewersMetric } from '../src/gateway/console/live/viewers-metric.ts';
import { buildMetrics } from '../src/gateway/lifecycle/metrics.ts';
import { receiverMetrics } from '../src/gateway/lifecycle/receiver-metrics.ts';
import { groupMetrics } from '../src/supervisor/group-health.ts';

/** Only a scrape reads the subject of a metric, and no scrape happens here. */
const UNREAD = {} as never;

function ofGateway(): Registry {
  const registry = buildMetrics(UNREAD, UNREAD, UNREAD);
  viewersMetric(registry, UNREAD);
  receiverMetrics(registry, UNREAD, UNREAD);
  return registry;
}

const groups: readonly { readonly title: string; readonly intro: string; readonly registry: Registry }[] = [
  {
    title: 'Gateway',
    intro:
      'The gateway serves these metrics at `/metrics` of `admin` and `health`. With `workers`, each value covers all workers.',
    registry: ofGateway(),
  },
  {
    title: 'Gateway with `workers`',
    intro: 'The same listeners also serve these metrics of the primary process.',
    registry: groupMetrics(UNREAD),
  },
  {
    title: 'Authorization service',
    intro: 'The service serves these metrics at `/metrics` of `admin` and `health`.',
    registry: buildServiceMetrics({ counters: UNREAD, proxies: UNREAD, records: UNREAD, refused: UNREAD }).registry,
  },
];

/** A label and its values. */
export const labels: Readonly<Record<string, string>> = {
  active: '`true` or `false`: the `active` of the introspection answer',
  address: 'the address of a peer',
  cause: '`health` for the health check, or `circuit_breaker`',
  code: '`forwarded`, `answered`, `client_gone`, or a code of [errors](errors.md)',
  document: '`metadata` or `keys`: a metadata document or a key set of a client',
  endpoint: 'the endpoint of the service, such as `token` or `authorize`',
  format: '`opaque` or `jwt`',
  grant_type: 'the grant type of the request (RFC 6749)',
  listener: 'the key of the address in the file: `listen`, `decision`, `decision.grpc` or `receiver.listen`',
  kind: 'the kind of a revocation: `kid`, `jti`, `gid`, `sid`, `sub_nbf`, `sessionless_nbf`, `client_nbf`, `token_hash` or `reset`',
  method: 'the request method; in `gatehouse_mcp_messages_total`, the method of the message',
  of: 'the shared resource: `limits`, or `upstreams.NAME`',
  outcome: '`ok`, or an error code',
  reader:
    'the code that reads requests. `node`: the server of Node.js. `lent`: our own listener, with one buffer for all reads. `data`: our own listener, with one buffer for each read',
  reason: 'the reason in a few words, or empty',
  receiver: 'the `id` in `security_events.receivers`',
  result: '`success` or `failure`; for some metrics, a result that the meaning of the metric lists',
  route: 'the `id` of the route',
  server: 'the name in `authorization_servers`',
  status_class:
    '`1xx` to `5xx`, or `none` if there was no answer. If `decision` reports an outage to nginx as a 403, the value is `4xx`',
  token: '`logout` for a logout token, `event` for a security event token',
  tool: 'the name of the tool; empty if the message calls no tool, and `other` if no list of tools contained the tool',
  upstream: 'the name in `upstreams`',
  url: 'the host and port of one URL of the upstream',
};

/** Metrics that operators check first. */
const queries: readonly (readonly [question: string, query: string])[] = [
  [
    'How many requests does the gateway forward per second?',
    '`sum(rate(gatehouse_requests_total{code="forwarded"}[5m]))`',
  ],
  [
    'Which routes refuse requests, with which codes?',
    '`sum by (route, code) (rate(gatehouse_requests_total{status_class="4xx"}[5m]))`',
  ],
  [
    'Which share of the answers is 5xx?',
    '`sum(rate(gatehouse_requests_total{status_class="5xx"}[5m])) / sum(rate(gatehouse_requests_total[5m]))`',
  ],
  [
    'How much time does the gateway itself add (99th percentile)?',
    '`histogram_quantile(0.99, sum by (le) (rate(gatehouse_gateway_duration_seconds_bucket[5m])))`',
  ],
  ['Is the active configuration older than the file?', '`gatehouse_config_last_reload_successful == 0`'],
  ['Which upstream URL is unhealthy?', '`gatehouse_upstream_up == 0`'],
  ['Which feed of revocations is stale?', '`gatehouse_feed_stale == 1`'],
];

interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** @returns our metrics in a registry, by name. The metrics of Node.js have other prefixes. */
export function described(registry: Registry): readonly Described[] {
  const all = registry.getMetricsAsArray() as unknown as readonly Described[];
  return all.filter(({ name }) => name.startsWith('gatehouse_')).toSorted((a, b) => a.name.localeCompare(b.name));
}

/** @returns the registries that the page shows, in its order. */
export function registries(): readonly Registry[] {
  return groups.map(({ registry }) => registry);
}

export function metricsPage(): string {
  return [
    '# Metrics',
    '<!-- Made by `npm run generate` from the metrics in src: do not edit. -->',
    'This page lists every Prometheus metric of both programs, with its type, labels and meaning. Names and labels are stable.',
    '[Production](production.md#watch-it) lists the alerts of the chart. The programs also serve metrics of the Node.js process (`process_…`, `nodejs_…`).',
    '## Questions that operators ask',
    table(['question', 'PromQL'], queries),
    '## Labels',
    table(
      ['label', 'values'],
      Object.entries(labels).map(([name, values]) => [`\`${name}\``, values]),
    ),
    ...groups.flatMap(({ title, intro, registry }) => [`## ${title}`, intro, metricTable(described(registry))]),
  ]
    .join('\n\n')
    .concat('\n');
}

function metricTable(metrics: readonly Described[]): string {
  const rows = metrics.map(({ name, type, labelNames, help }) => [
    `\`${name}\``,
    type,
    labelNames.map((label) => `\`${label}\``).join(', ') || '–',
    help,
  ]);
  return table(['metric', 'type', 'labels', 'meaning'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
