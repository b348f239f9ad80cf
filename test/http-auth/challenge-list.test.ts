import t from 'tap';
import { splitChallenges } from '../../src/http-auth/challenge-list.ts';
import { parameterLimits } from '../../src/http-auth/parameters.ts';

/** Scheme and rest of each, as `scheme|rest`. */
const told = (line: string) => splitChallenges(line).map(({ scheme, rest }) => `${scheme}|${rest}`);

t.test('a comma ends a challenge or a parameter: text that is not `name=value` begins a challenge', async (t) => {
  const lines: Readonly<Record<string, readonly string[]>> = {
    'Basic realm="a"': ['basic|realm="a"'],
    'Digest realm="a", nonce="b", Basic realm="c"': ['digest|realm="a", nonce="b"', 'basic|realm="c"'],
    'Digest realm = "a" , nonce\t=b,Basic realm=c': ['digest|realm = "a", nonce\t=b', 'basic|realm=c'],
    'Negotiate, Basic realm="a"': ['negotiate|', 'basic|realm="a"'],
    'Negotiate YQ==, Basic realm="a"': ['negotiate|YQ==', 'basic|realm="a"'],
    'Digest, realm="a", nonce="b"': ['digest|realm="a", nonce="b"'],
    'A, B': ['a|', 'b|'],
  };
  for (const [line, expected] of Object.entries(lines)) t.strictSame(told(line), expected, line);
});

t.test('a comma within a quoted-string ends nothing, also after an escaped quotation mark', async (t) => {
  t.strictSame(told('Digest realm="a, Basic realm=b", nonce="c"'), ['digest|realm="a, Basic realm=b", nonce="c"']);
  t.strictSame(told('Digest realm="a\\", b", nonce=c'), ['digest|realm="a\\", b", nonce=c']);
  t.strictSame(told('Digest realm="a\\\\", Basic realm=b'), ['digest|realm="a\\\\"', 'basic|realm=b']);
  t.strictSame(told('Digest realm="a\nb, c", d=e'), ['digest|realm="a\nb, c", d=e']);
  t.strictSame(told('Digest realm="a, Basic realm=b'), ['digest|realm="a, Basic realm=b'], 'one that is not closed');
});

t.test('empty elements are skipped (RFC 9110 §5.6.1), and text that is not a scheme is not a challenge', async (t) => {
  t.strictSame(told(',, Basic realm="a" ,, nonce=b, , A,'), ['basic|realm="a", nonce=b', 'a|']);
  for (const line of ['', ',', ' , ', '"a"', '@ realm=a']) t.strictSame(told(line), [], line);
});

t.test('a parameter belongs to a challenge only after one, and only if its name is a token', async (t) => {
  t.strictSame(told('realm="a", Basic realm="b"'), ['basic|realm="b"'], 'the first belongs to none');
  t.strictSame(told('Basic realm="a", x@y="b"'), ['basic|realm="a"'], 'it ends the challenge');
  t.strictSame(told('Basic realm="a", !#$%&\'*+.^_`|~-z9="b"'), ['basic|realm="a", !#$%&\'*+.^_`|~-z9="b"']);
});

t.test('a line longer than the limit for parameters has no challenge', async (t) => {
  const line = (length: number) => `Basic a="${'b'.repeat(length - 10)}"`;
  t.equal(line(parameterLimits.list).length, parameterLimits.list);
  t.equal(told(line(parameterLimits.list)).length, 1);
  t.strictSame(told(line(parameterLimits.list + 1)), []);
});
