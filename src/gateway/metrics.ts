import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Decisions } from './decisions.ts';
import type { Generation } from './generation.ts';

/** Prometheus metrics, read from what is counted anyway at the moment somebody asks. Labels are bounded by the file. */
export function buildMetrics(decisions: Decisions, generation: Generation): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Counter({
    name: 'gatehouse_requests_total',
    help: 'Requests by route and what became of them (the codes of docs/errors.md, or forwarded).',
    labelNames: ['route', 'code'],
    registers,
    collect() {
      this.reset();
      for (const { route, code, count } of decisions.counts()) this.inc({ route, code }, count);
    },
  });
  new Gauge({
    name: 'gatehouse_upstream_requests_in_flight',
    help: 'Requests that have a connection to the upstream or wait for one.',
    labelNames: ['upstream'],
    registers,
    collect() {
      for (const { name, inFlight } of generation.upstreams.values()) this.set({ upstream: name }, inFlight);
    },
  });
  for (const { name, help, read } of serverGauges) {
    new Gauge({
      name,
      help,
      labelNames: ['server'],
      registers,
      collect() {
        for (const stats of generation.verifiers.stats()) this.set({ server: stats.server }, read(stats) ?? Number.NaN);
      },
    });
  }
  return registry;
}

type Stats = ReturnType<Generation['verifiers']['stats']> extends Iterable<infer Each> ? Each : never;

const serverGauges: readonly { name: string; help: string; read(stats: Stats): number | undefined }[] = [
  { name: 'gatehouse_token_cache_entries', help: 'Verified tokens kept.', read: (stats) => stats.positive },
  { name: 'gatehouse_token_negative_cache_entries', help: 'Refused tokens kept.', read: (stats) => stats.negative },
  {
    name: 'gatehouse_token_cache_hits',
    help: 'Tokens answered from the cache since the start.',
    read: (stats) => stats.hits,
  },
  {
    name: 'gatehouse_token_cache_misses',
    help: 'Tokens that had to be verified since the start.',
    read: (stats) => stats.misses,
  },
  {
    name: 'gatehouse_introspections',
    help: 'Introspection calls since the start.',
    read: (stats) => stats.introspections,
  },
  { name: 'gatehouse_jwks_age_seconds', help: 'Age of the key set.', read: (stats) => stats.jwks_age_seconds },
];
