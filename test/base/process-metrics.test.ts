import { Registry } from 'prom-client';
import t from 'tap';
import { addProcessMetrics } from '../../src/base/process-metrics.ts';

t.test('every registry of a process has the same metrics about the process', async (t) => {
  const [first, second] = [new Registry(), new Registry()];
  addProcessMetrics(first);
  addProcessMetrics(second);
  const [one, other] = [first, second].map((registry) => new Set<unknown>(registry.getMetricsAsArray()));
  t.ok((one?.size ?? 0) > 20);
  t.strictSame(one, other);
  for (const metric of one ?? []) t.ok(other?.has(metric), 'one object: its observers cannot be ended');
  t.match(await second.metrics(), /^process_cpu_seconds_total /m);
});
