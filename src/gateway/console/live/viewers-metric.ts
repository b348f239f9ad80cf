import { Gauge, type Registry } from 'prom-client';
import type { LiveHub } from './hub.ts';

/** Each open stream of live decisions. Tabs of one browser share a stream. */
export function viewersMetric(registry: Registry, hub: Pick<LiveHub, 'viewers'>): void {
  new Gauge({
    name: 'gatehouse_console_viewers',
    help: 'Open streams of live decisions (/api/decisions): to pages of the console, to commands, and to other gateways.',
    registers: [registry],
    collect() {
      this.set(hub.viewers);
    },
  });
}
