import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { checkRequest, type Described, grpcCaller, valuesIn, verdictOf } from '../support/grpc-caller.ts';
import { ask, connectTo } from '../support/raw-client.ts';
import { tlsFile } from '../support/tls-file.ts';
import { audience, authorizationServer, issuer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';

const decision = { decision: { listen: '127.0.0.1:0', grpc: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };
const FORM = ['content-type', 'application/x-www-form-urlencoded'] as const;

async function opened(t: Test, changes: object = {}) {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { ...decision, ...changes }));
  return { ...running, upstream, ...grpcCaller(t, running.grpcAddress) };
}

const token = (scope = 'orders.read', more: object = {}) => jwt({ scope, ...more }, { alg: 'HS256' });
const bearer = async (scope?: string) => ['authorization', `Bearer ${await token(scope)}`] as const;

t.test('an accepted call gets the identity, the headers to remove, and the target to forward', async (t) => {
  const { check, upstream } = await opened(t);
  const told = await check({ path: '/orders/%7e1?a=b', headers: [await bearer(), ['X-Auth-Role', 'root']] });
  const { headers, headersToRemove } = told.okResponse ?? {};
  t.strictSame(valuesIn(headers, 'x-auth-subject'), ['alice']);
  t.strictSame(valuesIn(headers, 'x-auth-scope'), ['orders.read']);
  t.strictSame(valuesIn(headers, ':path'), ['/orders/~1?a=b']);
  t.strictSame(headersToRemove, ['x-auth-role', 'authorization']);
  t.match(told.dynamicMetadata?.fields, {
    code: { stringValue: 'forwarded' },
    route: { stringValue: 'orders' },
    sub: { stringValue: 'alice' },
    client: { stringValue: 'shop' },
  });
  t.equal(upstream.seen.length, 0, 'nothing is forwarded');
});

t.test('a header that the client wrote and the gateway did not write is removed', async (t) => {
  const { check } = await opened(t);
  const told = await check({
    path: '/public/1',
    headers: [
      ['x-auth-subject', 'root'],
      ['X_Auth_Scope', 'admin'],
    ],
  });
  t.strictSame(told.okResponse?.headersToRemove, ['x-auth-subject', 'x-auth-client', 'x-auth-scope', 'x_auth_scope']);
  t.strictSame(valuesIn(told.okResponse?.headers, 'x-auth-subject'), []);
});

t.test("a client's header in place of the upstream's credential is removed, as at the own listener", async (t) => {
  const credentials = { header: { name: 'X-Api-Key', value: 'of-the-gateway' } };
  const { check } = await opened(t, { upstreams: { api: { url: 'http://127.0.0.1:9', credentials } } });
  const told = await check({ path: '/public/1', headers: [['x_api-key', 'of-the-client']] });
  t.ok(told.okResponse?.headersToRemove.includes('x_api-key'));
  t.notMatch(JSON.stringify(told), /of-the-gateway/);
});

t.test('a token in the query passes, is removed from the target, and makes the answer private', async (t) => {
  const { check } = await opened(t, { bearer_methods_supported: ['header', 'query'] });
  const { okResponse } = await check({ path: `/orders/1?a=%2B&access_token=${await token()}&b` });
  t.strictSame(valuesIn(okResponse?.headers, ':path'), ['/orders/1?a=%2B&b']);
  t.strictSame(valuesIn(okResponse?.responseHeadersToAdd, 'cache-control'), ['private']);
});

const BASIC = ['authorization', `Basic ${Buffer.from('alice:wonderland').toString('base64')}`] as const;

/** A route that takes Bearer or Basic, whose one user is alice. */
function withBasic(t: Test) {
  const basic = { realm: 'r', users: userFile(t, 'alice:{SHA}tiY7sUhYKUwI5L3866kDY+ENcrQ=\n') };
  return {
    routes: [
      { id: 'both', match: { path: '/both' }, auth: { any_of: ['bearer', 'basic'] }, basic, access: 'authenticated' },
    ],
  };
}

t.test('a refusal has its status, each challenge in its own line, and the ticket', async (t) => {
  const { check, log } = await opened(t, withBasic(t));
  const told = await check({ path: '/both', scheme: 'https', headers: [['x-forwarded-proto', 'https']] });
  t.equal(verdictOf(told), '401 credential_missing');
  const challenges = valuesIn(told.deniedResponse?.headers, 'www-authenticate');
  t.match(challenges, [/^Bearer /, /^Basic /]);
  t.strictSame(valuesIn(told.deniedResponse?.headers, 'content-length'), []);
  const { ticket } = JSON.parse(told.deniedResponse?.body ?? '{}');
  t.equal(told.dynamicMetadata?.fields.ticket?.stringValue, ticket);
  t.match(log.at(-1), { code: 'credential_missing', via: 'envoy' });
});

t.test("a refusal's metadata names the route and the caller, also for HEAD", async (t) => {
  const { check } = await opened(t);
  for (const method of ['GET', 'HEAD']) {
    const told = await check({ method, path: '/orders/1', headers: [await bearer('other')] });
    t.equal(told.deniedResponse?.status.code, 403, method);
    const fields = Object.entries(told.dynamicMetadata?.fields ?? {}).filter(([name]) => name !== 'ticket');
    t.strictSame(
      fields.map(([name, { stringValue }]) => `${name} ${stringValue}`),
      ['code scope_insufficient', 'route orders', 'sub alice', 'client shop'],
      method,
    );
  }
});

t.test('a call is judged as the request is judged at the own listener', async (t) => {
  const { check, port } = await opened(t);
  const cases: readonly Described[] = [
    { path: '/public/1' },
    { path: '/orders/1' },
    { path: '/orders/1', headers: [await bearer()] },
    { path: '/admin/1', headers: [await bearer()] },
    { path: '/orders/1', headers: [await bearer(), await bearer()] },
    { path: '/orders/1?access_token=x', headers: [await bearer()] },
    { path: '/orders/1', headers: [['authorization', 'Bearer a b']] },
    { path: '/public/../admin/1' },
    { path: '//public/1' },
    { path: '/public/%00' },
    { path: '/nowhere' },
    { path: '/public/1', method: 'TRACE' },
    { path: '/public/1', host: 'a b' },
    { path: '/public/1', host: '' },
  ];
  for (const each of cases) t.equal(verdictOf(await check(each)), await directly(port, each), JSON.stringify(each));
});

async function directly(port: number, { method = 'GET', path, host = 'api.example.com', headers = [] }: Described) {
  const lines = [['Host', host], ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  const { status, body } = await ask(port, Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), {
    method,
  });
  return status === 200 ? '200' : `${status} ${JSON.parse(String(body)).code}`;
}

t.test('two credentials in one Authorization line count as two lines, since Envoy joins lines', async (t) => {
  const { check } = await opened(t);
  const [own] = [await token()];
  for (const value of [`Basic YTpi,Bearer ${own}`, `Bearer ${own},Bearer ${own}`, `Bearer ${own}, Negotiate`])
    t.equal(verdictOf(await check({ headers: [['authorization', value]] })), '400 credential_repeated', value);
  t.equal(
    verdictOf(await check({ headers: [['authorization', 'Digest username="a, Bearer b", nonce="c"']] })),
    '401 credential_missing',
  );
});

t.test('only a trusted proxy may ask', async (t) => {
  const { check } = await opened(t, { trusted_proxies: ['10.0.0.0/8'] });
  t.equal(verdictOf(await check({ path: '/public/1' })), '403 caller_untrusted');
});

t.test('attributes that are not exact are an error of the configuration, with the setting in the log', async (t) => {
  const { check, log } = await opened(t);
  const cases = [
    [{}, /no HTTP request/],
    [{ attributes: { request: { http: {} } } }, /encode_raw_headers/],
    [
      { attributes: { request: { http: { headerMap: { headers: [{ key: ':path', value: '/public/1' }] } } } } },
      /allowed_headers/,
    ],
    [checkRequest({ path: '/public/1', headers: [[':path', '/public/1']] }), /:path/],
    [checkRequest({ path: 'http://api.example.com/public/1' }), /does not begin with/],
    [checkRequest({ path: '/public/1', method: 'GET /admin/1' }), /RFC 9110 does not allow/],
    [
      { attributes: { request: { http: { ...checkRequest({}).attributes?.request?.http, body: 'a=b' } } } },
      /pack_as_bytes/,
    ],
  ] as const;
  for (const [request, detail] of cases) {
    t.equal(verdictOf(await check('attributes' in request ? request : { attributes: {} })), '500 question_unclear');
    t.match(log.at(-1)?.reason, detail);
  }
});

t.test('bytes of the target that are not ASCII are judged, and not a replacement of them', async (t) => {
  const { check } = await opened(t);
  for (const path of ['/public/\xff', '/public/\xc0\xae\xc0\xae/admin/1', '/public/1?a=\xff', '/public/\xc3\xa9'])
    t.equal(verdictOf(await check({ path })), '400 target_malformed', path);
  t.equal(verdictOf(await check({ path: '/public/1', host: 'api.example.com\xff' })), '400 host_invalid');
});

t.test('the address of the connection to Envoy decides, whatever the client wrote', async (t) => {
  const { check, log } = await opened(t);
  const addressOf = async (described: Described) => {
    await check({ path: '/public/1', ...described });
    return log.at(-1)?.address;
  };
  const forged = ['x-forwarded-for', '6.6.6.6'] as const;
  t.equal(await addressOf({ source: '198.51.100.7' }), '198.51.100.7');
  t.equal(await addressOf({ source: '198.51.100.7', headers: [forged] }), '198.51.100.7');
  t.equal(
    await addressOf({ source: '198.51.100.7', headers: [['x-forwarded-for', '6.6.6.6,198.51.100.7']] }),
    '198.51.100.7',
  );
  t.equal(await addressOf({ source: '127.0.0.1', headers: [['x-forwarded-for', '203.0.113.9']] }), '203.0.113.9');
  t.equal(await addressOf({}), '0.0.0.0', 'no one says it');
  t.equal(await addressOf({ source: 'fe80::1%eth0' }), '0.0.0.0', 'it is no address, so it is not that of Envoy');
});

t.test('a scheme counts as secure only if Envoy says so in both places', async (t) => {
  const { check } = await opened(t, withBasic(t));
  const proto = ['x-forwarded-proto', 'https'] as const;
  const asked = (scheme: string, ...more: NonNullable<Described['headers']>) =>
    check({ path: '/both', scheme, headers: [BASIC, ...more] }).then(verdictOf);
  t.equal(await asked('https', proto), '200');
  for (const doubtful of [asked('https'), asked('http', proto), asked('https', proto, ['x-forwarded-proto', 'http'])])
    t.not(await doubtful, '200');
});

t.test('a form is read if Envoy sent all of it, and never in part', async (t) => {
  const { check, log } = await opened(t, { bearer_methods_supported: ['header', 'body'] });
  const method = 'POST';
  const partial = (value: string) => ['x-envoy-auth-partial-body', value] as const;
  const body = `access_token=${await token()}&a=b`;
  const cases: readonly (readonly [Described, string])[] = [
    [{ method, body, headers: [FORM, partial('false')] }, '403 form_token_stays'],
    [{ method, body: 'a=b', headers: [FORM, await bearer(), partial('false')] }, '200'],
    [{ method, body, headers: [FORM, await bearer()] }, '400 credential_repeated'],
    [{ method, body, headers: [FORM, await bearer(), partial('true')] }, '413 form_too_large'],
    [{ method, body, headers: [FORM, partial('true'), partial('false')] }, '413 form_too_large'],
    [{ method, body: 'a'.repeat(100_000), headers: [FORM, await bearer()] }, '413 form_too_large'],
    [{ method, headers: [FORM, await bearer()] }, '413 form_too_large'],
    [{ method, headers: [FORM, await bearer(), ['content-length', '5']] }, '413 form_too_large'],
    [{ method, headers: [FORM, await bearer(), ['transfer-encoding', 'chunked']] }, '413 form_too_large'],
    [{ method, headers: [FORM, await bearer(), ['content-length', '0']] }, '200'],
    [{ method, body: 'x'.repeat(9), headers: [await bearer(), partial('true')] }, '200'],
  ];
  for (const [described, wanted] of cases)
    t.equal(verdictOf(await check(described)), wanted, JSON.stringify({ ...described, body: described.body?.length }));
  await check({ method, headers: [FORM, await bearer()] });
  t.match(log.at(-1)?.reason, /with_request_body/);
});

t.test('shadow mode refuses nothing, also if a body that it would judge did not come', async (t) => {
  const { check, log } = await opened(t, { bearer_methods_supported: ['header', 'body'], mode: 'shadow' });
  const method = 'POST';
  const length = ['content-length', '5'] as const;
  t.equal(verdictOf(await check({ method, headers: [FORM, await bearer(), length] })), '200');
  const partial = ['x-envoy-auth-partial-body', 'true'] as const;
  t.equal(verdictOf(await check({ method, body: 'a=b', headers: [FORM, await bearer(), length, partial] })), '200');
  t.match(log.at(-1), { code: 'forwarded' });
});

t.test('a body over the limit of its route is 413, also if Envoy only announces it', async (t) => {
  const { check } = await opened(t, { limits: { body: '10B' } });
  const headers = [await bearer()];
  t.equal(verdictOf(await check({ method: 'POST', body: 'x'.repeat(11), headers })), '413 body_too_large');
  t.equal(
    verdictOf(await check({ method: 'POST', headers: [...headers, ['content-length', '11']] })),
    '413 body_too_large',
  );
  t.equal(verdictOf(await check({ method: 'POST', body: 'x'.repeat(10), headers })), '200');
});

t.test('preflights and metadata documents are answered through Envoy', async (t) => {
  const { check } = await opened(t, {
    cors: { origins: ['https://app.example.com'] },
    resource: 'https://api.example.com',
  });
  const page = ['origin', 'https://app.example.com'] as const;
  const preflight = await check({ method: 'OPTIONS', headers: [page, ['access-control-request-method', 'GET']] });
  t.equal(preflight.deniedResponse?.status.code, 204);
  const document = await check({ path: '/.well-known/oauth-protected-resource' });
  t.equal(document.deniedResponse?.status.code, 200);
  t.equal(JSON.parse(document.deniedResponse?.body ?? '').resource, 'https://api.example.com');
  const { okResponse } = await check({ path: '/public/1', headers: [page] });
  t.strictSame(valuesIn(okResponse?.responseHeadersToAdd, 'access-control-allow-origin'), [page[1]]);
});

t.test('metadata is text that Envoy can read, whatever a claim contains', async (t) => {
  const { check } = await opened(t);
  const own = await token('orders.read', { sub: 'a\ud800' });
  const told = await check({ headers: [['authorization', `Bearer ${own}`]] });
  t.equal(verdictOf(told), '200');
  t.equal(told.dynamicMetadata?.fields.sub?.stringValue, 'a\ufffd');
});

t.test('the health service says whether the gateway can decide', async (t) => {
  const { health } = await opened(t);
  t.equal(await health(), 1);
  t.equal(await health('envoy.service.auth.v3.Authorization'), 1);
  await t.rejects(health('other'), { code: 5 });
});

t.test('the health service says NOT_SERVING until the gateway has keys', async (t) => {
  const server = await authorizationServer(t);
  server.keys.misbehave((_request, response) => void response.writeHead(503).end());
  const main = {
    issuer,
    audience,
    jwks_uri: `${server.keys.url}/jwks`,
    algorithms: ['ES256'],
    jwks: { cooldown: '1s' },
  };
  const { health, check } = await opened(t, { authorization_servers: { main } });
  t.equal(await health(), 2);
  t.equal(await health('envoy.service.auth.v3.Authorization'), 2);
  t.equal(verdictOf(await check({ path: '/public/1' })), '200', 'a route that needs no key is still judged');
  server.keys.recover();
  t.ok(await until(async () => (await health()) === 1));
});

t.test('a call that Envoy cancels is recorded as one whose client left', async (t) => {
  const server = await authorizationServer(t);
  let answer = () => {};
  server.introspection.misbehave((_request, response) => {
    answer = () => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"active":false}');
  });
  const { check, cancelled, log } = await opened(t, { authorization_servers: server.config });
  t.equal(await cancelled({ headers: [['authorization', 'Bearer opaque']] }, 300), 1);
  // The calls of one connection arrive in order, so the cancellation is here.
  t.equal(verdictOf(await check({ path: '/public/1' })), '200');
  answer();
  t.ok(await until(() => log.some(({ code }) => code === 'client_gone')), JSON.stringify(log.slice(-3)));
});

t.test('a connection that says nothing ends, and calls on another one go on', async (t) => {
  const { grpcAddress, check } = await opened(t, { limits: { headers_timeout: '200ms' } });
  const silent = await connectTo(Number(grpcAddress?.split(':').at(-1)));
  t.ok(await until(() => silent.closed));
  t.equal(verdictOf(await check({ path: '/public/1' })), '200');
});

t.test(
  'with TLS, a call needs the certificate that the file requires, and a renewed file serves new connections',
  async (t) => {
    const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key') };
    const grpc = { host: '127.0.0.1', port: 0, tls };
    const { grpcAddress } = await opened(t, { decision: { listen: '127.0.0.1:0', grpc } });
    const port = String(grpcAddress).split(':').at(-1);
    const caller = grpcCaller(t, `localhost:${port}`, tlsFile('authority.crt'));
    t.equal(verdictOf(await caller.check({ path: '/public/1' })), '200');
    await t.rejects(grpcCaller(t, `localhost:${port}`).check({ path: '/public/1' }), { code: 14 });
  },
);

t.test('a stopping gateway answers the calls that it has, and takes no more', async (t) => {
  const server = await authorizationServer(t);
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    server.introspection.misbehave((_request, response) => {
      answer = () => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"active":false}');
      resolve();
    });
  });
  const { check, stop } = await opened(t, { authorization_servers: server.config });
  const open = check({ headers: [['authorization', 'Bearer opaque']] });
  await asked;
  const stopped = stop();
  setImmediate(answer);
  t.equal(verdictOf(await open), '401 token_inactive');
  await stopped;
  await t.rejects(check({ path: '/public/1' }), { code: 14 });
});
