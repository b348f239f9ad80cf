import t from 'tap';
import { parseHostPattern } from '../../../src/config/words/host-pattern.ts';
import { parsePathPattern } from '../../../src/config/words/path-pattern.ts';
import { matchConditions } from '../../../src/gateway/routing/match-conditions.ts';
import type { RoutePattern } from '../../../src/gateway/routing/routes.ts';
import { compareRank, compareSpecificity, hostText, pathText } from '../../../src/gateway/routing/specificity.ts';

/** `PATH[ @HOST]`, with this header as a condition. */
function placed(text: string, headers: Record<string, string> = {}): RoutePattern {
  const [path = '', host] = text.split(' @');
  const parsed = parsePathPattern(path);
  if (parsed.kind === 'fault') throw new Error(parsed.message);
  return {
    host: host === undefined ? undefined : parseHostPattern(host),
    segments: parsed.segments,
    methods: undefined,
    conditions: matchConditions({ path, headers }),
    caseSensitive: true,
    access: 'scope',
  };
}

t.test(
  'exact hosts come first, then patterns, then none; within a host the path decides, then conditions',
  async (t) => {
    const inOrder = [
      placed('/a @a.example'),
      placed('/a @b.example'),
      placed('/{x*} @b.example'),
      placed('/a @{x}.example'),
      placed('/a', { 'x-a': '1', 'x-b': '1' }),
      placed('/a', { 'x-a': '1' }),
      placed('/a', { 'x-a': '2' }),
      placed('/a'),
      placed('/{x}'),
      placed('/{y}'),
      placed('/{x*}'),
    ];
    for (const [index, one] of inOrder.entries())
      for (const [later, other] of inOrder.entries()) {
        const compared = Math.sign(compareSpecificity(one, other));
        t.equal(compared, Math.sign(index - later), `${index} and ${later}`);
      }
  },
);

t.test('two routes that only differ in their text have the same rank', async (t) => {
  t.equal(compareRank(placed('/{x}'), placed('/{y}')), 0);
  t.equal(compareRank(placed('/a', { 'x-a': '1' }), placed('/a', { 'x-a': '2' })), 0);
  t.ok(compareRank(placed('/a', { 'x-a': '1' }), placed('/a')) < 0);
  t.ok(compareRank(placed('/a'), placed('/{x}')) < 0);
});

t.test('patterns are written as they were read', async (t) => {
  for (const text of ['/', '/a/{x}/b', '/{rest*}', '/a/{x}/{rest*}']) t.equal(pathText(placed(text)), text);
  for (const host of ['a.example', '{x}.example', 'a.{y}.example']) {
    const parsed = parseHostPattern(host);
    t.equal(parsed && hostText(parsed), host);
  }
});
