import t from 'tap';
import { judgeTarget } from '../../../src/gateway/message/target.ts';
import fc from '../../support/properties.ts';

const code = (target: string, method = 'GET') => {
  const judged = judgeTarget(method, target);
  return judged.kind === 'refused' ? judged.code : 'passes';
};

t.test('each fault of a target has its own code', async (t) => {
  const expected: Readonly<Record<string, string>> = {
    '/a/../b': 'target_dot_segment',
    '/a/.': 'target_dot_segment',
    '/a/%2e%2E/b': 'target_dot_segment',
    '/a/.%2e': 'target_dot_segment',
    '/..;x/b': 'target_dot_segment',
    '/..%3bx/b': 'target_dot_segment',
    '/a%2f..%2fb': 'target_dot_segment',
    '/a/%c0%ae%c0%ae/b': 'target_dot_segment',
    '/a%c0%af..%c0%afb': 'target_dot_segment',
    '/a/%e0%80%ae%e0%80%ae/': 'target_dot_segment',
    '/a/%f0%80%80%ae%f0%80%80%ae/': 'target_dot_segment',
    '//a': 'target_empty_segment',
    '/a//': 'target_empty_segment',
    '/a\\b': 'target_backslash',
    '/a%5Cb': 'target_backslash',
    '/a%00': 'target_null',
    '/a%': 'target_percent_encoding',
    '/a%2': 'target_percent_encoding',
    '/a%zz': 'target_percent_encoding',
    '/a/%%32%65%%32%65/b': 'target_percent_encoding',
    '/a%u002e': 'target_percent_encoding',
    '/%252e%252e/a': 'target_percent_encoding',
    '/%25%32%65': 'target_percent_encoding',
    '/a/%c0%afb': 'target_percent_encoding',
    '/%c1%a1dmin': 'target_percent_encoding',
    '/%E0%81%A1dmin': 'target_percent_encoding',
    '/%f0%80%81%a1dmin': 'target_percent_encoding',
    '/a#b': 'target_fragment',
    '/a?b#c': 'target_fragment',
    '/a b': 'target_malformed',
    '/a?b c': 'target_malformed',
    '/{a}': 'target_malformed',
    '/\u00e9': 'target_malformed',
    'a/b': 'target_malformed',
    'ftp://host/a': 'target_malformed',
    '*': 'target_malformed',
  };
  for (const [target, wanted] of Object.entries(expected)) t.equal(code(target), wanted, target);
  t.equal(code('*', 'OPTIONS'), 'passes');
});

t.test('percent-encoded unreserved characters are decoded once, everything else stays byte for byte', async (t) => {
  t.match(judgeTarget('GET', '/%41%7e%2D/%c3%a9/%2f;x?q=%41'), {
    path: '/A~-/%c3%a9/%2f;x',
    key: '/A~-/é/%2F;x',
    query: '?q=%41',
    encodedSlash: true,
    parameter: true,
  });
});

t.test('an absolute-form target gives its path and its authority', async (t) => {
  t.match(judgeTarget('GET', 'HTTP://api.example:80/a?b'), { path: '/a', query: '?b', authority: 'api.example:80' });
  t.match(judgeTarget('GET', 'http://api.example?b'), { path: '/', query: '?b', authority: 'api.example' });
});

t.test('the case of hex digits changes no verdict (advisory 9)', async () => {
  const piece = fc.constantFrom('a', '/', '.', '%2f', '%2e', '%5c', '%25', '%c0', '%ae', '%af', ';', '%3b', '%');
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const path = `/${pieces.join('')}`;
      return code(path) === code(path.replace(/%[0-9a-f]{2}/g, (hex) => hex.toUpperCase()));
    }),
  );
});

t.test('a forwarded target is judged the same again: a second gateway sees the same path', async () => {
  const piece = fc.constantFrom('a', '/', '.', '%2f', '%2e', '%41', '%25', '%30', '%c0', '%ae', ';', '@', '%');
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const judged = judgeTarget('GET', `/${pieces.join('')}`);
      if (judged.kind === 'refused') return true;
      const again = judgeTarget('GET', judged.path);
      return again.kind === 'target' && again.path === judged.path;
    }),
    { numRuns: 5000 },
  );
});

t.test('no text makes the check throw', async () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => judgeTarget('GET', text).kind !== undefined));
});

t.test('a query decides nothing about the path (advisories 11 and 17)', async (t) => {
  t.equal(code('/a?/../b'), 'passes');
  t.match(judgeTarget('GET', '/a%3fb?c'), { path: '/a%3fb', query: '?c' });
});
