import t from 'tap';
import { HealthHistory } from '../../../../src/gateway/console/health/history.ts';
import type { MetricValues } from '../../../../src/gateway/console/health/measures.ts';

/** A gateway with one route, whose clock and number of requests the test sets. */
function watched() {
  const state = { now: 1_000_000, requests: 0 };
  const metrics = async () => {
    const values = [{ labels: { route: 'orders', code: 'forwarded', status_class: '2xx' }, value: state.requests }];
    return [{ name: 'gatehouse_requests_total', values }] as unknown as MetricValues;
  };
  const history = new HealthHistory(metrics, { now: () => state.now, monotonic: () => state.now });
  const later = async (milliseconds: number, requests: number) => {
    state.now += milliseconds;
    state.requests += requests;
    await history.look();
  };
  return { state, history, later };
}

t.test('a request between two readings has the time of the second', async (t) => {
  const { state, history, later } = watched();
  t.teardown(() => history.close());
  await later(0, 0);
  await later(10_000, 1);
  const noticed = state.now;
  t.equal(history.lastHit('orders'), noticed);
  await later(10_000, 0);
  t.equal(history.lastHit('orders'), noticed);
});

t.test('the time of requests before the first reading, and in a pause, is not known', async (t) => {
  const { state, history, later } = watched();
  t.teardown(() => history.close());
  await later(0, 3);
  t.equal(history.lastHit('orders'), undefined, 'before the first reading');
  await later(10_000, 1);
  const noticed = state.now;
  history.close();
  await later(3_600_000, 0);
  t.equal(history.lastHit('orders'), noticed, 'no request came in the pause');
  history.close();
  await later(3_600_000, 1);
  t.equal(history.lastHit('orders'), undefined, 'a request came in the pause');
  await later(10_000, 1);
  t.equal(history.lastHit('orders'), state.now);
});
