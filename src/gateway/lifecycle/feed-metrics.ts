import { Counter, type Registry } from 'prom-client';
import type { LiveGeneration } from '../generation/generation.ts';
import type { FeedStats } from '../revocation/revocations.ts';
import { type GaugeMetric, registerGauges } from './gauge-metrics.ts';
import { registerHistogram } from './histogram-metric.ts';

/**
 * The revocation feeds, by authorization server. Every worker gets all events, so the values of workers are not added.
 */
export function feedMetrics(registry: Registry, live: LiveGeneration): void {
  const feeds = () =>
    [...live.current.verifiers.stats()].flatMap(({ server, feed }) => (feed === undefined ? [] : [{ server, feed }]));
  const labelNames = ['server'] as const;
  registerGauges(registry, { labelNames, gauges, each: () => feeds().map(({ server, feed }) => [{ server }, feed]) });
  new Counter({
    name: 'gatehouse_feed_events_total',
    help: 'Revocations that the feed sent, by kind. `reset` means that the gateway may have missed events.',
    aggregator: 'max',
    labelNames: ['server', 'kind'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { server, feed } of feeds())
        for (const [kind, count] of feed.events) this.inc({ server, kind }, count);
    },
  });
  registerHistogram(registry, {
    name: 'gatehouse_revocation_apply_seconds',
    help: 'Seconds from the arrival of a revocation until the gateway applies the revocation.',
    labelNames,
    read: () => feeds().map(({ server, feed }) => [{ server }, feed.apply] as const),
  });
}

const gauges: readonly GaugeMetric<FeedStats>[] = [
  {
    name: 'gatehouse_feed_connected',
    help: '1: the gateway is connected to the revocation feed. 0: the gateway is not connected.',
    aggregator: 'min',
    read: ({ connected }) => (connected ? 1 : 0),
  },
  {
    name: 'gatehouse_feed_stale',
    help: '1: the gateway may not know recent revocations, and `on_stale` applies.',
    aggregator: 'max',
    read: ({ stale }) => (stale ? 1 : 0),
  },
  {
    name: 'gatehouse_feed_lag_seconds',
    help: 'Seconds since the gateway last knew all revocations. If the gateway never knew all revocations, the value is the time since its start.',
    aggregator: 'max',
    read: ({ lagSeconds }) => lagSeconds,
  },
  {
    name: 'gatehouse_revocations',
    help: 'Revocations that the gateway keeps, because clients could still present the revoked tokens.',
    aggregator: 'max',
    read: ({ live }) => live,
  },
];
