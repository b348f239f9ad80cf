import t from 'tap';
import { judgeTarget } from '../../../src/gateway/message/target.ts';

const plain = { kind: 'target', query: '', encodedSlash: false, parameter: false, authority: undefined };

t.test('a target is split into path and query at its first question mark, byte for byte', async (t) => {
  const parts: Readonly<Record<string, readonly [path: string, query: string]>> = {
    '/': ['/', ''],
    '/a/b': ['/a/b', ''],
    '/a?': ['/a', '?'],
    '/a?b=c?d/e': ['/a', '?b=c?d/e'],
    '/a/?b=%zz': ['/a/', '?b=%zz'],
    '/?/../': ['/', '?/../'],
  };
  for (const [target, [path, query]] of Object.entries(parts))
    t.strictSame(judgeTarget('GET', target), { ...plain, path, key: path, decoded: [], query }, target);
});

t.test('an unnecessary encoding is decoded once; patterns are compared with two readings of the rest', async (t) => {
  const readings: readonly (readonly [target: string, path: string, key: string, decoded: string[], more?: object])[] =
    [
      ['/%61%2d%7e%5f', '/a-~_', '/a-~_', []],
      ['/%c3%a9%20', '/%c3%a9%20', '/é%20', ['/é ', '/é']],
      ['/%40%3a', '/%40%3a', '/%40%3A', ['/@:']],
      ['/a%2Fb', '/a%2Fb', '/a%2Fb', [], { encodedSlash: true }],
      ['/a%2fb', '/a%2fb', '/a%2Fb', [], { encodedSlash: true }],
      ['/a;b=c', '/a;b=c', '/a;b=c', [], { parameter: true }],
      ['/a%3bb', '/a%3bb', '/a%3Bb', ['/a;b'], { parameter: true }],
      ['/a%3Fb/c', '/a%3Fb/c', '/a%3Fb/c', ['/a?b/c', '/a']],
      ['/a%20b', '/a%20b', '/a%20b', ['/a b']],
      ['/100%25', '/100%25', '/100%25', ['/100%']],
      ['/%e9', '/%e9', '/%E9', ['/é']],
      ['/%F0%9F%8E%89', '/%F0%9F%8E%89', '/🎉', []],
    ];
  for (const [target, path, key, decoded, more] of readings)
    t.strictSame(judgeTarget('GET', target), { ...plain, path, key, decoded, ...more }, target);
});

t.test('an absolute target has an authority and an ordinary path; one without a path has a slash', async (t) => {
  const absolute: Readonly<Record<string, readonly [path: string, query: string, authority: string]>> = {
    'http://a.example/b?c': ['/b', '?c', 'a.example'],
    'HTTPS://a.example:8443/': ['/', '', 'a.example:8443'],
    'http://a.example': ['/', '', 'a.example'],
    'http://a.example?b': ['/', '?b', 'a.example'],
    'http:///a': ['/a', '', ''],
    'http://a.example/http://b.example/': ['refused', '', ''],
  };
  for (const [target, [path, query, authority]] of Object.entries(absolute)) {
    const judged = judgeTarget('GET', target);
    if (path === 'refused') t.match(judged, { kind: 'refused', code: 'target_empty_segment' }, target);
    else t.strictSame(judged, { ...plain, path, key: path, decoded: [], query, authority }, target);
  }
  for (const target of [
    'xhttp://a.example/',
    'ftp://a.example/',
    'http:/a',
    'a',
    '',
    'a.example:80',
    '?a',
    'http://a/\n',
  ])
    t.match(judgeTarget('GET', target), { kind: 'refused', code: 'target_malformed' }, JSON.stringify(target));
});

t.test('a star is a target only for OPTIONS', async (t) => {
  t.strictSame(judgeTarget('OPTIONS', '*'), { ...plain, path: '*', key: '*', decoded: [] });
  for (const [method, target] of [
    ['GET', '*'],
    ['OPTIONS', '**'],
    ['OPTIONS', '*?a'],
  ] as const)
    t.match(judgeTarget(method, target), { code: 'target_malformed' }, `${method} ${target}`);
});

t.test('dots within a name are not a dot segment, a segment of only dots is', async (t) => {
  for (const path of ['/a.b', '/a..', '/..a', '/...', '/.a/b.', '/a..b', '/a./b', '/x..;y', '/.%61'])
    t.equal(judgeTarget('GET', path).kind, 'target', path);
  for (const path of [
    '/.',
    '/..',
    '/./a',
    '/a/..',
    '/a/.',
    '/a/..;x',
    '/a/.;',
    '/%2e',
    '/%2E%2e/a',
    '/a%2f..',
    '/.%3bx',
  ])
    t.match(judgeTarget('GET', path), { kind: 'refused', code: 'target_dot_segment' }, path);
});

t.test('a double encoding, a backslash, a null and an empty segment are refused, each with its own code', async (t) => {
  const codes: Readonly<Record<string, string>> = {
    '/%252e': 'target_percent_encoding',
    '/%25aF': 'target_percent_encoding',
    '/%': 'target_percent_encoding',
    '/%2': 'target_percent_encoding',
    '/%zz': 'target_percent_encoding',
    '/%%32%65': 'target_percent_encoding',
    '/a\\b': 'target_backslash',
    '/a%5Cb': 'target_backslash',
    '/a%00': 'target_null',
    '//a': 'target_empty_segment',
    '/a//': 'target_empty_segment',
    '/a b': 'target_malformed',
    '/a\x7f': 'target_malformed',
    '/\x80': 'target_malformed',
    '/é': 'target_malformed',
    '/a?b c': 'target_malformed',
    '/a?\x80': 'target_malformed',
    '/a"': 'target_malformed',
  };
  for (const [target, code] of Object.entries(codes))
    t.match(judgeTarget('GET', target), { kind: 'refused', code }, target);
  for (const path of ['/%25', '/%252', '/%25g0', '/%25zz']) t.equal(judgeTarget('GET', path).kind, 'target', path);
});

t.test('a dot segment after a slash that only a lax decoder sees counts as one (RFC 3629 §10)', async (t) => {
  for (const path of [
    '/a/..%c0%afb',
    '/a/..%c1%9cb',
    '/a/..%c1%1cb',
    '/a/..%e0%81%1cb',
    '/a/..%e0%80%2fb',
    '/%c0%2e%c0%2e/b',
  ])
    t.match(judgeTarget('GET', path), { kind: 'refused', code: 'target_dot_segment' }, path);
  for (const path of ['/a..%c0%ab', '/a/..%c1%81b'])
    t.match(judgeTarget('GET', path), { kind: 'refused', code: 'target_percent_encoding' }, path);
});
