import t from 'tap';
import { knownText } from '../../src/base/known-texts.ts';
import fc, { tries } from '../support/properties.ts';

const textIn = (text: string) => {
  const bytes = Buffer.from(`"${text}"`);
  return knownText(bytes, 1, bytes.length - 1);
};

t.test('a text is that of its bytes, whatever texts were read before it', async (t) => {
  for (const text of ['', 'name', 'n\u00e4me', '\u{1f600}', 'a'.repeat(48), 'a'.repeat(49), 'a'.repeat(5000)])
    for (const time of ['first', 'second']) t.equal(textIn(text), text, `${text.slice(0, 60)}, ${time}`);
  for (let index = 0; index < 20_000; index++)
    if (textIn(`n${index % 3000}`) !== `n${index % 3000}`) t.fail(`n${index}`);
  const holds = fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => textIn(text) === text);
  fc.assert(holds, tries(2000, 100_000));
});

t.test('a text stays the same if its bytes change later', async (t) => {
  const bytes = Buffer.from('first');
  const text = knownText(bytes, 0, bytes.length);
  bytes.fill('x');
  t.equal(text, 'first');
  t.equal(textIn('first'), 'first');
  t.equal(knownText(bytes, 0, bytes.length), 'xxxxx');
});
