import t from 'tap';
import { executedPatterns } from './executed-patterns.ts';

t.test('a RegExp that runs is recorded, however it was created', async (t) => {
  const made = 'ma+de';
  const ways: (() => unknown)[] = [
    () => new RegExp(made).test('made'),
    () => RegExp(made).exec('made'),
    () => 'made'.match(made),
    () => 'made'.search(made),
    () => [...'made'.matchAll(new RegExp(made, 'g'))],
    () => 'made'.replace(new RegExp(made), ''),
    () => 'made'.split(new RegExp(made)),
    () => /ma+de/u.test('made'),
  ];
  for (const way of ways) t.ok(executedPatterns(way).has(made), String(way));
  t.notOk(executedPatterns(() => 'made'.replace(made, '').split(made)).has(made), 'a text is none');
});
