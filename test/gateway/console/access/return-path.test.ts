import t from 'tap';
import { returnPath } from '../../../../src/gateway/console/access/return-path.ts';

const HOME = '/console/';

t.test('a login returns to a page of the console', async (t) => {
  for (const path of ['/console', '/console/', '/console/routes', '/console/live?filter=route:a%20b&x=/../y'])
    t.equal(returnPath(path, HOME), path);
});

t.test('a login returns to no other address, however it is written', async (t) => {
  for (const path of [
    undefined,
    '',
    7,
    ['/console/a', '/console/b'],
    'https://evil.example/console/',
    '//evil.example/console/',
    '/\\evil.example/console/',
    '\\/evil.example',
    '/console/../../evil',
    '/console/%2e%2e/reload',
    '/console\\..\\..\\reload',
    '/consoles',
    '/reload',
    '/console/login',
    '/console/logout?a',
    '/console/callback?code=x',
    '/console/\r\nSet-Cookie: a=b',
    '/console/\tx',
    '/console/ x',
    '/console/ü',
    'javascript:alert(1)',
    `/console/${'x'.repeat(1_000)}`,
  ])
    t.equal(returnPath(path, HOME), HOME, String(path));
});
