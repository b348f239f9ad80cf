import t from 'tap';
import { BoundedCache } from '../../src/base/bounded-cache.ts';

t.test('a cache keeps at most its number of entries, and drops the least recently used one', async (t) => {
  const cache = new BoundedCache<number>({ max: 2 });
  cache.set('a', 1);
  cache.set('b', 2);
  t.equal(cache.get('a'), 1);
  cache.set('c', 3);
  t.strictSame([cache.get('a'), cache.get('b'), cache.get('c'), cache.size], [1, undefined, 3, 2]);
});

t.test('to ask whether a cache has an entry is no use of it', async (t) => {
  const cache = new BoundedCache<number>({ max: 2 });
  cache.set('a', 1);
  cache.set('b', 2);
  t.equal(cache.has('a'), true);
  cache.set('c', 3);
  t.strictSame([cache.has('a'), cache.has('b'), cache.has('c')], [false, true, true]);
});

t.test('a cache counts sizes if its options do', async (t) => {
  const cache = new BoundedCache<number>({ max: 9, maxSize: 10, sizeCalculation: (_value, key) => key.length });
  cache.set('123456', 1);
  cache.set('12345', 2);
  t.strictSame([cache.has('123456'), cache.has('12345')], [false, true]);
});

t.test('a cache without an entry answers like an empty one', async (t) => {
  const cache = new BoundedCache<number>({ max: 2 });
  cache.delete('a');
  t.strictSame([cache.get('a'), cache.has('a'), cache.size], [undefined, false, 0]);
  cache.set('a', 1);
  cache.delete('a');
  t.strictSame([cache.get('a'), cache.has('a'), cache.size], [undefined, false, 0]);
  cache.set('a', 1);
  cache.clear();
  t.strictSame([cache.get('a'), cache.has('a'), cache.size], [undefined, false, 0]);
  cache.set('a', 2);
  t.equal(cache.get('a'), 2);
});

t.test('a cache allocates its places with its first entry', async (t) => {
  const makeMany = () => Array.from({ length: 1_000 }, () => new BoundedCache<number>({ max: 1_000_000 }));
  // Places for that many entries would need 30 GB.
  t.equal(makeMany().length, 1_000);
});
