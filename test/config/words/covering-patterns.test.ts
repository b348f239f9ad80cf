import t from 'tap';
import { CoveringPatterns } from '../../../src/config/words/covering-patterns.ts';
import { covers } from '../../../src/config/words/path-pattern.ts';
import { pattern, patterns } from '../../support/path-patterns.ts';
import fc from '../../support/properties.ts';

t.test('finds the same covering patterns as a comparison with each', async () => {
  fc.assert(
    fc.property(patterns, pattern, (all, left) => {
      const index = new CoveringPatterns<number>();
      for (const [place, segments] of all.entries()) index.add(segments, place);
      const each = [...all.keys()].filter((place) => covers(all[place] ?? [], left));
      return JSON.stringify([...index.of(left)].sort((one, other) => one - other)) === JSON.stringify(each);
    }),
  );
});
