import t from 'tap';
import type { RouteConfig } from '../../../src/config/schema/gateway.ts';
import { oncePerInput } from '../../../src/gateway/generation/once-per-input.ts';
import { routeChanges } from '../../../src/gateway/routing/route-changes.ts';

const route = (id: string, path = `/${id}`) => ({ id, match: { path } }) as RouteConfig;

t.test('a route is the same as long as it has the same id; other settings may change', async (t) => {
  const before = [route('a'), route('b'), route('c')];
  const after = [route('b', '/other'), route('d'), route('a')];
  t.strictSame(routeChanges(before, after), { added: ['d'], removed: ['c'], changed: ['b'] });
  t.strictSame(routeChanges(before, before.toReversed()), { added: [], removed: [], changed: [] });
  t.strictSame(routeChanges([], before), { added: ['a', 'b', 'c'], removed: [], changed: [] });
});

t.test('equal inputs give one value, created once; other inputs give another', async (t) => {
  const made: object[] = [];
  const make = oncePerInput((input: readonly number[]) => {
    const value = { input };
    made.push(value);
    return value;
  });
  t.equal(make([1, 2]), make([1, 2]));
  t.not(make([1, 2]), make([2, 1]));
  t.equal(made.length, 2);
  const nothing = oncePerInput((_: number) => undefined);
  t.equal(nothing(1), undefined);
});
