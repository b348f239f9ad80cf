import t from 'tap';
import { judgeTarget } from '../../../src/gateway/message/target.ts';
import { looseParts, partsOf } from '../../../src/gateway/routing/path-parts.ts';

function parts(path: string): readonly (readonly string[])[] {
  const target = judgeTarget('GET', path);
  if (target.kind === 'refused') throw new Error(`${path}: ${target.code}`);
  return partsOf(target);
}

t.test('a rule sees the decoded segments of a path', async (t) => {
  t.strictSame(parts('/'), [['']]);
  t.strictSame(parts('/orders/7'), [['orders', '7']]);
  t.strictSame(parts('/orders/'), [['orders', '']]);
  t.strictSame(parts('/a%20b/c'), [['a b', 'c']], 'each reading has the same segments');
});

t.test('a path that a server may split differently has each reading', async (t) => {
  t.strictSame(parts('/a%2Fb/c'), [
    ['a/b', 'c'],
    ['a%2Fb', 'c'],
  ]);
  t.strictSame(parts('/a%3Fb/c')[0], ['a?b', 'c']);
  t.ok(
    parts('/a%3Fb/c').some((reading) => reading.join('/') === 'a'),
    'where an encoded sign begins the query',
  );
});

t.test('a path from a log, which was not checked, has segments too', async (t) => {
  t.strictSame(looseParts('/orders/a%20b'), ['orders', 'a b']);
  t.strictSame(looseParts('/orders/%37'), ['orders', '7']);
  t.strictSame(looseParts('/'), ['']);
});
