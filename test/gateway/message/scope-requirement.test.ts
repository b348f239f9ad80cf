import t from 'tap';
import { impliersIn, type ScopeRules } from '../../../src/config/words/implied-scopes.ts';
import { missingScopes, nearest, satisfies, scopeRequirement } from '../../../src/gateway/message/scope-requirement.ts';
import fc, { tries } from '../../support/properties.ts';

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
  t.strictSame(nearest({ alternatives: [], impliers: undefined }, held('a')), []);
});

t.test('spaces and repetitions in a file add no scope', async (t) => {
  t.strictSame(scopeRequirement(' a  b a ').alternatives, [['a', 'b']]);
  t.strictSame(scopeRequirement({ all_of: ['a b', 'b  c'] }).alternatives, [['a', 'b', 'c']]);
});

const chain: ScopeRules = { admin: { implies: ['write'] }, write: { implies: ['read'] } };

t.test('a scope that implies the required one is enough, through any number of steps', async (t) => {
  const requirement = scopeRequirement('read', impliersIn(chain));
  for (const scope of ['read', 'write', 'admin']) t.ok(satisfies(requirement, held(scope)), scope);
  t.notOk(satisfies(requirement, held('other')));
  t.notOk(satisfies(scopeRequirement('write', impliersIn(chain)), held('read')), 'not the other way');
});

t.test(
  'the challenge names the alternative with the fewest scopes that the token neither has nor implies',
  async (t) => {
    const requirement = scopeRequirement({ any_of: ['other', 'read export sign', 'read sign'] }, impliersIn(chain));
    t.strictSame(nearest(requirement, held('admin')), ['other'], 'the first of equals');
    t.strictSame(nearest(requirement, held('admin export')), ['other']);
    const both = scopeRequirement({ any_of: ['export sign', 'read sign'] }, impliersIn(chain));
    t.strictSame(nearest(both, held('admin')), ['read', 'sign']);
    t.strictSame(missingScopes(both, held('admin')), ['sign']);
  },
);

t.test('a requirement about scopes that no other implies is the same as in a file without `scopes`', async (t) => {
  t.strictSame(scopeRequirement('admin', impliersIn(chain)).impliers, undefined);
  t.strictSame(scopeRequirement('a', impliersIn(undefined)).impliers, undefined);
});

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const rules = fc.dictionary(word, fc.record({ implies: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }) }));
const texts = fc.array(
  fc.uniqueArray(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  { minLength: 1, maxLength: 3 },
);

/** Everything that a token means, step by step until nothing is new. */
function closure(rules: ScopeRules, scopes: readonly string[]): ReadonlySet<string> {
  const all = new Set(scopes);
  for (let before = -1; before !== all.size; ) {
    before = all.size;
    for (const [scope, { implies }] of Object.entries(rules))
      if (all.has(scope)) for (const each of implies) all.add(each);
  }
  return all;
}

t.test('with any hierarchy, cycles included, the answer is that for the closure of the scopes', async () => {
  fc.assert(
    fc.property(rules, texts, fc.uniqueArray(word), (rules, any_of, scopes) => {
      const requirement = scopeRequirement({ any_of }, impliersIn(rules));
      const plain = scopeRequirement({ any_of });
      const meant = closure(rules, scopes);
      const is = new Set(scopes);
      return (
        satisfies(requirement, is) === satisfies(plain, meant) &&
        nearest(requirement, is).join() === nearest(plain, meant).join() &&
        missingScopes(requirement, is).join() === missingScopes(plain, meant).join()
      );
    }),
    tries(500, 20_000),
  );
});
