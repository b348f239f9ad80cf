import t from 'tap';
import { textsForHeader } from '../../src/base/languages.ts';
import { demoLanguages } from '../../src/demo/texts/languages.ts';

/** Each text with its path. */
function textsOf(part: object, path = ''): readonly (readonly [path: string, text: string])[] {
  return Object.entries(part).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}.${key}`, value] as const] : textsOf(value, `${path}.${key}`),
  );
}

const [english, ...others] = demoLanguages.map((texts) => new Map(textsOf(texts)));

const namesIn = (text = '') => (text.match(/\{\w+\}/g) ?? []).sort();

t.test('each language has every text in its own words, with the same names in braces', async (t) => {
  for (const other of others)
    for (const [path, text] of english ?? []) {
      t.not(other.get(path), text, path);
      t.strictSame(namesIn(other.get(path)), namesIn(text), path);
    }
});

t.test('the browser decides about the language, and an unknown language is English', async (t) => {
  const rows = [
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['en;q=0.5, de;q=0.4', 'en'],
    ['fr', 'en'],
    [undefined, 'en'],
  ] as const;
  for (const [header, lang] of rows) t.equal(textsForHeader(demoLanguages, header).lang, lang, header ?? 'absent');
});
