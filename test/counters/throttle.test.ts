import t from 'tap';
import { memoryCounters } from '../../src/counters/memory.ts';
import { buildThrottle, type Throttle } from '../../src/counters/throttle.ts';
import { heldClock } from '../gateway/issuer.ts';
import { ownMemory } from '../support/memory.ts';

const clock = heldClock();

function throttleOf(maxFailures: number): Throttle {
  return buildThrottle({ counters: memoryCounters(clock), maxFailures, window: 1000 });
}

const retryAfter = async (throttle: Throttle, name: string, address: string) =>
  (await throttle.attempt(name, address)).retryAfter;

t.test('failures are counted by client and address together, and no other pair gives the same key', async (t) => {
  const throttle = throttleOf(1);
  await (await throttle.attempt('ab', '10.0.0.1')).fail();
  t.equal(await retryAfter(throttle, 'ab', '10.0.0.1'), 1);
  for (const [client, address] of [
    ['ab', '10.0.0.2'],
    ['a', '10.0.0.1'],
    ['1ab', '10.0.0.'],
    ['', '10.0.0.1ab'],
  ] as const) {
    t.equal(await retryAfter(throttle, client, address), undefined);
  }
});

t.test('a success does not reset the count, so others at the address gain nothing from it', async (t) => {
  const throttle = throttleOf(2);
  await (await throttle.attempt('a', 'x')).fail();
  await throttle.attempt('a', 'x');
  await (await throttle.attempt('a', 'x')).fail();
  t.equal(await retryAfter(throttle, 'a', 'x'), 1);
});

t.test('attempts that began before the last failure also count', async (t) => {
  const throttle = throttleOf(2);
  const [one, two] = [await throttle.attempt('a', 'x'), await throttle.attempt('a', 'x')];
  await one.fail();
  await two.fail();
  t.equal(await retryAfter(throttle, 'a', 'x'), 1);
});

t.test('the window begins with the first failure, and ends for all failures', async (t) => {
  const throttle = throttleOf(2);
  await (await throttle.attempt('a', 'x')).fail();
  clock.advance(900);
  await (await throttle.attempt('a', 'x')).fail();
  t.equal(await retryAfter(throttle, 'a', 'x'), 1);
  clock.advance(100);
  t.equal(await retryAfter(throttle, 'a', 'x'), undefined);
});

t.test('a client with one IPv6 address counts by its /64', async (t) => {
  const throttle = throttleOf(1);
  await (await throttle.attempt('a', '2001:db8::1')).fail();
  t.equal(await retryAfter(throttle, 'a', '2001:db8::ffff'), 1);
  t.equal(await retryAfter(throttle, 'a', '2001:db8:0:1::1'), undefined);
});

t.test('a flood of names uses bounded memory', async (t) => {
  const throttle = throttleOf(1);
  const fill = async (from: number) => {
    for (let index = from; index < from + 100_000; index++)
      await (await throttle.attempt(`client ${index}`, 'x')).fail();
  };
  await fill(0);
  const before = (await ownMemory()).heapUsed;
  await fill(100_000);
  await fill(200_000);
  const grown = ((await ownMemory()).heapUsed - before) / 1_048_576;
  t.ok(grown < 30, `${grown.toFixed(1)} MiB more`);
});
