import t from 'tap';
import { eachPair, foldParameter, headerReader, parameterReader } from '../../../src/gateway/routing/lenient-fields.ts';
import { headOf } from '../head.ts';

const read = (...fields: readonly string[]) => headerReader('x-env')(headOf(fields));

t.test('a header is read by its name, and leniently by each name that a server folds into it', async (t) => {
  t.strictSame(read(), { values: [], lenient: [] });
  t.strictSame(read('X-Env', 'a', 'Other', 'x-env'), { values: ['a'], lenient: ['a'] });
  t.strictSame(read('X-Env', 'a', 'x-env', 'b'), { values: ['a', 'b'], lenient: ['a', 'b'] });
  for (const name of ['X_Env', 'x.env', 'X~ENV', 'x!env'])
    t.strictSame(read(name, 'a'), { values: [], lenient: ['a'] });
  t.strictSame(read('X-Env', 'a', 'X_Env', 'b'), { values: ['a'], lenient: ['a', 'b'] });
  for (const name of ['x-en_', '.-env', 'xaenv', 'x0env', 'x-en', 'x-envs', 'x-enu', 'y-env', 'xenv'])
    t.strictSame(read(name, 'a'), { values: [], lenient: [] }, name);
});

t.test('a lenient server strips more blanks around a value, and none inside', async (t) => {
  for (const blank of [' ', '\t', '\u00a0', '\u0085', ' \u00a0\t']) {
    const value = `${blank}a${blank}b${blank}`;
    t.strictSame(read('X-Env', value), { values: [value], lenient: [`a${blank}b`] }, JSON.stringify(blank));
  }
  t.strictSame(read('X-Env', '\u00a0').lenient, ['']);
  t.strictSame(read('X-Env', '\u00a0\u0085 \u00a0').lenient, ['']);
  for (const value of ['\u00e9\u00a0', '\u00a0\u00e9']) t.strictSame(read('X-Env', value).lenient, ['\u00e9']);
  for (const value of ['a\u00a0', '\u00a0a']) t.strictSame(read('X-Env', value).lenient, ['a']);
  t.strictSame(read('X-Env', '').lenient, ['']);
  t.strictSame(read('X-Env', 'a').lenient, ['a']);
});

/** Of a query, or of a whole target. */
function parameter(name: string, text: string) {
  const target = text.startsWith('/') ? text : `/${text}`;
  const mark = target.indexOf('?');
  return parameterReader(name)({ target, query: mark === -1 ? '' : target.slice(mark) });
}

const same = (...values: readonly string[]) => ({ values, lenient: values });

t.test('a parameter is read by its name, its value decoded', async (t) => {
  for (const query of ['', '?', '?a', '?a=1&bug=2', '?debugs=1', '?xdebug=1', '?debu=1', '?a=debug'])
    t.strictSame(parameter('debug', query), same(), query);
  t.strictSame(parameter('debug', '?a=1&debug=2&b'), same('2'));
  t.strictSame(parameter('debug', '?debug'), same(''));
  t.strictSame(parameter('debug', '?debug='), same(''));
  t.strictSame(parameter('debug', '?debug=a+b%20c=d'), same('a b c=d'));
  t.strictSame(parameter('d', '?d'), same(''), 'the shortest');
  t.strictSame(parameter('debug', '?debug=1&debug=2&debug=3'), same('1', '2'), 'two are as bad as more');
});

t.test('each spelling of a name that some servers fold into it is read leniently', async (t) => {
  const spellings = [
    ...['Debug', 'DEBUG', 'd%65bug', '%64ebug', 'debug[]', 'debug[a]', 'debug[a]x', 'debug[', 'debug%5B%5D'],
    ...['+debug', '%20debug', '%0adebug', '%0Ddebug', '%09+debug', ' debug', 'debug+', 'debug%20', 'debug%00x'],
  ];
  for (const key of spellings) t.strictSame(parameter('debug', `?${key}=1`), { values: [], lenient: ['1'] }, key);
  for (const blank of ['+', '%20', '%0a', '%0b', '%0C', '%0D'])
    t.strictSame(parameter('debug', `?${blank.repeat(50)}debug=1`).lenient, ['1'], `${blank}, fifty times`);
  for (const key of ['debug.', 'debug]', 'debug%2E', 'xdebug', '-debug', '%5Bdebug', 'de bug', 'debugx', 'debug%0a%61'])
    t.strictSame(parameter('debug', `?${key}=1`), { values: [], lenient: [] }, key);
  t.strictSame(parameter('debug', '?debug=1&Debug=2'), { values: ['1'], lenient: ['1', '2'] });
});

t.test('some servers read a blank, a dot and an open bracket in a name as an underscore', async (t) => {
  for (const key of ['a_b', 'a.b', 'a+b', 'a%20b', 'a%2eb', 'A_B', 'a[b'])
    t.strictSame(parameter('a_b', `?${key}=1`).lenient, ['1'], key);
  for (const key of ['a-b', 'ab', 'a__b', 'a]b']) t.strictSame(parameter('a_b', `?${key}=1`).lenient, [], key);
});

t.test('a name that must be encoded matches in each encoding; with brackets it is a separate list', async (t) => {
  for (const key of ['f[a]', 'f%5Ba%5D', 'f%5ba]']) t.strictSame(parameter('f[a]', `?${key}=1`), same('1'), key);
  for (const key of ['f[a]x', 'F[a]', 'f[a][]'])
    t.strictSame(parameter('f[a]', `?${key}=1`), { values: [], lenient: ['1'] }, key);
  for (const key of ['f', 'f[b]', 'f[a', 'ff[a]']) t.strictSame(parameter('f[a]', `?${key}=1`), same(), key);
  t.strictSame(parameter('f[a', '?f[a=1'), same('1'), 'an unclosed bracket');
  t.strictSame(parameter('ä', '?%E4=1').values, ['1'], 'octet by octet');
  t.strictSame(parameter('$x', '?%24x=1'), same('1'));
});

t.test('for some servers a semicolon ends a parameter, and NUL ends a value', async (t) => {
  t.strictSame(parameter('debug', '?a=1;debug=2'), { values: [], lenient: ['2'] });
  t.strictSame(parameter('debug', '?debug=1;b=2'), { values: ['1;b=2'], lenient: ['1'] });
  t.strictSame(parameter('debug', '?debug=1%00b'), { values: ['1\0b'], lenient: ['1'] });
  t.strictSame(parameter('debug', '?debug=%00'), { values: ['\0'], lenient: [''] });
});

t.test('for servers that decode before they split, what they find is the lenient reading', async (t) => {
  t.strictSame(parameter('debug', '/a?b=1%26debug=2'), { values: [], lenient: ['2'] });
  t.strictSame(parameter('debug', '/a?debug=1%26debug=2'), { values: ['1&debug=2'], lenient: ['1', '2'] });
  t.strictSame(parameter('debug', '/a?debug=1%2523'), { values: ['1%23'], lenient: ['1#'] });
  t.strictSame(parameter('debug', '/a?b=%23&Debug=1'), { values: [], lenient: ['1'] }, 'another server finds it');
  t.strictSame(parameter('debug', '/a?debug=1%23;b=2'), { values: ['1#;b=2'], lenient: ['1#'] });
  t.strictSame(parameter('debug', '/a%20b?debug=1'), same('1'));
  t.strictSame(parameter('debug', '/a%20b'), same());
  t.strictSame(parameter('debug', '/a?b=%20&debug=1&debug=1'), same('1', '1'));
});

t.test('if the path has an encoded query separator, no value is certain', async (t) => {
  for (const path of ['/a%3F', '/a%3fb', '/a%23'])
    t.strictSame(parameter('debug', `${path}?debug=1`), { values: ['1'], lenient: ['1', ''] }, path);
  t.strictSame(parameter('debug', '/a%3Fdebug=1'), { values: [], lenient: [''] });
});

t.test('pairs come in order, empty ones are skipped, and reading ends when the caller has enough', async (t) => {
  const pairs = (query: string, separators: '&' | '&;' = '&', most = 9) => {
    const found: string[] = [];
    eachPair(query, separators, (key, value) => found.push(`${key}:${value()}`) >= most);
    return found;
  };
  t.strictSame(pairs('?a=1&b&c=&=d&e=f=g'), ['a:1', 'b:', 'c:', ':d', 'e:f=g']);
  t.strictSame(pairs('?&&a=1&&b=2&'), ['a:1', 'b:2']);
  t.strictSame(pairs('?a=1;b=2&c'), ['a:1;b=2', 'c:']);
  t.strictSame(pairs('?a=1;b=2&c;', '&;'), ['a:1', 'b:2', 'c:']);
  t.strictSame(pairs('?a&b&c', '&', 2), ['a:', 'b:']);
  t.strictSame(pairs('?%61=%62'), ['%61:%62'], 'as they are written');
  t.strictSame([pairs(''), pairs('?')], [[], []]);
});

t.test('a name is folded as PHP and ASP.NET fold it', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    'A.b c': 'a_b_c',
    ' a\t': 'a',
    'a\0b': 'a',
    'A[B]': 'a[b]',
    '': '',
  };
  for (const [name, folded] of Object.entries(cases)) t.equal(foldParameter(name), folded, JSON.stringify(name));
});
