import t from 'tap';
import { LinkedList } from '../../src/base/linked-list.ts';
import fc, { tries } from '../support/properties.ts';

t.test('whatever is added and removed, the list has the rest in order', async (t) => {
  const steps = fc.array(
    fc.oneof(
      fc.nat(99).map((value) => ['add', value] as const),
      fc.nat(20).map((at) => ['remove', at] as const),
    ),
  );
  const holds = fc.property(steps, (all) => {
    const list = new LinkedList<number>();
    let expected: number[] = [];
    let entries: ReturnType<typeof list.add>[] = [];
    for (const [what, value] of all) {
      if (what === 'add') {
        entries.push(list.add(value));
        expected.push(value);
        continue;
      }
      const entry = entries[value];
      if (entry === undefined) continue;
      if (!list.remove(entry) || list.remove(entry)) return false;
      entries = entries.filter((_, at) => at !== value);
      expected = expected.filter((_, at) => at !== value);
    }
    const found = list.entries().map((entry) => entry.value);
    return list.size === expected.length && JSON.stringify(found) === JSON.stringify(expected);
  });
  fc.assert(holds, tries(300, 10_000));
  t.pass();
});

t.test('an emptied list has nothing, and its entries are in no list', async (t) => {
  const list = new LinkedList<string>();
  const entry = list.add('a');
  list.add('b');
  t.strictSame(list.clear(), ['a', 'b']);
  t.strictSame([list.size, list.entries().length, list.remove(entry)], [0, 0, false]);
  t.strictSame([entry.before, entry.behind], [undefined, undefined], 'a removed entry keeps no other alive');
});
