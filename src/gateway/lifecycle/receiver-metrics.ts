import { Counter, Gauge, type Registry } from 'prom-client';
import type { EventLog } from '../receiver/event-log.ts';
import type { Receiving } from '../receiver/receiving.ts';

/** The reports of authorization servers. With several workers, only the primary process receives them. */
export function receiverMetrics(registry: Registry, receiving: Receiving, received: Pick<EventLog, 'size'>): void {
  const registers = [registry];
  new Counter({
    name: 'gatehouse_receiver_tokens_total',
    help: 'Logout tokens and security events of authorization servers, by result: accepted, again (accepted before), rejected, out (keys or storage unavailable, or too many events kept), busy, not_authenticated or unknown_server.',
    labelNames: ['server', 'token', 'result'],
    registers,
    collect() {
      this.reset();
      for (const [labels, count] of receiving.counts()) this.inc(labels, count);
    },
  });
  new Gauge({
    name: 'gatehouse_receiver_entries',
    help: 'Accepted logout tokens and security events that the gateway keeps, because clients could still present the access tokens that these events ended. A logout token that the gateway relayed counts twice.',
    registers,
    collect() {
      this.set(received.size());
    },
  });
}
