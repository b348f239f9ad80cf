import { Counter, type Registry } from 'prom-client';
import type { LiveGeneration } from '../generation/generation.ts';
import type { BreakerState } from '../upstreams/breaker.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import { type GaugeMetric, registerGauges } from './gauge-metrics.ts';

/** The state of each URL of each upstream. Every worker checks URLs itself. */
export function upstreamMetrics(registry: Registry, live: LiveGeneration): void {
  const registers = [registry];
  const labelNames = ['upstream', 'url'] as const;
  const each = () =>
    [...live.current.upstreams.values()].flatMap(({ name, origins }) =>
      origins.map((origin) => [{ upstream: name, url: origin.authority }, origin] as const),
    );
  registerGauges(registry, { labelNames, gauges, each });
  new Counter({
    name: 'gatehouse_upstream_ejections_total',
    help: 'How often the gateway removed the URL from rotation, by cause: the health check or the circuit breaker.',
    labelNames: [...labelNames, 'cause'],
    registers,
    collect() {
      this.reset();
      for (const [labels, { counts }] of each()) {
        this.inc({ ...labels, cause: 'health' }, counts.unhealthy);
        this.inc({ ...labels, cause: 'circuit_breaker' }, counts.opened);
      }
    },
  });
  new Counter({
    name: 'gatehouse_upstream_retries_total',
    help: 'Retries that the gateway sent to this URL, after the request failed at this URL or at another one.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const [labels, { counts }] of each()) this.inc(labels, counts.retries);
    },
  });
}

const states: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

const gauges: readonly GaugeMetric<UpstreamUrl>[] = [
  {
    name: 'gatehouse_upstream_up',
    help: '1: the health check reports the URL as healthy, or `health` is not set. 0: the URL is unhealthy and gets no requests.',
    aggregator: 'min',
    read: ({ isHealthy }) => (isHealthy ? 1 : 0),
  },
  {
    name: 'gatehouse_upstream_breaker',
    help: 'State of the circuit breaker of the URL: 0 closed, 1 half open, 2 open.',
    aggregator: 'max',
    read: ({ breaker }) => (breaker === undefined ? 0 : states[breaker.state]),
  },
  {
    name: 'gatehouse_upstream_url_requests_in_flight',
    help: 'Requests that have a connection to the URL or wait for one.',
    aggregator: 'sum',
    read: ({ inFlight }) => inFlight,
  },
  {
    name: 'gatehouse_upstream_engine_fallback',
    help: '1: the gateway uses undici for the URL, because `engine: own` does not understand its answers. 0: the gateway uses the engine in the file.',
    aggregator: 'max',
    read: ({ carrier }) => (carrier.fallback?.isOn === true ? 1 : 0),
  },
];
