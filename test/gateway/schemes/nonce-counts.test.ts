import t from 'tap';
import { NonceCounts } from '../../../src/gateway/schemes/nonce-counts.ts';
import { openNonces, openUsedNonces } from '../../../src/gateway/schemes/nonces.ts';
import { random } from '../../support/random.ts';
import { settableClock } from '../../support/settable-clock.ts';

const nonce = (index: number, issuedAt = 1000 + index) => ({ id: `n${index}`, issuedAt });
const use = (count: number | 'last', mode: 'strict' | 'window' = 'strict', now = 0) => ({
  count,
  mode,
  now,
  expiresAt: 1e12,
});

t.test('strict: each count is greater than the one before', async (t) => {
  const counts = new NonceCounts(0);
  const met = [1, 1, 2, 9, 3, 9, 10, 0, 0xffffffff, 0xffffffff].map((count) => counts.use(nonce(1), use(count)));
  t.strictSame(
    met.map((each) => each === 'fresh'),
    [true, false, true, true, false, false, true, false, true, false],
  );
});

t.test('window: each count once, in any order, and none that is 64 or more behind', async (t) => {
  const counts = new NonceCounts(0);
  const take = (count: number) => counts.use(nonce(1), use(count, 'window')) === 'fresh';
  t.strictSame([5, 3, 3, 4, 70, 6, 7, 7, 69, 71, 70].map(take), [
    true,
    true,
    false,
    true,
    true,
    false,
    true,
    false,
    true,
    true,
    false,
  ]);
  t.strictSame([0xffffffff, 1, 0xfffffff0, 0xfffffff0, 0xffffffff - 64].map(take), [true, false, true, false, false]);
});

t.test('a window keeps the used counts, however far the highest count moves', async (t) => {
  for (let step = 1; step <= 70; step++) {
    const counts = new NonceCounts(0);
    const take = (count: number) => counts.use(nonce(1), use(count, 'window')) === 'fresh';
    t.ok(take(100) && take(98) && take(100 + step));
    for (const [count, isUsed] of [
      [100, true],
      [99, false],
      [98, true],
      [97, false],
    ] as const)
      t.equal(take(count), !isUsed && 100 + step - count < 64, `${count} after ${100 + step}`);
  }
});

t.test('a window agrees with a plain set of used counts', async (t) => {
  const { below } = random(7);
  for (let round = 0; round < 50; round++) {
    const counts = new NonceCounts(0);
    const seen = new Set<number>();
    let max = 0;
    for (let step = 0; step < 200; step++) {
      const count = below(150);
      const expected = count > 0 && !seen.has(count) && (max === 0 || count > max - 64);
      const met = counts.use(nonce(1), use(count, 'window')) === 'fresh';
      if (met !== expected) t.equal(met, expected, `${count} after ${max}`);
      if (met) seen.add(count);
      if (met) max = Math.max(max, count);
    }
  }
});

t.test('a nonce for one use is refused afterwards, with or without a count', async (t) => {
  const counts = new NonceCounts(0);
  t.strictSame(
    [use('last'), use('last'), use(1), use(0xffffffff, 'window'), use(0xfffffffe, 'window')].map((each) =>
      counts.use(nonce(1), each),
    ),
    ['fresh', 'repeated', 'repeated', 'repeated', 'repeated'],
  );
  counts.use(nonce(2), use(1));
  t.equal(counts.use(nonce(2), use('last')), 'repeated', 'also after it had a count');
});

t.test('low memory leads to a new nonce and never lets a used one pass', async (t) => {
  const counts = new NonceCounts(0, 5000);
  for (let index = 0; index < 60_000; index++)
    if (counts.use(nonce(index), use(1)) !== 'fresh') t.fail(`${index} is fresh`);
  t.equal(counts.size, 5000);
  const replayed = Array.from({ length: 20_000 }, (_, index) => counts.use(nonce(index * 3), use(1)));
  t.strictSame([...new Set(replayed)].sort(), ['forgotten', 'repeated']);
  t.equal(counts.use(nonce(60_000), use(1)), 'fresh', 'one that was issued since is taken');
});

t.test('an expired nonce leaves no trace; one that a restart forgot is stale', async (t) => {
  const counts = new NonceCounts(0, 1);
  counts.use(nonce(1, 2000), { ...use(1), expiresAt: 10 });
  counts.use(nonce(2, 1000), { ...use(1), now: 11 });
  t.equal(counts.use(nonce(3, 1500), { ...use(1), now: 11 }), 'fresh');
  t.equal(new NonceCounts(5000).use(nonce(1, 5000), use(1)), 'forgotten');
});

t.test('the nonce that nobody used for the longest time is forgotten first', async (t) => {
  const counts = new NonceCounts(0, 2);
  for (const [index, count] of [
    [1, 1],
    [2, 1],
    [1, 2],
    [3, 1],
  ] as const)
    t.equal(counts.use(nonce(index), use(count)), 'fresh');
  t.equal(counts.use(nonce(1), use(3)), 'fresh', 'it was used after the other');
  t.equal(counts.use(nonce(2), use(2)), 'forgotten');
});

t.test('a nonce whose lifetime grew is not replayed after its first lifetime', async (t) => {
  const counts = new NonceCounts(0, 1);
  counts.use(nonce(1, 2000), { ...use(1), expiresAt: 10 });
  counts.use(nonce(1, 2000), { ...use(2), expiresAt: 20 });
  counts.use(nonce(2, 3000), { ...use(1), now: 15 });
  t.equal(counts.use(nonce(1, 2000), { ...use(1), now: 15 }), 'forgotten');
});

t.test('the first nonce of a process is accepted, even if the wall clock moves later', async (t) => {
  let wall = 1_800_000_000_000;
  let monotonic = 5000;
  const nonces = openNonces(undefined, openUsedNonces({ now: () => wall, monotonic: () => monotonic }));
  const first = nonces.read(nonces.issue('r'), 'r');
  t.equal(first && nonces.counts.use(first, use(1)), 'fresh');
  wall -= 3_600_000;
  monotonic += 1;
  const later = nonces.read(nonces.issue('r'), 'r');
  t.equal(later && nonces.counts.use(later, use(1)), 'fresh');
});

t.test('replicas with the same keys accept each other’s nonces; the second key only verifies', async (t) => {
  const [one, two] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];
  const open = (texts: readonly string[]) => openNonces(texts, openUsedNonces(settableClock(0)));
  const [old, rolled, alone] = [open([one]), open([two, one]), open([two])];
  t.ok(rolled.read(old.issue('r'), 'r'));
  t.notOk(old.read(rolled.issue('r'), 'r'));
  t.ok(alone.read(rolled.issue('r'), 'r'));
  t.notOk(alone.read(old.issue('r'), 'r'));
});
