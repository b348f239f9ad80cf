import t from 'tap';
import { decodedReadings, decodedSegments, strictReading } from '../../../src/config/words/path-readings.ts';
import fc from '../../support/properties.ts';

const utf8 = (text: string) =>
  Array.from(Buffer.from(text), (octet) => `%${octet.toString(16).padStart(2, '0')}`).join('');
const isAscii = (letter: string) => /^[\0-\x7f]*$/.test(letter);

t.test('in the plain reading, letters beyond ASCII are decoded and every other octet stays encoded', async (t) => {
  t.equal(strictReading('/a'), '/a');
  t.equal(strictReading('/%3a%c3%a9%e2%82%ac%f0%9f%8e%89'), '/%3Aé€🎉');
  for (const stray of ['%C3', '%C3%28', '%E2%82', '%C0%AE', '%ED%A0%80', '%F5%80%80%80', '%80', '%FF'])
    t.equal(strictReading(`/${stray}`), `/${stray}`, stray);
});

t.test('the letters of any text have one strict reading, whatever the case of their hex digits', async () => {
  const letters = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(letters, (text) => {
      const wanted = Array.from(text, (letter) => (isAscii(letter) ? utf8(letter).toUpperCase() : letter)).join('');
      return [utf8(text), utf8(text).toUpperCase()].every((encoded) => strictReading(encoded) === wanted);
    }),
  );
});

t.test('a server that decodes may cut at a character, and drop blanks at the end or before each slash', async (t) => {
  const readings: Readonly<Record<string, readonly string[]>> = {
    '/v1/users%3Apurge': ['/v1/users:purge'],
    '/Items(%27a%27)': ["/Items('a')"],
    '/a%2Fb%2F..': ['/a%2Fb%2F..'],
    '/a%3Fb/c': ['/a?b/c', '/a'],
    '/a%23b': ['/a#b', '/a'],
    '/a%20%20/b%20': ['/a  /b ', '/a  /b', '/a/b'],
    '/a%20%3Fb%20': ['/a ?b ', '/a ', '/a ?b', '/a'],
    '/%20a': ['/ a'],
    '/a\u00a0\u200b/b\ufeff': ['/a\u00a0\u200b/b\ufeff', '/a\u00a0\u200b/b', '/a/b'],
    '/%20/b': ['/ /b', '//b'],
    '/🎉': ['/🎉'],
    '/100%25': ['/100%'],
    '/%E9': ['/%E9', '/é'],
    '/a%A0': ['/a%A0', '/a\u00a0', '/a'],
  };
  for (const [path, wanted] of Object.entries(readings)) t.strictSame(decodedReadings(path), wanted, path);
});

t.test('a long run of blanks is read in linear time', async (t) => {
  const [decoded, trimmed] = decodedReadings(`/${'%20'.repeat(100_000)}a${'%20'.repeat(100_000)}`);
  t.equal(decoded?.length, 200_002);
  t.equal(trimmed, `/${' '.repeat(100_000)}a`);
});

t.test('an application that accepts every letter sees whole segments', async (t) => {
  t.strictSame(decodedSegments('a%2Fb/c%3F%20/%E9'), ['a/b', 'c? ', '%E9']);
});

t.test('no text makes a reading throw', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      const strict = strictReading(text);
      return decodedReadings(strict).length > 0 && decodedSegments(strict).length > 0;
    }),
  );
});
