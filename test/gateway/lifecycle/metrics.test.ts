import t from 'tap';
import { BOUNDS, Histogram, tallies } from '../../../src/gateway/message/tally.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { jwt } from '../../support/tokens.ts';
import { witness } from '../../support/witness.ts';

async function metrics(adminUrl: string | undefined): Promise<(sample: string) => number | undefined> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const samples = new Map(
    text.split('\n').map((line) => [line.replace(/ [^ ]*$/, ''), Number(line.split(' ').at(-1))]),
  );
  return (sample) => samples.get(sample);
}

t.test(
  'requests are counted by route, code and reason, their times by route, verification only where it took place',
  async (t) => {
    const upstream = await witness(t);
    const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
    const token = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
    const headers = { authorization: `Bearer ${token}` };
    for (const _ of [1, 2, 3]) await fetch(`${running.url}/orders/1`, { headers });
    await fetch(`${running.url}/orders/1`);
    await fetch(`${running.url}/orders/1`, { headers: { authorization: 'Bearer a' } });
    const of = await metrics(running.adminUrl);
    t.equal(of('gatehouse_requests_total{route="orders",code="forwarded",reason=""}'), 3);
    t.equal(
      of('gatehouse_requests_total{route="orders",code="credential_missing",reason="there is no Authorization field"}'),
      1,
    );
    t.equal(of('gatehouse_requests_total{route="orders",code="token_malformed",reason="not a JWT"}'), 1);
    t.equal(of('gatehouse_request_duration_seconds_count{route="orders"}'), 5);
    t.equal(of('gatehouse_request_duration_seconds_bucket{route="orders",le="+Inf"}'), 5);
    t.equal(of('gatehouse_upstream_duration_seconds_count{route="orders"}'), 3);
    t.equal(of('gatehouse_gateway_duration_seconds_count'), 5);
    t.equal(of('gatehouse_verification_duration_seconds_count'), 1);
    t.equal(of('gatehouse_token_cache_hits{server="main"}'), 2);
    t.equal(of('gatehouse_token_cache_entries{server="main"}'), 1);
    t.equal(of('gatehouse_upstream_requests_in_flight{upstream="api"}'), 0);
    t.equal(of('gatehouse_decision_watchers'), 0);
  },
);

t.test('what waits for the upstream is the upstream’s time, not the gateway’s', async (t) => {
  const upstream = await witness(t, { delay: 120 });
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
  await fetch(`${running.url}/public/1`);
  const of = await metrics(running.adminUrl);
  t.ok((of('gatehouse_upstream_duration_seconds_sum{route="public"}') as number) > 0.1);
  t.ok((of('gatehouse_gateway_duration_seconds_sum') as number) < 0.1);
});

t.test(
  'a histogram puts a time into the first bucket that holds it, and its bound belongs to the bucket',
  async (t) => {
    const histogram = new Histogram();
    for (const time of [0, 0.1, 0.11, 1, 1e9]) histogram.add(time);
    t.equal(histogram.counts[0], 2);
    t.equal(histogram.counts[1], 1);
    t.equal(histogram.counts[BOUNDS.indexOf(1)], 1);
    t.equal(histogram.counts.at(-1), 1);
    t.equal(
      histogram.counts.reduce((sum, count) => sum + count, 0),
      5,
    );
  },
);

t.test('what a stranger can vary makes no new label without end', async (t) => {
  const newTally = tallies();
  const tally = newTally();
  for (let count = 0; count < 1000; count++) tally.count('token_algorithm', `reason ${count}`);
  const counts = [...tally.counts()];
  t.equal(counts.length, 17);
  t.equal(counts.find(({ reason }) => reason === 'other')?.count, 1000 - 16);
  const other = newTally();
  other.add({ code: 'token_algorithm', reason: '', milliseconds: 1, upstream: undefined });
  t.strictSame([...other.counts()], [{ code: 'token_algorithm', reason: '', count: 1 }]);
});
