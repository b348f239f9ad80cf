import { Counter, Gauge, Registry } from 'prom-client';
import { addProcessMetrics } from '../../base/process-metrics.ts';
import type { RefusedConnections } from '../../base/refused-connections.ts';
import type { Generation, LiveGeneration } from '../generation/generation.ts';
import type { Measured, RouteTally } from '../message/tally.ts';
import type { Decisions } from '../telemetry/decisions.ts';
import { feedMetrics } from './feed-metrics.ts';
import { type GaugeMetric, registerGauges } from './gauge-metrics.ts';
import { type HistogramMetric, registerHistogram } from './histogram-metric.ts';
import { type Reader, readerMetric } from './reader-metric.ts';
import { refusedMetric } from './refused-metric.ts';
import type { ReloadStats } from './reload.ts';
import { shareMetrics } from './share-metrics.ts';
import { upstreamMetrics } from './upstream-metrics.ts';

/** What a gateway counts, and the configuration that limits the labels. */
interface Counted {
  readonly decisions: Decisions;
  readonly live: LiveGeneration;
  readonly refused: RefusedConnections;
}

/**
 * Prometheus metrics, read at the scrape from existing counts. The file limits the labels. `aggregator`: how the values
 * of several workers are combined. A worker has no `reloads` of its own.
 */
export function buildMetrics(
  { decisions, live, refused }: Counted,
  reloads: ReloadStats | undefined,
  reader: Reader,
): Registry {
  const registry = new Registry();
  addProcessMetrics(registry);
  const registers = [registry];
  decisionMetrics(registry, decisions);
  new Gauge({
    name: 'gatehouse_upstream_requests_in_flight',
    help: 'Requests that have a connection to the upstream or wait for one.',
    labelNames: ['upstream'],
    registers,
    collect() {
      this.reset();
      for (const { name, inFlight } of live.current.upstreams.values()) this.set({ upstream: name }, inFlight);
    },
  });
  shareMetrics(registry, live);
  new Gauge({
    name: 'gatehouse_counters_reachable',
    help: '1: the shared counters are reachable, or the process keeps its counters in memory. 0: the shared counters are unreachable, and the process counts its own requests only.',
    aggregator: 'min',
    registers,
    collect() {
      this.set(live.current.counters.reachable() ? 1 : 0);
    },
  });
  registerGauges(registry, {
    labelNames: ['server'],
    gauges: serverGauges,
    each: () => [...live.current.verifiers.stats()].map((stats) => [{ server: stats.server }, stats]),
  });
  feedMetrics(registry, live);
  upstreamMetrics(registry, live);
  readerMetric(registry, reader);
  if (reloads !== undefined) processMetrics(registry, { decisions, reloads, refused });
  return registry;
}

/** Metrics of requests. */
function decisionMetrics(registry: Registry, decisions: Decisions): void {
  const registers = [registry];
  new Counter({
    name: 'gatehouse_requests_total',
    help: 'Requests by route, code, reason, class of the status, and method.',
    labelNames: ['route', 'code', 'reason', 'status_class', 'method'],
    registers,
    collect() {
      this.reset();
      for (const [route, tally] of decisions.tallies()) {
        for (const { count, ...labels } of tally.counts()) this.inc({ route, ...labels }, count);
      }
    },
  });
  new Counter({
    name: 'gatehouse_mcp_messages_total',
    help: 'Messages of routes with `mcp`, by route, method, tool and code. `tool` is `other` if the upstream has not listed the tool.',
    labelNames: ['route', 'method', 'tool', 'code'],
    registers,
    collect() {
      this.reset();
      for (const { count, ...labels } of decisions.calls.counts()) this.inc(labels, count);
    },
  });
  for (const { name, help, labelNames, read } of histograms)
    registerHistogram(registry, { name, help, labelNames, read: () => read(decisions) });
  new Counter({
    name: 'gatehouse_forwarded_host_ignored_total',
    help: 'Requests of a trusted proxy whose X-Forwarded-Host differs from Host. The gateway judges these requests by Host.',
    registers,
    collect() {
      this.reset();
      this.inc(decisions.otherHosts);
    },
  });
  new Counter({
    name: 'gatehouse_access_log_lines_lost_total',
    help: 'Access log lines that the gateway lost, because a write to the file failed or was too slow.',
    registers,
    collect() {
      this.reset();
      this.inc(decisions.accessLinesLost);
    },
  });
}

interface CountedOnce {
  readonly decisions: Pick<Decisions, 'watchers'>;
  readonly reloads: ReloadStats;
  readonly refused: RefusedConnections;
}

/** Metrics that exist once, whatever the number of workers. */
export function processMetrics(registry: Registry, { decisions, reloads, refused }: CountedOnce): void {
  const registers = [registry];
  new Gauge({
    name: 'gatehouse_decision_watchers',
    help: 'Clients that read /decisions at the moment.',
    registers,
    collect() {
      this.set(decisions.watchers);
    },
  });
  refusedMetric(registry, refused);
  reloadMetrics(registry, reloads);
}

function reloadMetrics(registry: Registry, reloads: ReloadStats): void {
  new Counter({
    name: 'gatehouse_config_reloads_total',
    help: 'Attempts to reload the configuration, by result.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const result of ['success', 'failure'] as const) this.inc({ result }, reloads[result]);
    },
  });
  registerGauges(registry, { labelNames: [], gauges: reloadGauges, each: () => [[{}, reloads]] });
}

const reloadGauges: readonly GaugeMetric<ReloadStats>[] = [
  {
    name: 'gatehouse_config_last_reload_successful',
    help: '1: the file on the disk is active. 0: an older file is active. The gateway rejected the file on the disk, or waits for a reload request before it loads this file (`gatehouse_config_reload_waiting`).',
    read: ({ lastSuccessful }) => (lastSuccessful ? 1 : 0),
  },
  {
    name: 'gatehouse_config_reload_waiting',
    help: '1: the file on the disk was written in place, and may allow more access than the active configuration. The gateway loads this file only after SIGHUP or POST /reload. 0: no file waits.',
    read: ({ waiting }) => (waiting ? 1 : 0),
  },
  {
    name: 'gatehouse_config_last_reload_success_timestamp_seconds',
    help: 'Time when the gateway loaded the active configuration, in seconds since the epoch.',
    read: ({ lastSuccess }) => lastSuccess / 1000,
  },
];

const histograms: readonly (Omit<HistogramMetric, 'read'> & {
  read(of: Decisions): ReturnType<HistogramMetric['read']>;
})[] = [
  {
    name: 'gatehouse_request_duration_seconds',
    help: "Time from a request's head to the end of its answer.",
    labelNames: ['route'],
    read: (decisions) => byRoute(decisions, (tally) => tally.requests),
  },
  {
    name: 'gatehouse_upstream_duration_seconds',
    help: 'Time from forwarding a request to the first byte of its answer.',
    labelNames: ['route'],
    read: (decisions) => byRoute(decisions, (tally) => tally.upstream),
  },
  {
    name: 'gatehouse_gateway_duration_seconds',
    help: 'Time that the gateway itself takes until it forwards or answers a request, without the time for verification.',
    labelNames: [],
    read: ({ gateway }) => [[{}, gateway]],
  },
  {
    name: 'gatehouse_verification_duration_seconds',
    help: 'Time that a decision waits for the verification of a credential that is not in the cache, or for shared counters.',
    labelNames: [],
    read: ({ verification }) => [[{}, verification]],
  },
];

function byRoute(decisions: Decisions, pick: (tally: RouteTally) => Measured) {
  return [...decisions.tallies()].map(([route, tally]) => [{ route }, pick(tally)] as const);
}

type Stats = ReturnType<Generation['verifiers']['stats']> extends Iterable<infer Each> ? Each : never;

interface ServerGauge extends GaugeMetric<Stats> {
  /** The value only grows, so the counts of an ended worker must be kept. */
  readonly isCount?: true;
}

const serverGauges: readonly ServerGauge[] = [
  { name: 'gatehouse_token_cache_entries', help: 'Verified tokens in the cache.', read: (stats) => stats.positive },
  {
    name: 'gatehouse_token_negative_cache_entries',
    help: 'Rejected tokens in the cache.',
    read: (stats) => stats.negative,
  },
  {
    name: 'gatehouse_token_cache_hits',
    isCount: true,
    help: 'Look-ups of tokens that were in the cache, since the gateway started.',
    read: (stats) => stats.hits,
  },
  {
    name: 'gatehouse_token_cache_misses',
    isCount: true,
    help: 'Look-ups of tokens that were not in the cache, since the gateway started. The gateway had to verify these tokens.',
    read: (stats) => stats.misses,
  },
  {
    name: 'gatehouse_introspections',
    isCount: true,
    help: 'Introspection calls since the start. If the server has `verify: store`, the metric counts look-ups in the store.',
    read: (stats) => stats.introspections,
  },
  { name: 'gatehouse_user_keys', help: 'Keys of single users in the cache.', read: (stats) => stats.userKeys },
  {
    name: 'gatehouse_user_key_fetches',
    isCount: true,
    help: 'How often the gateway fetched the key of a single user, since the start.',
    read: (stats) => stats.userKeyFetches,
  },
  {
    name: 'gatehouse_jwks_age_seconds',
    help: "Seconds since the gateway last fetched the server's keys.",
    aggregator: 'max',
    read: (stats) => stats.jwks_age_seconds,
  },
];

/** Gauges that count since the start, by their names. */
export const countingGauges: ReadonlySet<string> = new Set(
  serverGauges.filter(({ isCount }) => isCount).map(({ name }) => name),
);
