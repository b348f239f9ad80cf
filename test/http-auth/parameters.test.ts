import t from 'tap';
import { formatParameters } from '../../src/http-auth/challenge.ts';
import { parameterLimits, parseParameters } from '../../src/http-auth/parameters.ts';
import fc from '../support/properties.ts';

const read = (text: string) => {
  const parsed = parseParameters(text);
  return parsed.kind === 'malformed' ? parsed.detail : Object.fromEntries(parsed.values);
};

t.test(
  'every parameter may be a token or a quoted-string, in any order and case, with spaces and empty elements',
  async (t) => {
    t.strictSame(read('a=b, C="d e" ,\t,e\t= f,G  =\t"",'), { a: 'b', c: 'd e', e: 'f', g: '' });
    t.strictSame(read(' , a="\\"x\\\\y\\z, w=1"'), { a: '"x\\yz, w=1' });
    t.strictSame(read(''), {});
    t.strictSame(read("username*=UTF-8''J%C3%A4s"), { 'username*': "UTF-8''J%C3%A4s" });
  },
);

t.test('text that is not a list of parameters is malformed', async (t) => {
  for (const text of [
    'a',
    'a=',
    '=b',
    'a="b',
    'a="b" c=d',
    'a=b c',
    'a=b=c',
    'a="\x00"',
    'a="b\\',
    'a=(b)',
    'a=b;c=d',
    '"a"=b',
  ])
    t.equal(read(text), 'not a list of parameters', text);
});

t.test('a repeated name, in any case, is refused', async (t) => {
  for (const text of ['a=b, a=b', 'a=b, A="c"', 'x=1,uri="/a",URI="/b"'])
    t.equal(read(text), 'a parameter occurs twice', text);
});

t.test('lists, values and their number have limits', async (t) => {
  t.equal(read(`a="${'x'.repeat(parameterLimits.list)}"`), 'too long');
  t.equal(read(`a="${'x'.repeat(parameterLimits.value + 1)}"`), 'a parameter is too long');
  const many = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join(', ');
  t.equal(read(many(parameterLimits.count + 1)), 'too many parameters');
  t.equal(Object.keys(read(many(parameterLimits.count))).length, parameterLimits.count);
});

t.test('a written list reads back whole', async (t) => {
  const name = fc.stringMatching(/^[a-z][a-z0-9*-]{0,8}$/);
  const value = fc.stringMatching(/^[\t \x21-\x7e\x80-\xff]{0,40}$/);
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([each]) => each, maxLength: 20 }), (pairs) => {
      t.strictSame(read(formatParameters(pairs)), Object.fromEntries(pairs));
    }),
    { numRuns: 500 },
  );
});

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t \\x21-\\x7e\\x80-\\xff])*"';
const PARAMETER = `${TOKEN}[ \\t]*=[ \\t]*(?:${TOKEN}|${QUOTED})`;
const GRAMMAR = new RegExp(`^[ \\t,]*(?:${PARAMETER}(?:[ \\t]*(?:,[ \\t]*)+${PARAMETER})*[ \\t,]*)?$`);

t.test('it accepts exactly the grammar of RFC 9110', async (t) => {
  const pieces = fc.constantFrom(...'aB=", \\\t*;\x00\xe9\u0141', '=x', '="', '"x"', ', ', 'a=b');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
      const text = parts.join('');
      const said = read(text);
      if (said !== 'a parameter occurs twice') t.equal(said !== 'not a list of parameters', GRAMMAR.test(text), text);
    }),
    { numRuns: 5000 },
  );
});

t.test('no text makes it throw', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab=", \\\t*\x00\xe9') }), (text) => {
      t.ok(['parameters', 'malformed'].includes(parseParameters(text).kind));
    }),
    { numRuns: 2000 },
  );
});
