import t from 'tap';
import { buildThrottle } from '../../src/authorization/throttle.ts';

const now = 0;
const clock = { now: () => now, monotonic: () => now };

t.test(
  'failures are counted by client and address together, and the parts cannot be shifted into each other',
  async (t) => {
    const throttle = buildThrottle({ clock, maxFailures: 1, window: 1000 });
    throttle.attempt('ab', '10.0.0.1').fail();
    t.equal(throttle.attempt('ab', '10.0.0.1').retryAfter, 1);
    for (const [client, address] of [
      ['ab', '10.0.0.2'],
      ['a', '10.0.0.1'],
      ['1ab', '10.0.0.'],
      ['', '10.0.0.1ab'],
    ] as const) {
      t.equal(throttle.attempt(client, address).retryAfter, undefined);
    }
  },
);

t.test('a success does not start the count anew: whoever shares the address gains nothing by it', async (t) => {
  const throttle = buildThrottle({ clock, maxFailures: 2, window: 1000 });
  throttle.attempt('a', 'x').fail();
  throttle.attempt('a', 'x');
  throttle.attempt('a', 'x').fail();
  t.equal(throttle.attempt('a', 'x').retryAfter, 1);
});

t.test('tries that were begun before the last failure count too', async (t) => {
  const throttle = buildThrottle({ clock, maxFailures: 2, window: 1000 });
  const [one, two] = [throttle.attempt('a', 'x'), throttle.attempt('a', 'x')];
  one.fail();
  two.fail();
  t.equal(throttle.attempt('a', 'x').retryAfter, 1);
});

t.test('a flood of names takes a bounded memory', async (t) => {
  const throttle = buildThrottle({ clock, maxFailures: 1, window: 1000 });
  const fill = (from: number) => {
    for (let index = from; index < from + 100_000; index++) throttle.attempt(`client ${index}`, 'x').fail();
  };
  fill(0);
  const before = process.memoryUsage().heapUsed;
  fill(100_000);
  fill(200_000);
  const grown = (process.memoryUsage().heapUsed - before) / 1_048_576;
  t.ok(grown < 30, `${grown.toFixed(1)} MiB more`);
});
