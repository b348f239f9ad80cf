import t from 'tap';
import { callLimit } from '../../../src/gateway/server-client/call-limit.ts';

const never = new AbortController().signal;

/** Calls that end when the test says so, in the order in which they began. */
function held(max: number, queue: number) {
  const limit = callLimit(max, queue);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const call = (name: string, isKnown = false, signal = never) =>
    limit.run(
      signal,
      () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.push(() => resolve(name)));
      },
      isKnown,
    );
  const end = async () => {
    ends.shift()?.();
    await new Promise((turned) => setImmediate(turned));
  };
  return { begun, call, end };
}

t.test('at most the allowed number of calls run, and at most the allowed number wait', async (t) => {
  const { begun, call, end } = held(2, 1);
  void call('a');
  void call('b');
  const waits = call('c');
  t.equal(await call('d'), 'full');
  t.strictSame(begun, ['a', 'b']);
  await end();
  t.strictSame(begun, ['a', 'b', 'c']);
  await end();
  await end();
  t.equal(await waits, 'c');
});

t.test('known callers have room even if strangers fill theirs, and go first', async (t) => {
  const { begun, call, end } = held(1, 2);
  for (const name of ['under way', 'stranger 1', 'stranger 2']) void call(name);
  void call('known 1', true);
  void call('known 2', true);
  t.equal(await call('stranger 3'), 'full');
  t.equal(await call('known 3', true), 'full');
  for (let count = 0; count < 4; count++) await end();
  t.strictSame(begun, ['under way', 'known 1', 'known 2', 'stranger 1', 'stranger 2']);
});

t.test('every fourth waiting caller to proceed is a stranger, however many known ones arrive', async (t) => {
  const { begun, call, end } = held(1, 8);
  void call('under way');
  for (const name of ['s1', 's2']) void call(name);
  for (const name of ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8']) void call(name, true);
  for (let count = 0; count < 10; count++) await end();
  t.strictSame(begun, ['under way', 'k1', 'k2', 'k3', 's1', 'k4', 'k5', 'k6', 's2', 'k7', 'k8']);
});

t.test('a caller that gave up frees its place', async (t) => {
  for (const isKnown of [false, true]) {
    const { begun, call, end } = held(1, 1);
    const gone = new AbortController();
    void call('under way');
    const late = call('late', isKnown, gone.signal);
    gone.abort();
    t.equal(await late, 'late');
    void call('next', isKnown);
    await end();
    t.strictSame(begun, ['under way', 'next']);
  }
});
