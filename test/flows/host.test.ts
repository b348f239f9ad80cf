import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { witness } from '../support/witness.ts';

const routes = [
  { id: 'api', match: { host: 'api.example.com', path: '/{rest*}' }, scope: 'orders.read' },
  { id: 'any', match: { path: '/{rest*}' }, access: 'public' },
];

t.test('advisory 10: hosts compare without case, port and trailing dot', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  for (const host of [
    'api.example.com',
    'API.example.COM',
    'Api.Example.Com:8080',
    'api.example.com.',
    'API.EXAMPLE.COM.:443',
  ]) {
    t.equal((await ask(port, requestText({ target: '/a', host }))).status, 401, host);
  }
  t.equal(
    (await ask(port, requestText({ target: '/a', host: 'api.example.org' }))).status,
    200,
    'another host has another route',
  );
  t.equal(upstream.seen.length, 1);
});

t.test('an IPv6 host has one spelling: no other spelling matches the route for every host', async (t) => {
  const upstream = await witness(t);
  const six = [{ id: 'six', match: { host: '[::1]', path: '/{rest*}' }, scope: 'orders.read' }, routes[1]];
  const { port } = await gateway(t, behind(upstream.url, { routes: six }));
  for (const host of ['[::1]', '[0:0:0:0:0:0:0:1]', '[0::1]', '[::0.0.0.1]:8080'])
    t.equal((await ask(port, requestText({ target: '/a', host }))).status, 401, host);
  t.equal(upstream.seen.length, 0);
});

const bad = [
  '',
  ' ',
  'user@api.example.com',
  'api.example.com/path',
  'api.example.com, other',
  'api.example.com other',
  'api.example.com:port',
  'api.example.com:99999',
  'api.example.com:80:80',
  '[::1',
  '::1',
  'a?b',
  'a#b',
  'a%00b',
  'a\\b',
  'http://api.example.com',
  '..',
  'a..b',
];

t.test('an invalid Host is 400, and nothing reaches the upstream', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  for (const host of bad)
    t.equal((await ask(port, requestText({ target: '/a', host }))).status, 400, JSON.stringify(host));
  t.equal(upstream.seen.length, 0);
});

t.test('a missing Host and two Hosts are 400, whatever their values', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  const lines = ['', 'Host: a\r\nHost: a\r\n', 'Host: a\r\nhost: b\r\n', 'Host: a\r\nX: y\r\nHOST: a\r\n'];
  for (const version of ['HTTP/1.1', 'HTTP/1.0']) {
    for (const each of lines)
      t.equal((await ask(port, `GET /a ${version}\r\n${each}\r\n`)).status, 400, `${version} ${JSON.stringify(each)}`);
  }
  t.equal(upstream.seen.length, 0);
});

t.test('an IPv6 literal is a valid Host', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  for (const host of ['[::1]', '[::1]:8080']) {
    t.equal((await ask(port, requestText({ target: '/a', host }))).status, 200, host);
    t.equal(upstream.seen.pop()?.header('host'), host);
  }
});

t.test('an absolute-form target for this host is forwarded in origin form; one for another host is 400', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  t.equal((await ask(port, requestText({ target: 'http://x.example/a?b=c', host: 'x.example' }))).status, 200);
  t.equal(upstream.seen[0]?.target, '/a?b=c');
  for (const target of [
    'http://other.example/a',
    'http://x.example:81/a',
    'http://u@x.example/a',
    'ftp://x.example/a',
    'http:///a',
    '//x.example/a',
    'x.example:80',
    'a',
  ]) {
    t.equal((await ask(port, requestText({ target, host: 'x.example' }))).status, 400, target);
  }
  t.equal(upstream.seen.length, 1);
});

t.test('the upstream gets the Host that the configuration sets', async (t) => {
  const upstream = await witness(t);
  const words = {
    preserve: 'shop.example:8080',
    upstream: `127.0.0.1:${upstream.port}`,
    'legacy.internal': 'legacy.internal',
  };
  for (const [word, expected] of Object.entries(words)) {
    const { port } = await gateway(
      t,
      behind(upstream.url, { routes, upstreams: { api: { url: upstream.url, host: word } } }),
    );
    await ask(port, requestText({ target: '/a', host: 'shop.example:8080' }));
    const seen = upstream.seen.pop();
    t.equal(seen?.header('host'), expected, word);
    t.equal(seen?.header('x-forwarded-host'), 'shop.example:8080');
  }
});
