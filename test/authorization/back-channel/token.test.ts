import t from 'tap';
import { settableClock } from '../../support/settable-clock.ts';
import { basic, other, run, shop } from '../running-service.ts';

const grant = { grant_type: 'client_credentials' };
const shopJwt = { id: 'shop-jwt', secret: shop.secret };

interface TokenAnswer {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  error?: string;
}

t.test('a client gets a token for its registered scope', async (t) => {
  const service = await run(t, { clock: settableClock() });
  const response = await service.post('/oauth2/token', grant, basic(shop));
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  const answer = (await response.json()) as TokenAnswer;
  t.match(answer.access_token, /^at_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/);
  t.strictSame(
    { ...answer, access_token: '' },
    { access_token: '', token_type: 'Bearer', expires_in: 3600, scope: 'orders.read orders.write' },
  );
});

t.test('T15: the client credentials grant gives no refresh token', async (t) => {
  const service = await run(t);
  const answer = await (await service.post('/oauth2/token', grant, basic(shop))).json();
  t.notOk(Object.keys(answer as object).includes('refresh_token'));
});

t.test('T20: every answer of the token endpoint forbids caching', async (t) => {
  const service = await run(t);
  const answers = [
    service.post('/oauth2/token', grant, basic(shop)),
    service.post('/oauth2/token', grant),
    service.post('/oauth2/token', { grant_type: 'nonsense' }, basic(shop)),
    service.post('/oauth2/token', grant, { 'content-type': 'application/json' }),
    service.post('/oauth2/token', 'x='.padEnd(70_000, 'a')),
    fetch(`${service.url}/oauth2/token`),
  ];
  for (const response of await Promise.all(answers)) {
    t.equal(response.headers.get('cache-control'), 'no-store', `at ${response.status}`);
    t.equal(response.headers.get('pragma'), 'no-cache');
    t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  }
});

const refusals: [
  title: string,
  form: Record<string, string> | [string, string][] | string,
  status: number,
  error: string,
][] = [
  ['no grant_type', { scope: 'orders.read' }, 400, 'invalid_request'],
  ['an empty grant_type is an absent one', { grant_type: '' }, 400, 'invalid_request'],
  ['an unknown grant', { grant_type: 'magic' }, 400, 'unsupported_grant_type'],
  ['a grant named like a member of every object', { grant_type: 'constructor' }, 400, 'unsupported_grant_type'],
  ['a scope beyond the registered one', { ...grant, scope: 'orders.read admin' }, 400, 'invalid_scope'],
  ['a scope that differs in case', { ...grant, scope: 'Orders.read' }, 400, 'invalid_scope'],
  ['a malformed scope', { ...grant, scope: 'orders.read  orders.write' }, 400, 'invalid_scope'],
  ['a scope with a quote', { ...grant, scope: 'orders"read' }, 400, 'invalid_scope'],
  ['an unknown resource', { ...grant, resource: 'https://evil.example.com' }, 400, 'invalid_target'],
  [
    'a resource that is known but for a slash',
    { ...grant, resource: 'https://api.example.com/' },
    400,
    'invalid_target',
  ],
  [
    'T45: a repeated parameter',
    [
      ['grant_type', 'client_credentials'],
      ['scope', 'orders.read'],
      ['scope', 'orders.read'],
    ],
    400,
    'invalid_request',
  ],
  ['T45: a repeated grant_type', 'grant_type=client_credentials&grant_type=client_credentials', 400, 'invalid_request'],
  ['T45: a repeated __proto__', 'grant_type=client_credentials&__proto__=a&__proto__=b', 400, 'invalid_request'],
  [
    'an alias beside its twin with another value',
    { ...grant, client_id: 'shop', app_id: 'other' },
    400,
    'invalid_request',
  ],
  [
    'T22: two authentication methods',
    { ...grant, client_id: shop.id, client_secret: shop.secret },
    400,
    'invalid_request',
  ],
  ['another client_id than the authenticated one', { ...grant, client_id: 'other' }, 400, 'invalid_request'],
  ['broken percent-encoding', 'grant_type=%zz', 400, 'invalid_request'],
  ['percent-encoding that is not UTF-8', 'grant_type=%ff%fe', 400, 'invalid_request'],
];

t.test('each refusal has its error code', async (t) => {
  const service = await run(t);
  for (const [title, form, status, error] of refusals) {
    const response = await service.post('/oauth2/token', form, basic(shop));
    const answer = (await response.json()) as { error: string; error_description: string };
    t.strictSame([response.status, answer.error], [status, error], title);
    t.match(answer.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/, 'in the characters of RFC 6749 §5.2');
  }
});

t.test('a client that lacks the grant gets an error that says so', async (t) => {
  const service = await run(t);
  const gateway = { id: 'gateway', secret: 'cs_gateway-secret-of-32-bytes' };
  const response = await service.post('/oauth2/token', grant, basic(gateway));
  t.strictSame([response.status, ((await response.json()) as TokenAnswer).error], [400, 'unauthorized_client']);
});

t.test('a public client cannot use the client credentials grant, even if it is registered for it', async (t) => {
  const clients = [{ client_id: 'open', scope: 'a', grant_types: ['client_credentials' as const], introspect: false }];
  const service = await run(t, { config: { clients } });
  const response = await service.post('/oauth2/token', { ...grant, client_id: 'open' });
  t.strictSame([response.status, ((await response.json()) as TokenAnswer).error], [400, 'unauthorized_client']);
});

t.test('unknown parameters, empty values and names that every object has change nothing', async (t) => {
  const service = await run(t);
  const form =
    'grant_type=client_credentials&scope=&scope[]=admin&__proto__=x&constructor=y&toString=z&hasOwnProperty=1&foo=bar&&=';
  const response = await service.post('/oauth2/token', form, basic(shop));
  t.equal(response.status, 200);
  t.equal(((await response.json()) as TokenAnswer).scope, 'orders.read orders.write');
});

t.test('app_id and app_secret, in both spellings, mean client_id and client_secret', async (t) => {
  const service = await run(t);
  for (const [id, secret] of [
    ['app_id', 'app_secret'],
    ['appid', 'appsecret'],
    ['client_id', 'client_secret'],
  ] as const) {
    t.equal((await service.post('/oauth2/token', { ...grant, [id]: shop.id, [secret]: shop.secret })).status, 200, id);
  }
  const twice = { ...grant, client_id: shop.id, app_id: shop.id, client_secret: shop.secret, app_secret: shop.secret };
  t.equal((await service.post('/oauth2/token', twice)).status, 200, 'the same value beside its twin is harmless');
});

t.test('without compat.aliases app_id is an unknown parameter', async (t) => {
  const service = await run(t, { config: { compat: { aliases: false, jwt_typ: 'at+jwt' } } });
  t.equal((await service.post('/oauth2/token', { ...grant, app_id: shop.id, app_secret: shop.secret })).status, 401);
});

t.test('T21: a secret in the query is refused, and has no effect there', async (t) => {
  const service = await run(t);
  const queries = [
    'client_secret=x',
    'app_secret=x',
    'appsecret=x',
    'client%5fsecret=x',
    'a=b&token=x',
    'access_token=x',
    'code=x',
    'client_secret',
  ];
  for (const query of queries) {
    const response = await service.post(`/oauth2/token?${query}`, grant, basic(shop));
    t.strictSame([response.status, ((await response.json()) as TokenAnswer).error], [400, 'invalid_request'], query);
  }
  t.equal((await service.post('/oauth2/token?tenant=acme', grant, basic(shop))).status, 200);
  t.equal(
    (await service.post('/oauth2/token?grant_type=client_credentials', {}, basic(shop))).status,
    400,
    'the query is never read',
  );
});

t.test(
  'scope_excess: narrow grants the registered part of a scope, and an empty scope if none of it is registered',
  async (t) => {
    const service = await run(t, { config: { scope_excess: 'narrow' } });
    const narrowed = await service.post('/oauth2/token', { ...grant, scope: 'admin orders.write' }, basic(shop));
    t.equal(((await narrowed.json()) as TokenAnswer).scope, 'orders.write');
    const none = await service.post('/oauth2/token', { ...grant, scope: 'admin' }, basic(shop));
    t.strictSame([none.status, ((await none.json()) as TokenAnswer).error], [400, 'invalid_scope']);
  },
);

t.test('resource may repeat, and becomes the audience; the default is the first resource', async (t) => {
  const service = await run(t);
  const audienceOf = async (form: [string, string][]) => {
    const response = await service.post('/oauth2/token', [['grant_type', 'client_credentials'], ...form], basic(shop));
    return (await service.introspect(((await response.json()) as TokenAnswer).access_token)).aud;
  };
  t.equal(await audienceOf([]), 'https://api.example.com');
  t.equal(await audienceOf([['resource', 'https://other.example.com']]), 'https://other.example.com');
  const both = ['https://other.example.com', 'https://api.example.com'];
  t.strictSame(await audienceOf(both.map((resource) => ['resource', resource])), both);
});

t.test('a JWT has the form of RFC 9068, is valid for jwt_ttl, and verifies with the published keys', async (t) => {
  for (const alg of ['ES256', 'EdDSA', 'RS256'] as const) {
    const service = await run(t, { clock: settableClock(), config: { signing: { alg } } });
    const response = await service.post('/oauth2/token', { ...grant, scope: 'orders.read' }, basic(shopJwt));
    const answer = (await response.json()) as TokenAnswer;
    t.equal(answer.expires_in, 900);
    const { createLocalJWKSet, jwtVerify } = await import('jose');
    const keys = createLocalJWKSet((await (await fetch(`${service.url}/oauth2/jwks`)).json()) as { keys: [] });
    const { payload, protectedHeader } = await jwtVerify(answer.access_token, keys, {
      issuer: 'http://localhost:8081',
      audience: 'https://api.example.com',
      typ: 'at+jwt',
      algorithms: [alg],
      requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
    });
    t.strictSame(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ']);
    t.strictSame([payload.sub, payload.client_id, payload.scope], ['shop-jwt', 'shop-jwt', 'orders.read']);
    t.equal(Number(payload.exp) - Number(payload.iat), 900);
    t.match(payload.jti, /^[A-Za-z0-9_-]{22}$/);
  }
});

t.test('compat.jwt_typ: JWT writes the type of the original specification', async (t) => {
  const service = await run(t, { config: { compat: { aliases: true, jwt_typ: 'JWT' } } });
  const token = await service.token({}, shopJwt);
  t.equal(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).typ, 'JWT');
  t.equal((await service.introspect(token)).active, true);
});

t.test('a wrong method is 405 with Allow, an unknown path 404, both as JSON', async (t) => {
  const service = await run(t);
  const allowed = { token: 'POST, OPTIONS', introspect: 'POST', revoke: 'POST, OPTIONS' };
  for (const method of ['GET', 'PUT', 'DELETE', 'PROPFIND', 'HEAD']) {
    for (const [endpoint, allow] of Object.entries(allowed)) {
      const response = await fetch(`${service.url}/oauth2/${endpoint}`, { method });
      t.strictSame([response.status, response.headers.get('allow')], [405, allow], `${method} ${endpoint}`);
    }
  }
  const jwks = await service.post('/oauth2/jwks', {});
  t.strictSame([jwks.status, jwks.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  const unknown = await service.post('/oauth2/nothing', {});
  t.equal(unknown.status, 404);
  t.match(await unknown.json(), { status: 404, code: 'not_found' });
});

t.test('an issuer may have a path, and the endpoints are below it', async (t) => {
  const service = await run(t, { config: { issuer: 'http://localhost:8081/tenant/a' } });
  t.equal((await service.post('/tenant/a/oauth2/token', grant, basic(other))).status, 200);
  t.equal((await service.post('/oauth2/token', grant, basic(other))).status, 404);
});
