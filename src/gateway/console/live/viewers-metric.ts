import { Gauge, type Registry } from 'prom-client';
import type { LiveHub } from './hub.ts';

/** Each open stream of the console. Tabs of one browser share a stream. */
export function viewersMetric(registry: Registry, hub: Pick<LiveHub, 'viewers'>): void {
  new Gauge({
    name: 'gatehouse_console_viewers',
    help: 'Open streams that show live decisions in the console of a browser.',
    registers: [registry],
    collect() {
      this.set(hub.viewers);
    },
  });
}
