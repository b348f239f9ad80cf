import t from 'tap';
import { ownText } from '../../src/base/own-text.ts';
import fc from '../support/properties.ts';

t.test('a copy is equal to its text, whatever characters that has', async (t) => {
  for (const text of ['', 'a', 'caf\xe9', '\u0141', '\ud83d\ude00', '\ud83d']) t.equal(ownText(text), text);
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => ownText(text) === text));
});
