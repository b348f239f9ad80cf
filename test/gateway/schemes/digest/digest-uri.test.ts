import t from 'tap';
import { type UriRule, uriFits } from '../../../../src/gateway/schemes/digest/digest-uri.ts';
import { headOf } from '../../head.ts';

const head = (target: string, method = 'GET') => headOf(['Host', 'api.example.com'], method, target);

const uri_from = ['X-Original-URI', 'X-Forwarded-Uri', 'X-Forwarded-Prefix'] as const;
const exactly: UriRule = { uri_match: 'exact', uri_from };
const normalized: UriRule = { uri_match: 'normalized', uri_from };

t.test('the uri must equal the received target, byte by byte', async (t) => {
  for (const target of ['/', '/a?b=%20', '/a%2fb', '/%61', '*', '/a;x?'])
    t.ok(uriFits(target, head(target), exactly), target);
  for (const [uri, target] of [
    ['/a', '/b'],
    ['/a', '/a?x=1'],
    ['/a?x=1', '/a'],
    ['/a?', '/a'],
    ['/a', '/%61'],
    ['/A', '/a'],
    ['/a/../b', '/b'],
    ['', '/'],
  ] as const)
    t.notOk(uriFits(uri, head(target), exactly), `${uri} for ${target}`);
});

t.test('an absolute uri must name this server', async (t) => {
  t.ok(uriFits('http://api.example.com/a?b', head('/a?b'), exactly));
  t.ok(uriFits('HTTP://API.example.com', head('/'), exactly));
  t.ok(uriFits('/a', head('http://api.example.com/a'), exactly));
  for (const uri of [
    'https://api.example.com/a',
    'http://api.example.com:81/a',
    'http://other/a',
    'http://x@api.example.com/a',
    '//api.example.com/a',
  ])
    t.notOk(uriFits(uri, head('/a'), exactly), uri);
});

t.test('normalized accepts another spelling only of unreserved characters', async (t) => {
  t.ok(uriFits('/%61%2Db?x', head('/a-b?x'), normalized));
  for (const [uri, target] of [
    ['/a%2fb', '/a/b'],
    ['/a?x', '/a?y'],
    ['/a?x', '/a'],
    ['/x/../a', '/a'],
    ['/a//b', '/a/b'],
    ['/a%zz', '/b%zz'],
    ['/a%zz', '/a'],
    ['/a', '/a%zz'],
  ] as const)
    t.notOk(uriFits(uri, head(target), normalized), `${uri} for ${target}`);
});

const proxied = (target: string, fields: readonly string[], isProxied = true) => {
  const plain = headOf(['Host', 'api.example.com', ...fields], 'GET', target);
  return { ...plain, origin: { ...plain.origin, isProxied } };
};

t.test('behind a trusted proxy the uri may be the target that the proxy received', async (t) => {
  for (const [uri, target, name, value] of [
    ['/api/meters/7?x=%20', '/meters/7?x=%20', 'X-Original-URI', '/api/meters/7?x=%20'],
    ['/api/meters/7', '/', 'X-Forwarded-Uri', '/api/meters/7'],
    ['/api/meters/7?x', '/meters/7?x', 'X-Forwarded-Prefix', '/api'],
    ['/api/meters/7?x', '/meters/7?x', 'x-forwarded-prefix', '/api/'],
    ['/meters/7', '/meters/7', 'X-Original-URI', '/other'],
  ] as const) {
    t.ok(uriFits(uri, proxied(target, [name, value]), exactly), `${name}: ${value}`);
    const fromStranger = uriFits(uri, proxied(target, [name, value], false), exactly);
    t.equal(fromStranger, uri === target, `a stranger's ${name} changes nothing`);
  }
});

t.test("a proxy's value is compared whole, and ignored if it is repeated or not a path", async (t) => {
  for (const fields of [
    ['X-Original-URI', '/api/8'],
    ['X-Original-URI', '/api/7?x'],
    ['X-Original-URI', 'http://other/api/7'],
    ['X-Original-URI', 'api/7'],
    ['X-Original-URI', '/api/7', 'X-Original-URI', '/api/7'],
    ['X_Original_URI', '/api/7'],
    ['X-Forwarded-Prefix', '/ap'],
    ['X-Forwarded-Prefix', 'http://other/api'],
  ])
    t.notOk(uriFits('/api/7', proxied('/7', fields), exactly), fields.join(': '));
});

t.test('a header that the file does not name belongs to the client, even if a trusted proxy forwards it', async (t) => {
  const head = proxied('/meters/7', ['X-Original-URI', '/api/meters/7']);
  t.notOk(uriFits('/api/meters/7', head, { uri_match: 'exact', uri_from: [] }));
  t.notOk(uriFits('/api/meters/7', head, { uri_match: 'exact', uri_from: ['X-Forwarded-Uri'] }));
});

t.test('two targets that are both refused, or both name another server, do not match because of that', async (t) => {
  for (const [uri, target] of [
    ['/a/../b', '/c/../d'],
    ['/a/../b', '/b'],
    ['/b', '/a/../b'],
    ['http://other.example/a', 'http://third.example/b'],
    ['/a', 'http://other.example/a'],
  ] as const)
    for (const rule of [exactly, normalized]) t.notOk(uriFits(uri, head(target), rule), `${uri} for ${target}`);
  t.notOk(uriFits('/x/http://api.example.com/a', head('/a'), normalized), 'an address within a path is path');
});

t.test("a proxy's target is a path, once, in its own header", async (t) => {
  const proxied = (...fields: string[]) => {
    const asked = headOf(['Host', 'api.example.com', ...fields], 'GET', '/inner');
    return { ...asked, origin: { ...asked.origin, isProxied: true } };
  };
  t.ok(uriFits('/outer', proxied('X-Original-URI', '/outer'), exactly));
  t.notOk(uriFits('outer', proxied('X-Original-URI', 'outer'), exactly));
  t.notOk(uriFits('/outer', proxied('X-Original-URI', '/outer', 'X-Original-URI', '/outer'), exactly));
  t.notOk(uriFits('/outer', proxied('X-Other', 'x-original-uri', '/outer', '/x'), exactly));
});

t.test('an address within a path is part of the path', async (t) => {
  const [one, other] = ['/one/http://api.example.com/a', '/two/http://api.example.com/a'];
  for (const rule of [exactly, normalized]) {
    t.notOk(uriFits(one, head(other), rule));
    t.ok(uriFits(one, head(one), rule));
  }
});

t.test('over TLS this server matches only with https', async (t) => {
  const plain = head('/a');
  const secure = { ...plain, origin: { ...plain.origin, secure: true } };
  t.ok(uriFits('https://api.example.com/a', secure, exactly));
  t.notOk(uriFits('http://api.example.com/a', secure, exactly));
});
