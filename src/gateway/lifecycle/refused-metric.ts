import { Counter, type Registry } from 'prom-client';
import type { RefusedConnections } from '../../base/refused-connections.ts';

/** With several workers, the primary process accepts and refuses all connections. */
export function refusedMetric(registry: Registry, refused: RefusedConnections): void {
  new Counter({
    name: 'gatehouse_connections_refused_total',
    help: 'Connections that the gateway refused, because a limit of the listener was reached. The client sees a reset.',
    labelNames: ['listener'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [listener, count] of refused.counts()) this.inc({ listener }, count);
    },
  });
}
