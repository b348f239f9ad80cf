import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask as raw } from '../support/raw-client.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

async function ask(url: string, init: RequestInit & { token?: string } = {}) {
  const { token, ...rest } = init;
  const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...rest.headers };
  const response = await fetch(url, { ...rest, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    code: text.startsWith('{') ? JSON.parse(text).code : undefined,
    text,
  };
}

t.test('claims and when decide after scope, without a challenge, with a cache hit as with a miss', async (t) => {
  const upstream = await witness(t);
  const routes = [
    { match: { path: '/tenants/{id}' }, scope: 'a', claims: { tenant: { equals: 'path.id' } } },
    { match: { path: '/env/{x*}' }, access: 'authenticated', when: 'request.headers["x-env"] == identity.claims.env' },
  ];
  const { url } = await gateway(t, behind(upstream.url, { routes }));
  const token = await jwt({ scope: 'a', tenant: 'acme', env: 'prod' }, { alg: 'HS256' });
  for (const round of ['miss', 'hit']) {
    t.equal((await ask(`${url}/tenants/acme`, { token })).status, 200, round);
    const refused = await ask(`${url}/tenants/globex`, { token });
    t.match(refused, { status: 403, code: 'condition_failed' }, round);
    t.equal(refused.headers.get('www-authenticate'), null);
    t.equal((await ask(`${url}/env/x`, { token, headers: { 'x-env': 'prod' } })).status, 200, round);
    t.match(await ask(`${url}/env/x`, { token, headers: { 'x-env': 'test' } }), {
      status: 403,
      code: 'condition_failed',
    });
    t.match(await ask(`${url}/env/x`, { token }), { status: 403 }, 'a missing key is false');
  }
});

t.test(
  'optional lets anonymous requests pass and refuses a bad token; authenticated accepts any valid token',
  async (t) => {
    const upstream = await witness(t);
    const routes = [
      { match: { path: '/optional' }, access: 'optional' },
      { match: { path: '/known' }, access: 'authenticated' },
    ];
    const { url } = await gateway(t, behind(upstream.url, { routes }));
    const token = await jwt({ scope: '' }, { alg: 'HS256' });
    t.equal((await ask(`${url}/optional`)).status, 200);
    t.equal(upstream.seen[0]?.header('x-auth-subject'), undefined);
    t.equal((await ask(`${url}/optional`, { token })).status, 200);
    t.equal(upstream.seen[1]?.header('x-auth-subject'), 'alice');
    t.match(await ask(`${url}/optional`, { token: 'x.y.z' }), { status: 401 });
    t.equal((await ask(`${url}/known`)).status, 401);
    t.equal((await ask(`${url}/known`, { token })).status, 200);
  },
);

t.test('the upstream gets the rewritten path, which is judged like the received one (advisory 23)', async (t) => {
  const upstream = await witness(t);
  const routes = [
    { match: { path: '/orders/{rest*}' }, access: 'public', rewrite: { strip_prefix: '/orders', add_prefix: '/v1' } },
    { match: { path: '/bare/{rest*}' }, access: 'public', rewrite: { strip_prefix: '/bare' } },
  ];
  const { url } = await gateway(t, behind(upstream.url, { routes }));
  for (const path of ['/orders/7?a=b', '/orders', '/bare/x', '/bare'])
    t.equal((await ask(url + path)).status, 200, path);
  t.strictSame(
    upstream.seen.map(({ target }) => target),
    ['/v1/7?a=b', '/v1', '/x', '/'],
  );
});

t.test('the upstream gets the credential that it always required, whatever the client sent', async (t) => {
  const upstream = await witness(t);
  const credentials = { basic: { username: 'legacy', password: 'pass:word' } };
  const { url } = await gateway(t, behind(upstream.url, { upstreams: { api: { url: upstream.url, credentials } } }));
  await ask(`${url}/orders/1`, { token: await jwt({ scope: 'orders.read' }, { alg: 'HS256' }) });
  await ask(`${url}/public/1`, { headers: { authorization: 'Basic eDp5' } });
  const wanted = `Basic ${Buffer.from('legacy:pass:word').toString('base64')}`;
  t.strictSame(
    upstream.seen.map((seen) => seen.all('authorization')),
    [[wanted], [wanted]],
  );
});

t.test('shadow mode forwards unchanged what enforcement would refuse, and records it', async (t) => {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { mode: 'shadow' }));
  const token = await jwt({ scope: 'other' }, { alg: 'HS256' });
  t.equal((await ask(`${running.url}/admin/x`)).status, 200);
  t.equal((await ask(`${running.url}/admin/x?access_token=${token}`, { token })).status, 200, 'two credentials');
  t.equal((await ask(`${running.url}/admin/x`, { token })).status, 200);
  t.equal((await ask(`${running.url}/nowhere//x`)).status, 200, 'no route, and a path that is refused');
  const shadows = running.log.filter(({ shadow }) => shadow !== undefined).map(({ shadow }) => shadow);
  t.strictSame(shadows, ['credential_missing', 'credential_repeated', 'scope_insufficient', 'target_empty_segment']);
  t.equal(upstream.seen[0]?.header('x-auth-subject'), undefined, 'nobody verified, nobody named');
  t.equal(upstream.seen[1]?.target, `/admin/x?access_token=${token}`);
  t.equal(upstream.seen[2]?.header('authorization'), `Bearer ${token}`, 'nothing is taken');
  t.equal(upstream.seen[2]?.header('x-auth-subject'), 'alice', 'a valid token names its subject');
  t.equal(upstream.seen[3]?.target, '/nowhere//x');
  const malformed = await raw(running.port, 'GET /admin HTTP/1.1\r\nHost: a b\r\n\r\n');
  t.equal(malformed.status, 400, 'a bad Host is refused all the same');
});

t.test('the gateway answers a preflight from the routes, and pages of known origins can read answers', async (t) => {
  const upstream = await witness(t, { headers: [['access-control-allow-origin', '*']] });
  const origin = 'https://app.example.com';
  const routes = [
    { match: { path: '/o/{id}', methods: ['GET', 'DELETE'] }, scope: 'a' },
    { match: { path: '/own/{x*}' }, access: 'public', cors: 'upstream' },
    { match: { path: '/p/{x*}', methods: ['GET', 'OPTIONS'] }, access: 'public' },
  ];
  const { url } = await gateway(t, behind(upstream.url, { routes, cors: { origins: [origin] } }));
  const preflight = (path: string, from = origin) =>
    ask(url + path, { method: 'OPTIONS', headers: { origin: from, 'access-control-request-method': 'GET' } });
  const answer = await preflight('/o/7');
  t.equal(answer.status, 204);
  t.equal(answer.headers.get('access-control-allow-origin'), origin);
  t.equal(answer.headers.get('access-control-allow-methods'), 'DELETE, GET');
  t.equal((await preflight('/o/7', 'https://evil.example')).headers.get('access-control-allow-origin'), null);
  t.equal(upstream.seen.length, 0);
  const refused = await ask(`${url}/o/7`, { headers: { origin } });
  t.equal(refused.status, 401);
  t.equal(refused.headers.get('access-control-allow-origin'), origin);
  t.match(refused.headers.get('access-control-expose-headers'), 'WWW-Authenticate');
  t.equal((await ask(`${url}/p/1`, { headers: { origin } })).headers.get('access-control-allow-origin'), origin);
  t.equal((await ask(`${url}/p/1`, { method: 'OPTIONS' })).status, 200, 'another OPTIONS is an ordinary method');
  t.equal(
    (await preflight('/own/x')).headers.get('access-control-allow-origin'),
    '*',
    'the upstream answers for itself',
  );
});

t.test('a protected resource describes itself, and its challenges say where (RFC 9728)', async (t) => {
  const upstream = await witness(t);
  const port = new URL(upstream.url).port;
  const resource = `http://127.0.0.1:${port}/api`;
  const routes = [
    { match: { path: '/a' }, scope: 'x y' },
    { match: { path: '/b' }, scope: 'z', resource: `http://127.0.0.1:${port}/b` },
  ];
  const { url } = await gateway(t, behind(upstream.url, { routes, resource }));
  const document = await ask(`${url}/.well-known/oauth-protected-resource/api`);
  t.strictSame(JSON.parse(document.text), {
    resource,
    authorization_servers: ['https://auth.example.com'],
    scopes_supported: ['x', 'y'],
    bearer_methods_supported: ['header'],
  });
  const challenge = (await ask(`${url}/b`)).headers.get('www-authenticate');
  t.equal(
    challenge,
    `Bearer realm="api", scope="z", resource_metadata="http://127.0.0.1:${port}/.well-known/oauth-protected-resource/b"`,
  );
});

t.test("only a trusted proxy's headers about the client count (advisories 3 and 13)", async (t) => {
  const upstream = await witness(t);
  const headers = {
    'x-forwarded-for': '6.6.6.6, 10.0.0.9',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'shop.example',
    'x-request-id': 'abc',
  };
  const stranger = await gateway(t, behind(upstream.url));
  await ask(`${stranger.url}/public/1`, { headers });
  const proxied = await gateway(t, behind(upstream.url, { trusted_proxies: ['127.0.0.1', '10.0.0.0/8'] }));
  await ask(`${proxied.url}/public/1`, { headers: { ...headers, 'x-forwarded-for': '1.2.3.4, 6.6.6.6, 10.0.0.9' } });
  const [first, second] = upstream.seen;
  t.equal(first?.header('x-forwarded-for'), '127.0.0.1');
  t.equal(first?.header('x-forwarded-proto'), 'http');
  t.not(first?.header('x-request-id'), 'abc');
  t.equal(second?.header('x-forwarded-for'), '6.6.6.6, 10.0.0.9, 127.0.0.1', "the leftmost is anybody's word");
  t.equal(second?.header('x-forwarded-proto'), 'https');
  t.equal(second?.header('x-forwarded-host'), new URL(proxied.url).host, 'the host that was judged');
  t.equal(second?.header('x-request-id'), 'abc');
  t.match(second?.header('forwarded'), /^for=6\.6\.6\.6;/);
});
