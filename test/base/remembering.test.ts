import t from 'tap';
import { remembering } from '../../src/base/remembered.ts';

/** How many of the names are judged when they occur; the others are cached. */
function counted() {
  let judged = 0;
  const judge = remembering((name) => {
    judged += 1;
    return name.startsWith('x-');
  });
  return (names: readonly string[]): number => {
    const before = judged;
    for (const name of names) if (judge(name) !== name.startsWith('x-')) throw new Error(name);
    return judged - before;
  };
}

const named = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `x-${String(index).padStart(length - 2, '0')}`);

t.test('a name that occurs again is not judged again', async (t) => {
  const asked = counted();
  const names = [...named(500, 64), 'accept'];
  t.equal(asked(names), 501);
  t.equal(asked(names), 0);
});

t.test('no name above 64 characters is cached', async (t) => {
  const asked = counted();
  for (const length of [65, 66, 1_000, 15_500]) {
    const names = named(100, length);
    t.equal(asked(names), 100, `${length}`);
    t.equal(asked(names), 100, `${length}, again`);
  }
});

t.test('of 100,000 names at most 1024 are cached: 64 KiB', async (t) => {
  const asked = counted();
  const names = named(100_000, 64);
  t.equal(asked(names), names.length);
  // The latest are; the first one that is judged again ends them.
  const remembered = names.toReversed().findIndex((name) => asked([name]) > 0);
  t.ok(remembered > 0 && remembered <= 1024, `${remembered}`);
});
