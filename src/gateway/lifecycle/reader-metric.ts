import { Gauge, type Registry } from 'prom-client';
import type { Reads } from '../listener/http1/heard-socket.ts';

/** The code that reads HTTP/1.1 requests from a connection: Node's server, or our own listener in one of two ways. */
export type Reader = 'node' | Reads;

export function readerMetric(registry: Registry, reader: Reader): void {
  new Gauge({
    name: 'gatehouse_listener_reader',
    help: 'Processes that read HTTP/1.1 requests with this reader. node: the server of Node.js. lent: our own listener, with one buffer for all reads. data: our own listener, with one buffer for each read.',
    labelNames: ['reader'],
    registers: [registry],
    collect() {
      this.set({ reader }, 1);
    },
  });
}
