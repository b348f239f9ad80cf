import t from 'tap';
import { Breaker, type BreakerState } from '../../../src/gateway/upstreams/breaker.ts';

function breaker(failures = 3) {
  const told: BreakerState[] = [];
  const it = new Breaker({ failures, open_for: 1000 }, (state) => told.push(state));
  const fail = (now: number, times = 1) => {
    for (let done = 0; done < times; done++) it.failed(it.epoch, now);
  };
  return { it, told, fail };
}

t.test('a number of failures in a row opens it, and a success in between restarts the count', async (t) => {
  const { it, told, fail } = breaker();
  fail(0, 2);
  it.succeeded(it.epoch);
  fail(0, 2);
  t.ok(it.admits(0));
  fail(0);
  t.notOk(it.admits(999));
  t.strictSame(told, ['open']);
});

t.test('after its time one request passes and no second, and after its answer all do', async (t) => {
  const { it, told, fail } = breaker();
  fail(0, 3);
  t.ok(it.admits(1000));
  it.begin(1000);
  t.notOk(it.admits(1001));
  it.succeeded(it.epoch);
  t.ok(it.admits(1001));
  t.strictSame(told, ['open', 'half_open', 'closed']);
});

t.test('if that request fails, it is open for the same time again', async (t) => {
  const { it, told, fail } = breaker();
  fail(0, 3);
  it.begin(1000);
  fail(1500);
  t.notOk(it.admits(2499));
  t.ok(it.admits(2500));
  t.strictSame(told, ['open', 'half_open', 'open']);
});

t.test('a request from before it opened neither closes it nor keeps it open', async (t) => {
  const { it, fail } = breaker();
  const before = it.epoch;
  fail(0, 3);
  it.succeeded(before);
  t.notOk(it.admits(500), 'still open');
  it.begin(1000);
  it.failed(before, 1000);
  it.succeeded(before);
  t.equal(it.state, 'half_open');
});

t.test('if the trial request ends for a reason of its own, the next one is the trial', async (t) => {
  const { it, fail } = breaker();
  fail(0, 3);
  it.begin(1000);
  it.abandoned(it.epoch);
  t.ok(it.admits(1001));
  it.begin(1001);
  t.notOk(it.admits(1002));
});

t.test('a trial that takes longer than it was open does not block the next one', async (t) => {
  const { it, fail } = breaker();
  fail(0, 3);
  it.begin(1000);
  const first = it.epoch;
  t.notOk(it.admits(1999));
  t.ok(it.admits(2000));
  it.begin(2000);
  it.failed(first, 2001);
  t.equal(it.state, 'half_open', 'and what becomes of it says nothing any more');
});
