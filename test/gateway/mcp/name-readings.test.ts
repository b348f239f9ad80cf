import t from 'tap';
import { looseName, nameReadings } from '../../../src/gateway/mcp/name-readings.ts';
import fc, { tries } from '../../support/properties.ts';

const likely = (name: string) => nameReadings(name, true)?.likely;
const partial = (name: string) => nameReadings(name, true)?.partial;

t.test('a name without a scheme has one reading', async (t) => {
  t.strictSame(nameReadings('Delete%5fUser', false), { likely: ['delete%5fuser'], partial: [] });
  t.strictSame(nameReadings(' echo\u00a0', false), { likely: ['echo'], partial: [] });
});

t.test('a plain URI has one likely reading', async (t) => {
  for (const uri of ['file:///srv/a', 'http://host:8080/a', 'docs://team/plan', 'urn:isbn:123', 'mem:a/b'])
    t.strictSame(likely(uri), [looseName(uri)], uri);
});

t.test('a URI is read with and without its encodings and dot segments', async (t) => {
  t.strictSame(likely('file:///srv/%2e%2e/etc'), ['file:srv/../etc', 'file:etc']);
  t.strictSame(likely('docs://team/../plan'), ['docs:team/../plan', 'docs:team/plan', 'docs:plan']);
  t.strictSame(likely('mem:a/../b'), ['mem:a/../b', 'mem:b']);
});

t.test('a name may be used only in part', async (t) => {
  t.strictSame(partial('docs://me@team/plan?a#b'), ['docs:me@team/plan', 'docs:team/plan']);
  t.strictSame(partial('file://host/etc/passwd'), ['file:etc/passwd']);
  t.strictSame(partial('file:///c:/a.txt. ./b::$DATA'), ['file:c:/a.txt/b', 'file:a.txt. ./b::$data', 'file:a.txt/b']);
  t.strictSame(partial('etc/passwd'), ['file:etc/passwd', 'file:passwd']);
});

t.test('a name has no certain reading if it hides a control character or is encoded too often', async (t) => {
  for (const name of ['a:b%00', 'a:b%250a', 'a:%7f', 'a:%ff', 'a:%c0%ae', 'a:%ed%a0%80', 'a:%u0000', 'a:%2525252541'])
    t.equal(nameReadings(name, false), undefined, name);
  for (const name of ['a:100%', 'a:%zz', 'a:%', 'a:%c3%a9', 'a:%252541']) t.ok(nameReadings(name, false), name);
});

t.test('every text has readings or none, and each is in the form for comparison', async (t) => {
  const parts = fc.constantFrom(
    'file:',
    'a:',
    '/',
    '//',
    '..',
    '.',
    '%2e',
    '%',
    '%25',
    '\\',
    '?',
    '#',
    '@',
    ' ',
    '\u00e9',
    '\ufdfa',
    'x',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(parts).map((all) => all.join('')),
  );
  const holds = fc.property(texts, fc.boolean(), (text, isResource) => {
    const readings = nameReadings(text, isResource);
    return (
      readings === undefined ||
      readings.likely.every((reading) => looseName(reading).trim() === looseName(looseName(reading)).trim())
    );
  });
  fc.assert(holds, tries(500, 50_000));
  t.pass();
});

t.test('encodings and slashes do not count in a URI, and case counts nowhere', async (t) => {
  for (const [name, loose] of [
    ['FILE:///Srv/%41+%C3%89', 'file:srv/a \u00e9'],
    ['file:/a//b\\c', 'file:a/b/c'],
    ['Stra\u00dfe', 'strasse'],
    ['\uff21\u212a\u017f\u0130', 'aksi'],
    ['a//b', 'a//b'],
  ] as const)
    t.equal(looseName(name), loose);
});
