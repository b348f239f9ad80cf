import t from 'tap';
import { nearest, satisfies, scopeRequirement } from '../../../src/gateway/message/scope-requirement.ts';

const held = (text: string) => new Set(text.split(' '));

t.test('a string requires all of its scopes', async (t) => {
  const requirement = scopeRequirement('a b');
  t.ok(satisfies(requirement, held('b a c')));
  t.notOk(satisfies(requirement, held('a')));
  t.notOk(satisfies(requirement, held('A b')), 'case-sensitive');
});

t.test('any_of requires one whole entry, all_of every entry', async (t) => {
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

t.test('the alternative with the fewest missing is named, whatever its position', async (t) => {
  const requirement = scopeRequirement({ any_of: ['a b', 'c', 'd e f'] });
  t.strictSame(nearest(requirement, held('d e')), ['c']);
  t.strictSame(nearest(requirement, held('d e f')), ['d', 'e', 'f']);
  t.strictSame(nearest(requirement, held('a')), ['a', 'b'], 'the first of equals');
  t.strictSame(nearest([], held('a')), []);
});

t.test('spaces and repetitions in a file add no scope', async (t) => {
  t.strictSame(scopeRequirement(' a  b a '), [['a', 'b']]);
  t.strictSame(scopeRequirement({ all_of: ['a b', 'b  c'] }), [['a', 'b', 'c']]);
});
