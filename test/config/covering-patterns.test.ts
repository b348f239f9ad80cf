import fc from 'fast-check';
import t from 'tap';
import { CoveringPatterns } from '../../src/config/covering-patterns.ts';
import { covers, parsePathPattern } from '../../src/config/path-pattern.ts';

const piece = fc.constantFrom('a', 'b', '{}', '');
const pattern = fc.tuple(fc.array(piece, { maxLength: 4 }), fc.constantFrom('a', 'b', '{}', '', '{*}')).map(toPattern);
const patterns = fc.array(pattern, { minLength: 1, maxLength: 25 });

/** An empty segment can only be the last. */
function toPattern([before, last]: [string[], string]) {
  const named = [...before.filter((each) => each !== ''), last].map((each, index) => each.replace('{', `{n${index}`));
  const parsed = parsePathPattern(`/${named.join('/')}`);
  if (parsed.kind === 'fault') throw new Error(parsed.message);
  return parsed.segments;
}

t.test('finds the patterns that cover another, as asking each would', async () => {
  fc.assert(
    fc.property(patterns, pattern, (all, left) => {
      const index = new CoveringPatterns<number>();
      for (const [place, segments] of all.entries()) index.add(segments, place);
      const each = [...all.keys()].filter((place) => covers(all[place] ?? [], left));
      return JSON.stringify([...index.of(left)].sort((one, other) => one - other)) === JSON.stringify(each);
    }),
  );
});
