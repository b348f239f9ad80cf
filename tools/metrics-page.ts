// docs/metrics.md: every metric of the programs, from the registries that they serve. Nothing is collected here.
import type { Registry } from 'prom-client';
import { buildServiceMetrics } from '../src/authorization/telemetry/metrics.ts';
import { buildMetrics } from '../src/gateway/lifecycle/metrics.ts';
import { groupMetrics } from '../src/supervisor/group-health.ts';

/** Only a scrape reads the subject of a metric, and no scrape happens here. */
const UNREAD = {} as never;

const groups: readonly { readonly title: string; readonly intro: string; readonly registry: Registry }[] = [
  {
    title: 'Gateway',
    intro:
      'Served at `/metrics` of `admin` and `health`. With `workers`, the values of all workers are merged into one.',
    registry: buildMetrics(UNREAD, UNREAD, UNREAD),
  },
  {
    title: 'Gateway with `workers`',
    intro: 'Served in addition, by the process that starts the workers.',
    registry: groupMetrics(UNREAD),
  },
  {
    title: 'Authorization service',
    intro: 'Served at `/metrics` of `admin` and `health`.',
    registry: buildServiceMetrics(UNREAD, UNREAD).registry,
  },
];

/** A label and its values. */
export const labels: Readonly<Record<string, string>> = {
  active: '`true` or `false`: what introspection answered',
  address: 'the address of a peer',
  cause: '`health` or `circuit_breaker`',
  code: '`forwarded`, `answered`, `client_gone`, or a code of [errors](errors.md)',
  endpoint: 'the endpoint of the service, such as `token` or `authorize`',
  format: '`opaque` or `jwt`',
  grant_type: 'the grant type of the request (RFC 6749)',
  kind: 'the kind of a revocation: `kid`, `jti`, `gid`, `sub_nbf`, `client_nbf`, `token_hash` or `reset`',
  method: 'the request method',
  of: 'what the share belongs to: `limits`, or `upstreams.NAME`',
  outcome: '`ok`, or an error code',
  reason: 'the cause in a few words, or empty',
  result: '`success` or `failure`',
  route: 'the `id` of the route',
  server: 'the name in `authorization_servers`',
  status_class: '`1xx` to `5xx`, or `none` without an answer',
  upstream: 'the name in `upstreams`',
  url: 'host and port of one url of the upstream',
};

/** Metrics that operators look at first. */
const queries: readonly (readonly [question: string, query: string])[] = [
  ['Requests a second that the gateway forwards', '`sum(rate(gatehouse_requests_total{code="forwarded"}[5m]))`'],
  ['Refusals by route and code', '`sum by (route, code) (rate(gatehouse_requests_total{status_class="4xx"}[5m]))`'],
  [
    'Share of answers with 5xx',
    '`sum(rate(gatehouse_requests_total{status_class="5xx"}[5m])) / sum(rate(gatehouse_requests_total[5m]))`',
  ],
  [
    'Time that the gateway itself adds, 99th percentile',
    '`histogram_quantile(0.99, sum by (le) (rate(gatehouse_gateway_duration_seconds_bucket[5m])))`',
  ],
  ['The active file is an old one', '`gatehouse_config_last_reload_successful == 0`'],
  ['An upstream url is unhealthy', '`gatehouse_upstream_up == 0`'],
  ['Revocations may be missed', '`gatehouse_feed_stale == 1`'],
];

interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** @returns the metrics of ours in a registry, by name; those of Node.js itself have other prefixes. */
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
    'This page lists every metric of both programs for Prometheus: its type, its labels and its meaning. Names and labels are stable.',
    'The alerts that come with the chart are in [production](production.md#watch-it). Metrics of the Node.js process (`process_…`, `nodejs_…`) are served too.',
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
