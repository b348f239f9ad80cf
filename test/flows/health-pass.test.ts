import t, { type Test } from 'tap';
import { gateway } from '../support/gateway.ts';
import { hmacServer } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

async function passing(t: Test, url: string, more: object = {}) {
  const health = { listen: '127.0.0.1:0', pass: { '/app/ready': { upstream: 'api', path: '/healthz' } } };
  const running = await gateway(t, {
    health,
    upstreams: { api: { url, credentials: { header: { name: 'X-Key', value: 'legacy' } }, ...more } },
    defaults: { upstream: 'api' },
    authorization_servers: hmacServer,
    routes: [{ match: { path: '/{rest*}' }, scope: 'orders.read' }],
  });
  return running.healthUrl as string;
}

t.test('the upstream answers a path in `pass`, without any credential', async (t) => {
  const upstream = await witness(t, {
    status: 207,
    body: 'fine',
    headers: [
      ['content-type', 'text/plain'],
      ['set-cookie', 'a=b'],
    ],
  });
  const url = await passing(t, upstream.url);
  const answer = await fetch(`${url}/app/ready?deep=1`, { headers: { authorization: 'Bearer x', cookie: 'c=d' } });
  t.equal(answer.status, 207);
  t.equal(await answer.text(), 'fine');
  t.equal(answer.headers.get('content-type'), 'text/plain');
  t.equal(answer.headers.get('set-cookie'), null);
  const [seen] = upstream.seen;
  t.equal(seen?.target, '/healthz');
  for (const name of ['authorization', 'cookie', 'x-key']) t.strictSame(seen?.all(name), [], name);
  t.equal((await fetch(`${url}/app/ready`, { method: 'HEAD' })).status, 207);
  t.equal(upstream.seen[1]?.method, 'HEAD');
});

t.test('every other path and method is 404, and reaches no upstream', async (t) => {
  const upstream = await witness(t);
  const url = await passing(t, upstream.url);
  for (const path of [
    '/',
    '/app',
    '/app/ready/',
    '/app/ready/x',
    '/app%2fready',
    '/APP/ready',
    '//app/ready',
    '/healthz',
    '/orders/7',
  ])
    t.equal((await fetch(`${url}${path}`)).status, 404, path);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    t.equal((await fetch(`${url}/app/ready`, { method })).status, 404, method);
  t.equal(upstream.seen.length, 0);
  t.equal((await fetch(`${url}/livez`)).status, 200);
});

t.test('an upstream that is down is 502, a silent one 504', async (t) => {
  const upstream = await witness(t, { delay: 5000 });
  const silent = await passing(t, upstream.url, { timeout: { response: '200ms' } });
  t.equal((await fetch(`${silent}/app/ready`)).status, 504);
  const down = await passing(t, 'http://127.0.0.1:1');
  const answer = await fetch(`${down}/app/ready`);
  t.equal(answer.status, 502);
  t.notMatch(await answer.text(), /127\.0\.0\.1/);
});
