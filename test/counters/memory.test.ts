import t from 'tap';
import { PARTS } from '../../src/counters/counters.ts';
import { memoryCounters } from '../../src/counters/memory.ts';
import { countersContract } from '../contracts/counters.ts';
import { heldClock } from '../gateway/issuer.ts';
import fc from '../support/properties.ts';

const clock = heldClock();

countersContract(t, 'memory', {
  open: async () => memoryCounters(clock),
  pass: async (milliseconds) => clock.advance(milliseconds),
});

t.test('it answers without a promise, and is always available', async (t) => {
  const counters = memoryCounters(clock);
  t.equal(counters.take('a', { requests: 1, window: 1000 }), 0);
  t.equal(counters.fail('a', 1000).count, 1);
  t.equal(counters.reachable(), true);
});

t.test('a step of the wall clock changes nothing', async (t) => {
  const held = heldClock();
  const counters = memoryCounters(held);
  counters.take('a', { requests: 1, window: 60_000 });
  counters.fail('a', 60_000);
  for (const step of [86_400_000, -2 * 86_400_000]) {
    held.step(step);
    t.ok(counters.take('a', { requests: 1, window: 60_000 }) > 0);
    t.equal(counters.failures('a').count, 1);
  }
});

interface Step {
  readonly wait: number;
  readonly key: string;
}

const step = fc.record<Step>({
  wait: fc.oneof(fc.nat(3), fc.nat(60), fc.nat(2000)),
  key: fc.constantFrom('a', 'b'),
});

/** Records the exact time of every request that passed. */
function model() {
  const passed: { key: string; at: number }[] = [];
  return {
    pass: (key: string, at: number) => passed.push({ key, at }),
    since: (key: string, from: number) => passed.filter((each) => each.key === key && each.at > from).length,
  };
}

t.test(
  'however requests arrive, no window passes more than its limit, and a request with room in a slightly longer window passes',
  async (t) => {
    const property = fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom(1000, 1001, 1037, 20),
      (steps, requests, window) => {
        const held = heldClock();
        const counters = memoryCounters(held);
        const { pass, since } = model();
        for (const { wait, key } of steps) {
          held.advance(wait);
          const now = held.monotonic();
          const told = counters.take(key, { requests, window });
          if (told === 0) pass(key, now);
          if (since(key, now - window) > requests) return false;
          const room = since(key, now - window * (1 + 1 / PARTS)) < requests;
          if (told > 0 && (room || told > window)) return false;
        }
        return true;
      },
    );
    t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
  },
);

t.test(
  'a client that waits as long as the answer says passes immediately, and a millisecond earlier it does not',
  async (t) => {
    const property = fc.property(
      fc.array(fc.nat(300), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      (waits, requests) => {
        const held = heldClock();
        const counters = memoryCounters(held);
        const limit = { requests, window: 1000 };
        for (const wait of waits) {
          held.advance(wait);
          const told = counters.take('a', limit);
          if (told === 0) continue;
          held.advance(told - 1);
          if (counters.take('a', limit) === 0) return false;
          held.advance(1);
          if (counters.take('a', limit) !== 0) return false;
        }
        return true;
      },
    );
    t.doesNotThrow(() => fc.assert(property, { numRuns: 200 }));
  },
);

t.test('a flood of keys uses bounded memory: the least recently used key is forgotten', async (t) => {
  const counters = memoryCounters(clock);
  const limit = { requests: 1, window: 60_000 };
  const flood = (from: number) => {
    for (let index = from; index < from + 30_000; index++) {
      counters.take(`address ${index}`, limit);
      counters.fail(`client ${index}`, 60_000);
    }
  };
  counters.take('early', limit);
  counters.fail('early', 60_000);
  flood(0);
  t.ok(counters.take('early', limit) > 0, 'well within the room');
  t.equal(counters.failures('early').count, 1);
  flood(30_000);
  flood(60_000);
  t.equal(counters.take('early', limit), 0);
  t.equal(counters.failures('early').count, 0);
});

t.test('a flood of other keys evicts no failures of a longer window, and no key that failed often', async (t) => {
  const counters = memoryCounters(clock);
  const day = 86_400_000;
  for (let count = 0; count < 5; count++) counters.fail('alice of a day', day);
  counters.fail('place of a month', 30 * day);
  for (let index = 0; index < 60_000; index++) {
    counters.fail(`address ${index}`, 60_000);
    counters.fail(`nobody ${index} of a day`, day);
  }
  t.equal(counters.failures('alice of a day').count, 5);
  t.equal(counters.failures('place of a month').count, 1);
  t.equal(counters.failures('nobody 0 of a day').count, 0, 'the flood itself has its bound');
  clock.advance(day + 1);
  t.equal(counters.failures('alice of a day').count, 0);
  t.equal(counters.fail('alice of a day', day).count, 1, 'it begins again');
});
