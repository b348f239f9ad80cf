import { Counter, Gauge, Registry } from 'prom-client';
import t from 'tap';
import { snapshotOf, summedMetrics } from '../../src/supervisor/metrics.ts';

/** Gauges of the gateway whose help says `since the start`. */
const COUNTS = ['token_cache_hits', 'token_cache_misses', 'introspections', 'user_key_fetches'].map(
  (name) => `gatehouse_${name}`,
);

function worker() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requests: new Counter({ name: 'requests_total', help: 'h', labelNames: ['route'], registers }),
    open: new Gauge({ name: 'open', help: 'h', registers }),
    reachable: new Gauge({ name: 'reachable', help: 'h', registers, aggregator: 'min' }),
    counts: COUNTS.map((name) => new Gauge({ name, help: 'h', registers })),
  };
}

async function told(metrics: ReturnType<typeof summedMetrics>): Promise<readonly string[]> {
  const text = await metrics.text(new Registry());
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

t.test('counters of workers are summed by label, and gauges are combined as the metric says', async (t) => {
  const metrics = summedMetrics();
  for (const [count, reachable] of [
    [2, 1],
    [3, 0],
  ] as const) {
    const each = worker();
    each.requests.inc({ route: 'a' }, count);
    each.requests.inc({ route: `only ${count}` });
    each.open.set(count);
    each.reachable.set(reachable);
    metrics.saw({}, await snapshotOf(each.registry));
  }
  const lines = await told(metrics);
  for (const line of ['requests_total{route="a"} 5', 'requests_total{route="only 2"} 1', 'open 5', 'reachable 0'])
    t.ok(lines.includes(line), `${line} in ${lines.join('; ')}`);
});

t.test('the counters of a worker that has ended stay, and its gauges do not', async (t) => {
  const metrics = summedMetrics();
  for (let life = 1; life <= 5; life++) {
    const [each, name] = [worker(), {}];
    each.requests.inc({ route: 'a' }, 10);
    each.open.set(7);
    for (const count of each.counts) count.set(4);
    metrics.saw(name, await snapshotOf(each.registry));
    metrics.left(name);
    const lines = await told(metrics);
    t.ok(lines.includes(`requests_total{route="a"} ${life * 10}`), lines.join('; '));
    for (const name of COUNTS) t.ok(lines.includes(`${name} ${life * 4}`), lines.join('; '));
    t.notOk(lines.some((line) => line.startsWith('open')));
  }
});

t.test('a worker that ends during a scrape is not lost', async (t) => {
  const metrics = summedMetrics();
  const names = [{}, {}, {}];
  for (const name of names) {
    const each = worker();
    each.requests.inc({ route: 'a' }, 1);
    metrics.saw(name, await snapshotOf(each.registry));
  }
  const asked = names.map((name) => {
    const text = told(metrics);
    metrics.left(name);
    return text;
  });
  for (const lines of [...(await Promise.all(asked)), await told(metrics)])
    t.ok(lines.includes('requests_total{route="a"} 3'), lines.join('; '));
});
