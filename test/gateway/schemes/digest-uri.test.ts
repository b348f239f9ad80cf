import t from 'tap';
import { uriFits } from '../../../src/gateway/schemes/digest-uri.ts';
import { headOf } from '../head.ts';

const head = (target: string, method = 'GET') => headOf(['Host', 'api.example.com'], method, target);

t.test('the uri is the target as it was received, byte by byte', async (t) => {
  for (const target of ['/', '/a?b=%20', '/a%2fb', '/%61', '*', '/a;x?'])
    t.ok(uriFits(target, head(target), 'exact'), target);
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
    t.notOk(uriFits(uri, head(target), 'exact'), `${uri} for ${target}`);
});

t.test('an absolute uri names this server, and no other one', async (t) => {
  t.ok(uriFits('http://api.example.com/a?b', head('/a?b'), 'exact'));
  t.ok(uriFits('HTTP://API.example.com', head('/'), 'exact'));
  t.ok(uriFits('/a', head('http://api.example.com/a'), 'exact'));
  for (const uri of [
    'https://api.example.com/a',
    'http://api.example.com:81/a',
    'http://other/a',
    'http://x@api.example.com/a',
    '//api.example.com/a',
  ])
    t.notOk(uriFits(uri, head('/a'), 'exact'), uri);
});

t.test('normalized takes another spelling of unreserved characters, and of nothing else', async (t) => {
  t.ok(uriFits('/%61%2Db?x', head('/a-b?x'), 'normalized'));
  for (const [uri, target] of [
    ['/a%2fb', '/a/b'],
    ['/a?x', '/a?y'],
    ['/a?x', '/a'],
    ['/x/../a', '/a'],
    ['/a//b', '/a/b'],
  ] as const)
    t.notOk(uriFits(uri, head(target), 'normalized'), `${uri} for ${target}`);
});
