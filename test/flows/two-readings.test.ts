import t from 'tap';
import { bench } from '../advisories/bench.ts';
import { bearer } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';

const bearerOf = async (claims: object) => [bearer(await jwt({ ...claims }, { alg: 'HS256' }))];

const siblings = [
  { id: 'wide', match: { path: '/v1/{rest*}' }, access: 'public' },
  { id: 'purge', match: { path: '/v1/users:purge' }, scope: 'admin' },
  { id: 'at', match: { path: '/v1/@admin/{rest*}' }, scope: 'admin' },
  { id: 'odata', match: { path: "/v1/items('a')" }, scope: 'admin' },
  { id: 'question', match: { path: '/v1/q/{text}' }, access: 'public' },
];

t.test('a path that matches another route after decoding is 400 and reaches no upstream', async (t) => {
  const { send, upstream } = await bench(t, { routes: siblings });
  for (const target of [
    '/v1/users%3Apurge',
    '/v1/users%3apurge?a=b',
    '/v1/%40admin/x',
    '/v1/items%28%27a%27%29',
    '/v1/items(%27a%27)',
    '/v1/@admin%20/x',
    '/v1/@admin%2520',
    '/v1/users:purge%3Fx',
    '/v1/users:purge%20',
  ]) {
    const { status, body } = await send({ target });
    t.equal(status, 400, target);
    if (!target.includes('%25')) t.match(JSON.parse(String(body)), { code: 'target_ambiguous' }, target);
  }
  t.equal(upstream.seen.length, 0);
});

t.test('a path that matches one route in both readings arrives byte-equal', async (t) => {
  const { send, upstream } = await bench(t, { routes: siblings });
  for (const target of ['/v1/a%40b.example', '/v1/Items(%27b%27)', '/v1/q/what%3F', '/v1/2026-11-22T10%3A00%3A00Z']) {
    t.equal((await send({ target })).status, 200, target);
    t.equal(upstream.seen.pop()?.target, target);
  }
});

t.test('a captured value that a server may read in two ways equals no claim', async (t) => {
  const routes = [
    { match: { path: '/tenants/{id}' }, access: 'authenticated', claims: { tenant: { equals: 'path.id' } } },
    {
      match: { path: '/kept/{id}' },
      encoded_slashes: 'keep',
      access: 'authenticated',
      claims: { tenant: { equals: 'path.id' } },
    },
    { match: { path: '/when/{id}' }, access: 'authenticated', when: 'request.params.id == identity.claims.tenant' },
    {
      match: { path: '/path/{id}' },
      access: 'authenticated',
      when: 'request.path == "/path/" + identity.claims.tenant',
    },
  ];
  const { send } = await bench(t, { routes });
  const status = async (target: string, tenant: string) =>
    (await send({ target, headers: await bearerOf({ tenant }) })).status;
  for (const place of ['tenants', 'when', 'path']) {
    t.equal(await status(`/${place}/a%40b`, 'a@b'), 200, place);
    for (const tenant of ['acme', 'acme?x', 'acme%3Fx'])
      t.equal(await status(`/${place}/acme%3Fx`, tenant), 403, tenant);
    for (const tenant of ['acme', 'acme '])
      t.equal(await status(`/${place}/acme%20`, tenant), 403, JSON.stringify(tenant));
  }
  for (const tenant of ['a/b', 'a%2Fb']) t.equal(await status('/kept/a%2Fb', tenant), 403, tenant);
});

t.test('in shadow mode an ambiguous path is forwarded and recorded, unless one of its routes enforces', async (t) => {
  const inShadow = siblings.map((route) => ({ ...route, mode: 'shadow' }));
  const shadow = await bench(t, { routes: inShadow });
  t.equal((await shadow.send({ target: '/v1/users%3Apurge' })).status, 200);
  t.equal(shadow.upstream.seen[0]?.target, '/v1/users%3Apurge');
  t.ok(shadow.log.some((line) => JSON.stringify(line).includes('target_ambiguous')));
  const [wide, ...others] = inShadow;
  const mixed = await bench(t, { routes: [wide, ...others.map((route) => ({ ...route, mode: 'enforce' }))] });
  t.equal((await mixed.send({ target: '/v1/users%3Apurge' })).status, 400);
  t.equal(mixed.upstream.seen.length, 0);
});

t.test('a preflight is no bypass: an ambiguous path is 400 there too', async (t) => {
  const routes = siblings.map((route) => ({ ...route, cors: 'upstream' }));
  const { send, upstream } = await bench(t, { routes });
  const headers = [
    ['Origin', 'https://app.example.com'],
    ['Access-Control-Request-Method', 'POST'],
  ] as const;
  t.equal((await send({ method: 'OPTIONS', target: '/v1/users%3Apurge', headers })).status, 400);
  t.equal(upstream.seen.length, 0);
});

t.test('with case-insensitive paths, another case of a letter beyond ASCII is the same path', async (t) => {
  const routes = [
    { match: { path: '/ci/caf%C3%A9/{rest*}' }, scope: 'admin' },
    { match: { path: '/{rest*}' }, access: 'public' },
  ];
  const { url } = (await bench(t)).upstream;
  const { send, upstream } = await bench(t, { routes, upstreams: { api: { url, case_sensitive: false } } });
  for (const target of ['/ci/caf%C3%A9/x', '/ci/CAF%C3%89/x', '/CI/Caf%c3%89/x'])
    t.equal((await send({ target })).status, 401, target);
  t.equal(upstream.seen.length, 0);
});

t.test('a character in a path or a value does not bypass a condition on the query', async (t) => {
  const routes = [
    { match: { path: '/i/{id}', query: { op: 'read' } }, access: 'public' },
    { match: { path: '/i/{id}' }, scope: 'admin' },
    { match: { path: '/q', query: { op: 'del' } }, scope: 'admin' },
    { match: { path: '/q' }, access: 'public' },
    { match: { path: '/w/{id}' }, access: 'authenticated', when: 'request.query.op != "delete"' },
    { match: { path: '/v/{id}' }, access: 'authenticated', when: 'request.query.dry == "1"' },
  ];
  const { send, upstream } = await bench(t, { routes });
  const headers = await bearerOf({});
  for (const target of [
    '/i/1%3Fop=delete&?op=read',
    '/i/1%23?op=read',
    '/i/1%3F?op=read',
    '/i/1?x=%23&op=read',
    '/i/1?op=read&x=%26op=delete',
    '/q?x=1%26op=del',
  ])
    t.equal((await send({ target })).status, 400, target);
  for (const target of ['/w/1%3Fop=delete?op=x', '/w/1?op=x&x=1%26op=delete', '/v/1%23?dry=1'])
    t.equal((await send({ target, headers })).status, 400, target);
  t.equal(upstream.seen.length, 0);
  t.equal((await send({ target: '/i/1?name=AT%26T&op=read' })).status, 200);
});

t.test('a route in shadow mode opens no enforced route of its upstream', async (t) => {
  const routes = [
    { match: { path: '/{rest*}' }, mode: 'shadow', scope: 'x' },
    { match: { path: '/admin/{rest*}' }, scope: 'admin' },
    { match: { path: '/pay', headers: { 'X-Sandbox': '1' } }, mode: 'shadow', scope: 'x' },
    { match: { path: '/pay' }, scope: 'admin' },
  ];
  const { send, upstream } = await bench(t, { routes });
  for (const target of ['/admin%2Fx', '/admin;v=1/x', '/admin%3Bv=1/x', '/x/../admin/s', '//admin/s', '/admin%20/x'])
    t.equal((await send({ target })).status, 400, target);
  const headers = [
    ['X-Sandbox', '1'],
    ['Connection', 'close, x-sandbox'],
  ] as const;
  t.equal((await send({ target: '/pay', headers })).status, 400);
  t.equal(upstream.seen.length, 0);
  t.equal((await send({ target: '/else' })).status, 200);
});
