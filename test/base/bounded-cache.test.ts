import t from 'tap';
import { BoundedCache } from '../../src/base/bounded-cache.ts';

t.test('a cache keeps at most its number of entries, and drops the least recently used one', async (t) => {
  const cache = new BoundedCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  t.equal(cache.get('a'), 1);
  cache.set('c', 3);
  t.strictSame([cache.get('a'), cache.get('b'), cache.get('c'), cache.size], [1, undefined, 3, 2]);
});

t.test('a cache without an entry answers like an empty one', async (t) => {
  const cache = new BoundedCache<number>(2);
  const isEmpty = () => t.strictSame([cache.get('a'), cache.size], [undefined, 0]);
  cache.delete('a');
  cache.clear();
  isEmpty();
  cache.set('a', 1);
  cache.delete('a');
  isEmpty();
  cache.set('a', 1);
  cache.clear();
  isEmpty();
  cache.set('a', 2);
  t.equal(cache.get('a'), 2);
});

t.test('a cache allocates its places with its first entry', async (t) => {
  // The places of so many caches would need 30 GB.
  t.equal(Array.from({ length: 1_000 }, () => new BoundedCache<number>(1_000_000)).length, 1_000);
});
