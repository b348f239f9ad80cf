import t from 'tap';
import { MostOften } from '../../src/base/most-often.ts';

t.test('a value that occurs more than once in the window is kept, whatever other values occur', async (t) => {
  const kept = new MostOften(4);
  for (let i = 0; i < 10_000; i++) kept.meet(i % 3 === 0 ? 'often' : `stranger ${i}`);
  t.ok([...kept.keys()].includes('often'));
  t.equal([...kept.keys()].length, 4);
});

t.test('a new value replaces the one with the fewest occurrences', async (t) => {
  const kept = new MostOften(2);
  for (const key of ['a', 'b', 'b', 'b', 'c', 'd']) kept.meet(key);
  t.same([...kept.keys()], ['b', 'd']);
});
