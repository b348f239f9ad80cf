import { Counter, Gauge, type Registry } from 'prom-client';
import type { LiveGeneration } from '../lifecycle/generation.ts';
import type { FeedStats } from '../revocation/revocations.ts';
import { registerHistogram } from './histogram-metric.ts';

/** What the revocation feeds say, by authorization server. Every worker hears all of it, so none is added to another. */
export function feedMetrics(registry: Registry, live: LiveGeneration): void {
  const registers = [registry];
  const feeds = () =>
    [...live.current.verifiers.stats()].flatMap(({ server, feed }) => (feed === undefined ? [] : [{ server, feed }]));
  for (const { name, help, aggregator, read } of gauges) {
    new Gauge({
      name,
      help,
      aggregator,
      labelNames: ['server'],
      registers,
      collect() {
        this.reset();
        for (const { server, feed } of feeds()) this.set({ server }, read(feed));
      },
    });
  }
  new Counter({
    name: 'gatehouse_feed_events_total',
    help: 'Revocations that the feed told of, by kind; reset: it lost its thread.',
    aggregator: 'max',
    labelNames: ['server', 'kind'],
    registers,
    collect() {
      this.reset();
      for (const { server, feed } of feeds())
        for (const [kind, count] of feed.events) this.inc({ server, kind }, count);
    },
  });
  registerHistogram(registry, {
    name: 'gatehouse_revocation_apply_seconds',
    help: 'From the arrival of a revocation until it is in force.',
    read: () => feeds().map(({ server, feed }) => [{ server }, feed.apply] as const),
  });
}

const gauges: readonly {
  name: string;
  help: string;
  aggregator: 'min' | 'max';
  read(feed: FeedStats): number;
}[] = [
  {
    name: 'gatehouse_feed_connected',
    help: '1: the revocation feed is being followed.',
    aggregator: 'min',
    read: ({ connected }) => (connected ? 1 : 0),
  },
  {
    name: 'gatehouse_feed_stale',
    help: '1: what was revoked lately may be unknown, and on_stale applies.',
    aggregator: 'max',
    read: ({ stale }) => (stale ? 1 : 0),
  },
  {
    name: 'gatehouse_feed_lag_seconds',
    help: 'Since everything that was revoked was known; since the start where it never was.',
    aggregator: 'max',
    read: ({ lagSeconds }) => lagSeconds,
  },
  {
    name: 'gatehouse_revocations',
    help: 'What was revoked and could still be presented.',
    aggregator: 'max',
    read: ({ live }) => live,
  },
];
