import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { impliersIn } from '../../../src/config/words/implied-scopes.ts';
import { type Comparison, compare } from '../../../src/gateway/diff/compare.ts';
import { type CompiledFile, compileFile } from '../../../src/gateway/diff/compiled-file.ts';
import { openings } from '../../../src/gateway/diff/openings.ts';
import { replay } from '../../../src/gateway/diff/replay.ts';
import { scopeSets } from '../../../src/gateway/diff/scope-sets.ts';
import { satisfies, scopeRequirement } from '../../../src/gateway/message/scope-requirement.ts';
import fc, { tries } from '../../support/properties.ts';

type Rules = Readonly<Record<string, readonly string[]>>;

function loaded(rules: Rules, scope: string | object = 'read') {
  const scopes = Object.fromEntries(Object.entries(rules).map(([name, implies]) => [name, { implies }]));
  const text = JSON.stringify({
    version: 1,
    authorization_servers: { main: { issuer: 'https://auth.example.com', audience: 'https://api.example.com' } },
    upstreams: { api: { url: 'http://127.0.0.1:9' } },
    defaults: { upstream: 'api' },
    scopes,
    routes: [{ id: 'read', match: { path: '/a' }, scope }],
  });
  const file = loadGatewayText(text);
  if (!file.ok) throw new Error(JSON.stringify(file.problems));
  return file;
}

const side = (rules: Rules, scope?: string | object): CompiledFile => compileFile(loaded(rules, scope));

/** `opened with scope write` of each change. */
function told({ changes }: Comparison): readonly string[] {
  return changes.map(({ change, callers }) => `${change} ${callers.join(', ')}`);
}

t.test('a new implication opens its routes, and a removed one closes them', async (t) => {
  const [bare, implied] = [side({}), side({ write: ['read'] })];
  const wider = await compare(bare, implied);
  t.strictSame(told(wider), ['opened with scope write']);
  t.strictSame(wider.settings, ['scopes.write.implies: now also read']);
  const tighter = await compare(implied, bare);
  t.strictSame(told(tighter), ['closed with scope write']);
  t.strictSame(tighter.settings, []);
});

t.test('an implication that others already made through a third scope changes nothing', async (t) => {
  const long = { admin: ['write'], write: ['read'] };
  const { changes, settings } = await compare(side(long), side({ ...long, admin: ['write', 'read'] }));
  t.strictSame([changes, settings], [[], []]);
});

t.test('a set of scopes is found that only together with implications passes', async (t) => {
  const rules = { write: ['read'], sign: ['export'] };
  const both = 'read export';
  t.match(told(await compare(side({}, both), side(rules, both))).join(), /^opened .*with scope write sign/);
  t.match(told(await compare(side(rules, both), side({ write: ['read'] }, both))).join(), /^closed with scope .*sign/);
});

t.test('a reload in place waits for a new implication, and applies a removed one at once', async (t) => {
  const [bare, implied] = [loaded({}), loaded({ write: ['read'] })];
  const wider = await openings(bare, implied);
  t.match(wider.opened, [/with scope write: was refused with 403 .* now forwarded/]);
  t.strictSame(wider.doubtful, ['scopes.write.implies: now also read']);
  t.strictSame(await openings(implied, bare), { opened: [], doubtful: [] });
});

t.test(
  'a replayed request is undecided if its token may have had either scope, and only one still passes',
  async (t) => {
    const line = JSON.stringify({ method: 'GET', path: '/a', route: 'read', code: 'forwarded', client: 'shop' });
    const [bare, implied] = [side({}), side({ write: ['read'] })];
    t.match(await replay([line], implied, bare), { undecided: 1, changed: { length: 0 } });
    t.match(await replay([line], implied, implied), { undecided: 0, changed: { length: 0 } });
    t.match(await replay([line], bare, implied), { undecided: 0, changed: { length: 0 } });
  },
);

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const rules = fc.dictionary(word, fc.record({ implies: fc.uniqueArray(word, { minLength: 1, maxLength: 2 }) }));
const alternatives = fc.array(
  fc.uniqueArray(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  { minLength: 1, maxLength: 2 },
);
const requirement = fc
  .tuple(rules, alternatives)
  .map(([rules, any_of]) => scopeRequirement({ any_of }, impliersIn(rules)));
const everySet = Array.from({ length: 32 }, (_, bits) => new Set([...'abcde'].filter((_, at) => bits & (1 << at))));

t.test('two requirements that differ for any token differ for one that is tried', async () => {
  fc.assert(
    fc.property(requirement, requirement, (one, other) => {
      const differs = (held: ReadonlySet<string>, opener: typeof one, closer: typeof one) =>
        satisfies(opener, held) && !satisfies(closer, held);
      const tried = scopeSets([one, other]).map((set) => new Set(set));
      return [
        [one, other],
        [other, one],
      ].every(
        ([opener = one, closer = one]) =>
          everySet.some((set) => differs(set, opener, closer)) === tried.some((set) => differs(set, opener, closer)),
      );
    }),
    tries(300, 10_000),
  );
});
