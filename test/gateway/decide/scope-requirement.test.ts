import t from 'tap';
import { nearest, satisfies, scopeRequirement } from '../../../src/gateway/decide/scope-requirement.ts';

const held = (text: string) => new Set(text.split(' '));

t.test('a string asks for all of its scopes', async (t) => {
  const requirement = scopeRequirement('a b');
  t.ok(satisfies(requirement, held('b a c')));
  t.notOk(satisfies(requirement, held('a')));
  t.notOk(satisfies(requirement, held('A b')), 'case-sensitive');
});

t.test('any_of asks for one entry whole, all_of for every entry', async (t) => {
  t.ok(satisfies(scopeRequirement({ any_of: ['a', 'b c'] }), held('c b')));
  t.notOk(satisfies(scopeRequirement({ any_of: ['a x', 'b c'] }), held('a b')));
  t.ok(satisfies(scopeRequirement({ all_of: ['a', 'b c'] }), held('c b a')));
  t.notOk(satisfies(scopeRequirement({ all_of: ['a', 'b c'] }), held('a b')));
});

t.test('the challenge names all scopes of the alternative with the fewest missing, the first of equals', async (t) => {
  const requirement = scopeRequirement({ any_of: ['orders.write', 'orders.read admin'] });
  t.strictSame(nearest(requirement, held('orders.read')), ['orders.write']);
  t.strictSame(nearest(requirement, held('x')), ['orders.write']);
  t.strictSame(nearest(scopeRequirement({ any_of: ['a b c', 'd e'] }), held('a b')), ['a', 'b', 'c'], 'held ones too');
});
