import t from 'tap';
import { acceptedLanguages, textsIn } from '../../src/base/languages.ts';

t.test('Accept-Language is read by weight, and a weight of 0 excludes a language', async (t) => {
  const rows: readonly (readonly [header: string | undefined, languages: readonly string[]])[] = [
    [undefined, []],
    ['de', ['de']],
    ['en;q=0.5, de', ['de', 'en']],
    ['de-DE,de;q=0.9,en;q=0.8', ['de-DE', 'de', 'en']],
    ['de;q=0, en', ['en']],
    ['de ; Q=0.3 , fr ; q=0.4', ['fr', 'de']],
    ['de;q=x', []],
  ];
  for (const [header, languages] of rows) t.strictSame(acceptedLanguages(header), languages, header ?? 'absent');
  t.ok(acceptedLanguages('de,'.repeat(100_000)).length < 1000, 'a long header costs little');
});

t.test('a tag that is longer than every registered one names no language (RFC 5646 §4.4.1)', async (t) => {
  const [en, de] = [{ lang: 'en' }, { lang: 'de' }];
  t.equal(textsIn([en, de], ['de-AT-1996']), de);
  t.equal(textsIn([en, de], [`de${'-a'.repeat(17)}`]), en);
  t.equal(textsIn([en, de], ['-'.repeat(1_000), 'de']), de);
});
