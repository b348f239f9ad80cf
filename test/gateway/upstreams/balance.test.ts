import t from 'tap';
import type { Balance } from '../../../src/config/schema/upstream.ts';
import { chooser } from '../../../src/gateway/upstreams/balance.ts';
import { Breaker } from '../../../src/gateway/upstreams/breaker.ts';
import { carriedBy } from '../../../src/gateway/upstreams/engine-choice.ts';
import type { UpstreamUrl } from '../../../src/gateway/upstreams/upstream-url.ts';

const carrier = carriedBy({ tellsWaits: false, dispatch: () => undefined, destroy: async () => {} });

function origin(authority: string, more: Partial<UpstreamUrl> = {}): UpstreamUrl {
  const counts = { retries: 0, unhealthy: 0, opened: 0 };
  const none = { host: undefined, serverName: undefined, digest: undefined, breaker: undefined };
  return { carrier, authority, ...none, isProbed: true, isHealthy: true, inFlight: 0, counts, ...more };
}

const words = (text: string) => text.split(' ');
const names = (choose: () => UpstreamUrl | undefined, times: number) =>
  Array.from({ length: times }, () => choose()?.authority ?? '-').join(' ');

for (const balance of ['round_robin', 'least_connections'] satisfies Balance[]) {
  t.test(`${balance}: equal upstreams take turns, and an unhealthy one gets nothing`, async (t) => {
    const origins = words('a b c').map((name) => origin(name));
    const choose = chooser(origins, balance, () => 0);
    t.equal(names(choose, 6), 'a b c a b c');
    (origins[1] as UpstreamUrl).isHealthy = false;
    t.strictSame(new Set(words(names(choose, 6))), new Set(['a', 'c']));
    for (const each of origins) each.isHealthy = false;
    t.equal(choose(), undefined);
  });

  t.test(`${balance}: a URL that has just failed comes last, and only if it is healthy`, async (t) => {
    const [a, b] = [origin('a'), origin('b')];
    const choose = chooser([a, b], balance, () => 0);
    t.equal(
      names(() => choose(a), 3),
      'b b b',
    );
    b.isHealthy = false;
    t.equal(choose(a), a);
    a.isHealthy = false;
    t.equal(choose(a), undefined);
  });
}

t.test('least_connections: the one with the fewest requests in flight', async (t) => {
  const [a, b, c] = [origin('a', { inFlight: 2 }), origin('b'), origin('c', { inFlight: 1 })];
  const choose = chooser([a, b, c], 'least_connections', () => 0);
  t.equal(names(choose, 3), 'b b b');
  b.inFlight = 5;
  t.equal(names(choose, 3), 'c c c');
});

t.test('an open breaker is skipped, and a half-open one gets one request', async (t) => {
  let now = 0;
  const breaker = new Breaker({ failures: 1, open_for: 100 }, () => {});
  const choose = chooser([origin('a', { breaker }), origin('b')], 'round_robin', () => now);
  breaker.failed(breaker.epoch, 0);
  t.equal(names(choose, 2), 'b b');
  now = 100;
  t.strictSame(words(names(choose, 4)).filter((name) => name === 'a').length, 1);
});
