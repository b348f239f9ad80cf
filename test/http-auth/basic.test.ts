import t from 'tap';
import { basicChallenge, formatBasic, parseBasic } from '../../src/http-auth/basic.ts';
import { corpus, skip } from '../support/corpora.ts';
import fc from '../support/properties.ts';

const encoded = (octets: string | Buffer) => `Basic ${Buffer.from(octets as string).toString('base64')}`;

t.test('the examples of RFC 7617', async (t) => {
  const aladdin = { kind: 'credentials', username: 'Aladdin', password: 'open sesame' };
  t.strictSame(parseBasic('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='), aladdin);
  t.strictSame(parseBasic('Basic dGVzdDoxMjPCow=='), { kind: 'credentials', username: 'test', password: '123£' });
  t.equal(formatBasic('test', '123£'), 'Basic dGVzdDoxMjPCow==');
  t.equal(basicChallenge({ realm: 'foo', charset: 'UTF-8' }), 'Basic realm="foo", charset="UTF-8"');
  t.equal(basicChallenge({ realm: 'Wally"s \\World' }), 'Basic realm="Wally\\"s \\\\World"');
});

t.test('text that is not UTF-8 is Latin-1, and both are in NFC', async (t) => {
  t.match(parseBasic(encoded(Buffer.from('test:123\xa3', 'latin1'))), { password: '123£' });
  t.match(parseBasic(encoded('J\u0061\u0308son:o\u0308')), { username: 'J\u00e4son', password: '\u00f6' });
});

t.test('a text longer than any name and password is read as sent, and not normalized', async (t) => {
  const marks = 'o\u0308'.repeat(700);
  t.match(parseBasic(encoded(`a:${marks}`)), { password: marks });
});

t.test('the scheme is read in any case, after any number of spaces', async (t) => {
  t.match(parseBasic('bAsIc   YTpi'), { username: 'a', password: 'b' });
  for (const other of ['Basicx YTpi', 'Bearer YTpi', 'Digest a=b', '', ' Basic YTpi', 'Basic\tYTpi'])
    t.equal(parseBasic(other).kind, 'other', other);
});

t.test('only base64 of name, colon and password without control characters is well-formed', async (t) => {
  for (const value of ['Basic', 'Basic ', 'Basic YTpi extra', 'Basic YTpi=', 'Basic YTp', 'Basic YTpi,', 'Basic Y_pi'])
    t.equal(parseBasic(value).kind, 'malformed', value);
  for (const text of ['abc', '\0a:b', 'a:b\n', 'a\x7f:b']) t.equal(parseBasic(encoded(text)).kind, 'malformed', text);
});

interface Vectors {
  readonly basic_valid: readonly { user: string; password: string; header: string; src: string }[];
  readonly basic_malformed_or_edge: readonly string[];
}

t.test('the vectors of the corpus', { skip }, async (t) => {
  const { basic_valid, basic_malformed_or_edge }: Vectors = JSON.parse(
    corpus('digest-vectors/digest_basic_vectors.json'),
  );
  for (const { user, password, header, src } of basic_valid) {
    t.strictSame(parseBasic(header), { kind: 'credentials', username: user, password }, src);
    t.equal(formatBasic(user, password), header, src);
  }
  const read = new Set(['Basic  QWxhZGRpbjpvcGVuIHNlc2FtZQ==']);
  for (const header of basic_malformed_or_edge)
    t.equal(parseBasic(header).kind === 'credentials', read.has(header), header);
});

t.test('a written credential reads back, and the first colon splits it', async (t) => {
  const text = fc.string({ unit: 'grapheme' }).filter((each) => !/\p{Cc}|\p{Cs}/u.test(each));
  fc.assert(
    fc.property(text, text, (name, password) => {
      const username = name.replaceAll(':', '').normalize('NFC');
      const parsed = parseBasic(formatBasic(username, password));
      t.strictSame(parsed, { kind: 'credentials', ...split(`${username}:${password}`) });
    }),
    { numRuns: 500 },
  );
  t.throws(() => formatBasic('a:b', 'c'), /must not contain a colon/);
});

function split(text: string) {
  const whole = text.normalize('NFC');
  return { username: whole.slice(0, whole.indexOf(':')), password: whole.slice(whole.indexOf(':') + 1) };
}
