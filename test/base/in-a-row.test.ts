import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { inARow } from '../../src/base/in-a-row.ts';

t.test('work of one turn of the event loop runs in a row, before anything that waits for its results', async (t) => {
  const seen: string[] = [];
  const work = (name: string) => inARow(() => seen.push(name)).then(() => seen.push(`after ${name}`));
  const all = Promise.all(['first', 'second', 'third'].map(work));
  t.same(seen, [], 'no work runs while requests are read');
  await all;
  t.same(seen, ['first', 'second', 'third', 'after first', 'after second', 'after third']);
});

t.test('each caller gets its own result, also if the work of another fails', async (t) => {
  const failing = inARow(() => {
    throw new Error('no key');
  });
  const others = Promise.all([inARow(() => 1), inARow(() => 2)]);
  await t.rejects(failing, { message: 'no key' });
  t.same(await others, [1, 2]);
});

t.test('work that starts while work runs waits for the next turn', async (t) => {
  const seen: string[] = [];
  void inARow(() => {
    seen.push('first');
    void inARow(() => seen.push('second'));
  });
  await turn();
  t.same(seen, ['first']);
  await turn();
  t.same(seen, ['first', 'second']);
});
