import { Counter, Gauge, type Registry } from 'prom-client';
import type { LiveGeneration } from '../generation/generation.ts';

/** How much of the shared resources client addresses use. */
export function shareMetrics(registry: Registry, live: LiveGeneration): void {
  const registers = [registry];
  new Gauge({
    name: 'gatehouse_held_body_bytes',
    help: 'Bytes of bodies that the gateway keeps in memory. It keeps a body until it has judged or filtered the body, or until an upstream connection is free.',
    aggregator: 'sum',
    registers,
    collect() {
      this.set(live.current.shared.bodies.held);
    },
  });
  new Counter({
    name: 'gatehouse_share_reached_total',
    help: 'Requests that arrived while their client address already used its whole share (`limits.share`). `of` names the shared resource.',
    labelNames: ['of'],
    registers,
    collect() {
      this.reset();
      for (const [of, count] of live.current.shared.fullShares.counts) this.inc({ of }, count);
    },
  });
  new Gauge({
    name: 'gatehouse_untrusted_proxy',
    help: 'Addresses of possible proxies that are missing in `trusted_proxies`. These addresses send forwarding headers. Each address used its whole share, or reached a limit for requests or wrong passwords. The metric shows only the 16 most frequent addresses.',
    labelNames: ['address'],
    aggregator: 'max',
    registers,
    collect() {
      this.reset();
      for (const address of live.current.shared.fullShares.proxies) this.set({ address }, 1);
    },
  });
}
