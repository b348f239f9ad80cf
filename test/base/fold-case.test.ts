import t from 'tap';
import { foldCase } from '../../src/base/fold-case.ts';
import fc from '../support/properties.ts';

t.test('letters that differ only in case fold to one text', async (t) => {
  const pairs = ['É é', 'Σ σ', 'ς σ', 'K k', 'ſ s', 'Ǆ ǆ', '𐐀 𐐨', 'ΑΣ ας', 'ẞ ß', 'CAFÉ café'];
  for (const pair of pairs) {
    const [one = '', other = ''] = pair.split(' ');
    t.equal(foldCase(one), foldCase(other), pair);
  }
});

t.test('letters that are not the same in another case stay different', async (t) => {
  for (const pair of ['ß ss', 'é e', 'İ i', 'ŉ n', 'ﬁ fi']) {
    const [one = '', other = ''] = pair.split(' ');
    t.not(foldCase(one), foldCase(other), pair);
  }
});

t.test('a folded text folds to itself, and ASCII folds as usual', async () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => foldCase(foldCase(text)) === foldCase(text)));
  fc.assert(fc.property(fc.string({ unit: 'binary-ascii' }), (text) => foldCase(text) === text.toLowerCase()));
});
