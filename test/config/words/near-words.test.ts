import t from 'tap';
import { distance } from '../../../src/config/words/closest.ts';
import { NearWords } from '../../../src/config/words/near-words.ts';
import fc from '../../support/properties.ts';

const letters = (word: string) => word.replace(/[0-9]/g, '');

t.test('finds the first word with one typing error, as a comparison with each would', async (t) => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '.', '1', '2'), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 2, maxLength: 40 }), (words) => {
      const known = new NearWords();
      return words.every((word, index) => {
        const found = known.find(word);
        known.add(word);
        const each = words
          .slice(0, index)
          .find((other) => letters(other) !== letters(word) && distance(word, other) === 1);
        return found === each;
      });
    }),
  );
  const known = new NearWords();
  known.add('orders.read');
  t.equal(known.find('orders.raed'), 'orders.read', 'neighbours swapped');
});
