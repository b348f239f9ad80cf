import t from 'tap';
import { BOUNDS, Histogram, labelsOf, PLACES, slotOf, tallies } from '../../../src/gateway/message/tally.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { ask } from '../../support/raw-client.ts';
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
  'requests are counted by route, code, reason, class of status and method, their times by route, verification only if it ran',
  async (t) => {
    const upstream = await witness(t);
    const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
    const token = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
    const headers = { authorization: `Bearer ${token}` };
    for (const _ of [1, 2, 3]) await fetch(`${running.url}/orders/1`, { headers });
    await fetch(`${running.url}/orders/1`);
    await fetch(`${running.url}/orders/1`, { headers: { authorization: 'Bearer a' } });
    const of = await metrics(running.adminUrl);
    const counted = (code: string, reason: string, answer: string) =>
      of(
        `gatehouse_requests_total{route="orders",code="${code}",reason="${reason}",status_class="${answer}",method="GET"}`,
      );
    t.equal(counted('forwarded', '', '2xx'), 3);
    t.equal(counted('credential_missing', 'there is no Authorization field', '4xx'), 1);
    t.equal(counted('token_malformed', 'not a JWT', '4xx'), 1);
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

t.test('the time that a request waits for the upstream is the upstream’s time, not the gateway’s', async (t) => {
  const upstream = await witness(t, { delay: 120 });
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
  await fetch(`${running.url}/public/1`);
  const of = await metrics(running.adminUrl);
  t.ok((of('gatehouse_upstream_duration_seconds_sum{route="public"}') as number) > 0.1);
  t.ok((of('gatehouse_gateway_duration_seconds_sum') as number) < 0.1);
});

t.test('a histogram puts a time into the first bucket that fits, and a bound belongs to its bucket', async (t) => {
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
});

t.test('values that a stranger can vary create a bounded number of labels', async (t) => {
  const newTally = tallies();
  const tally = newTally();
  for (let count = 0; count < 1000; count++) tally.count('token_algorithm', `reason ${count}`);
  const counts = [...tally.counts()];
  t.equal(counts.length, 17);
  t.equal(counts.find(({ reason }) => reason === 'other')?.count, 1000 - 16);
  const other = newTally();
  t.ok(other.isEmpty);
  other.add({
    code: 'token_algorithm',
    reason: '',
    status: 401,
    method: 'PURGE',
    milliseconds: 1,
    upstream: undefined,
  });
  const answered = { status_class: '4xx', method: 'other' };
  t.strictSame([...other.counts()], [{ code: 'token_algorithm', reason: '', ...answered, count: 1 }]);
});

t.test('any status is in one of six classes, and any method is one of ten', async (t) => {
  const labels = (status: number | undefined, method?: string) => labelsOf(slotOf({ status, method }));
  const statuses = [undefined, 101, 103, 200, 299, 304, 404, 500, 599, 600, 999];
  t.strictSame(
    statuses.map((status) => labels(status).status_class),
    ['none', '1xx', '1xx', '2xx', '2xx', '3xx', '4xx', '5xx', '5xx', '5xx', '5xx'],
  );
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'])
    t.strictSame(labels(200, method), { status_class: '2xx', method });
  for (const method of [undefined, '', 'get', 'PROPFIND', 'constructor']) t.equal(labels(200, method).method, 'other');
  const places = Array.from({ length: PLACES }, (_, place) => JSON.stringify(labelsOf(place)));
  t.equal(new Set(places).size, PLACES);
});

t.test('forwarded requests are counted at each place separately, beside the times of their route', async (t) => {
  const newTally = tallies();
  const [one, neighbour] = [newTally(), newTally()];
  for (const status of [200, 200, 404, 500, 101])
    for (const method of ['GET', 'TRACE', 'PURGE'])
      one.add({ code: 'forwarded', reason: '', status, method, milliseconds: 7, upstream: 3 });
  const counts = [...one.counts()].map(({ status_class, method, count }) => `${count} ${status_class} ${method}`);
  t.strictSame(
    counts.toSorted(),
    ['1xx', '2xx', '4xx', '5xx']
      .flatMap((group) => ['GET', 'TRACE', 'other'].map((method) => `${group === '2xx' ? 2 : 1} ${group} ${method}`))
      .toSorted(),
  );
  t.equal(one.requests.sum, 105);
  t.equal(one.upstream.sum, 45);
  t.ok(neighbour.isEmpty);
  t.equal(neighbour.requests.sum, 0);
});

t.test('bytes that never became a request are counted with their answer, or with `none`', async (t) => {
  const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  for (const bytes of ['nonsense\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n']) await ask(running.port, bytes);
  const of = await metrics(running.adminUrl);
  const counted = (code: string, method: string) =>
    of(`gatehouse_requests_total{route="",code="${code}",reason="",status_class="4xx",method="${method}"}`);
  t.equal(counted('message_malformed', 'other'), 1);
  t.equal(counted('method_not_allowed', 'CONNECT'), 1);
});
