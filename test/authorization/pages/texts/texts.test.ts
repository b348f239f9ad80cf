import { readdirSync } from 'node:fs';
import t from 'tap';
import { counted, filled, filledText } from '../../../../src/authorization/pages/fill.ts';
import { html } from '../../../../src/authorization/pages/html.ts';
import { locales, textsFor } from '../../../../src/authorization/pages/pages.ts';
import { openidScopes } from '../../../../src/config/words/openid-scopes.ts';

const folder = new URL('../../../../src/authorization/pages/texts/', import.meta.url);
const english = textsFor(['en']);
const forms = new Set<string>(['zero', 'one', 'two', 'few', 'many', 'other']);

/** Each text with its path. The plural forms of a text count as one text, because languages have different forms. */
function textsOf(part: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof part === 'string') return [[path, part]];
  return Object.entries(part as object).flatMap(([key, value]) =>
    textsOf(value, forms.has(key) ? path : `${path}/${key}`),
  );
}

const pathsOf = (part: unknown) => [...new Set(textsOf(part).map(([path]) => path))].sort();

/** The names in braces, of all texts of this path. */
function namesAt(part: unknown, path: string): readonly string[] {
  const texts = textsOf(part).flatMap(([at, text]) => (at === path ? [text] : []));
  return [...new Set(texts.flatMap((text) => text.match(/\{\w+\}/g) ?? []))].sort();
}

t.test('each language has a file, and each file is a language', async (t) => {
  const files = readdirSync(folder).flatMap((file) => /^([a-z]{2,3}(?:-[a-zA-Z]+)?)\.ts$/.exec(file)?.[1] ?? []);
  t.strictSame(files.sort(), [...locales].sort());
});

for (const locale of locales)
  t.test(`${locale}: the texts have every key and the same names in braces, and no text is empty`, async (t) => {
    const texts = textsFor([locale]);
    t.equal(texts.lang, locale);
    t.strictSame(Intl.DateTimeFormat.supportedLocalesOf(locale), [locale], 'dates can be written in this language');
    t.strictSame(pathsOf(texts), pathsOf(english));
    t.strictSame(Object.keys(texts.scopes), Object.keys(openidScopes));
    for (const path of pathsOf(english)) t.strictSame(namesAt(texts, path), namesAt(english, path), path);
    for (const [path, text] of textsOf(texts)) t.match(text, /^\S.*\S ?$/, path);
    for (const [path, text] of textsOf(texts)) t.notMatch(text.replace(/\{\w+\}/g, ''), /[{}<>]/, path);
  });

t.test('the words of two languages differ', async (t) => {
  const german = new Map(textsOf(textsFor(['de'])));
  const same = textsOf(english).filter(([path, text]) => german.get(path) === text);
  t.strictSame(
    same.map(([path]) => path),
    ['/dir'],
  );
});

t.test('the first wanted language that exists is shown, otherwise English', async (t) => {
  const rows: readonly (readonly [wanted: string, lang: string])[] = [
    ['', 'en'],
    ['de', 'de'],
    ['DE', 'de'],
    ['de-AT', 'de'],
    ['de-Latn-DE-1996', 'de'],
    ['fr de', 'de'],
    ['en-GB de', 'en'],
    ['se', 'en'],
    ['dex', 'en'],
    ['* de', 'de'],
    ['constructor __proto__ -', 'en'],
  ];
  for (const [wanted, lang] of rows) t.equal(textsFor(wanted.split(' ')).lang, lang, wanted);
});

t.test('a value is text, wherever the language places it, and never becomes a name', async (t) => {
  const values = { one: '<b>{two}</b>', two: html`<i>2</i>` };
  t.equal(String(filled('{two}, {one}, {three}.', values)), '<i>2</i>, &#60;b&#62;{two}&#60;/b&#62;, .');
  t.equal(filledText('{a}-{b}', { a: '{b}', b: 'x$&' }), '{b}-x$&');
});

t.test('a count has the plural form and the digits of its language', async (t) => {
  t.equal(counted({ one: 'one', other: '{count} of them' }, 1, english), 'one');
  t.equal(counted({ one: 'one', other: '{count} of them' }, 1200, english), '1,200 of them');
  t.equal(counted({ one: 'eins', other: '{count} davon' }, 1200, textsFor(['de'])), '1.200 davon');
  t.equal(counted({ other: '{count}' }, 1, english), '1');
});
