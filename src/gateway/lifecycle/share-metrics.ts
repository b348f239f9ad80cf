import { Counter, Gauge, type Registry } from 'prom-client';
import type { LiveGeneration } from '../generation/generation.ts';

/** What client addresses have of what all of them share. */
export function shareMetrics(registry: Registry, live: LiveGeneration): void {
  const registers = [registry];
  new Gauge({
    name: 'gatehouse_held_body_bytes',
    help: 'Bytes of request bodies in memory: until they are judged, or until they get a connection.',
    aggregator: 'sum',
    registers,
    collect() {
      this.set(live.current.shared.bodies.held);
    },
  });
  new Counter({
    name: 'gatehouse_share_reached_total',
    help: 'Requests that arrived while their client address had its whole share (`limits.share`), by the shared resource.',
    labelNames: ['of'],
    registers,
    collect() {
      this.reset();
      for (const [of, count] of live.current.shared.fullShares.counts) this.inc({ of }, count);
    },
  });
  new Gauge({
    name: 'gatehouse_untrusted_proxy',
    help: 'An address that reached its share, or was rejected for too many requests or wrong passwords. It sends forwarding headers like a proxy, but is not in `trusted_proxies`. Lists the 16 most frequent.',
    labelNames: ['address'],
    aggregator: 'max',
    registers,
    collect() {
      this.reset();
      for (const address of live.current.shared.fullShares.proxies) this.set({ address }, 1);
    },
  });
}
