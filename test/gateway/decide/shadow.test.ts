import t from 'tap';
import { outage, refused } from '../../../src/base/verdict.ts';
import { alice, bearer, decider } from './decider.ts';

const file = {
  mode: 'shadow',
  bearer_methods_supported: ['header', 'query', 'body'],
  cors: { origins: ['https://shop.example'] },
  routes: [
    { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
    {
      id: 'moved',
      match: { path: '/moved/{rest*}' },
      scope: 'orders.read',
      rewrite: { strip_prefix: '/moved', add_prefix: '/v1' },
    },
    { id: 'strict', match: { path: '/strict/{rest*}' }, scope: 'orders.read', mode: 'enforce' },
  ],
};

const engine = decider(file);
const get = (target: string, headers: readonly string[] = bearer) => ({ line: `GET ${target}`, headers });

t.test('a request that would pass is forwarded unchanged, with the identity and with its token', async (t) => {
  t.match(await engine.decide(get('/orders/7?access_token=t&a', [])), {
    kind: 'forward',
    shadow: 'pass',
    target: '/orders/7?access_token=t&a',
    identity: alice,
    identityHeaders: ['x-auth-subject', 'alice', 'x-auth-client', 'shop', 'x-auth-scope', 'orders.read'],
    body: 'stream',
    bodyChanged: false,
    answerFields: [],
    privateResponse: false,
    cache: undefined,
  });
});

t.test('a scope that implies the required one would pass', async (t) => {
  const scopes = { 'orders.read': { implies: ['orders.list'] } };
  const implied = decider({ ...file, scopes, routes: [{ match: { path: '/list' }, scope: 'orders.list' }] });
  t.match(await implied.decide(get('/list')), { shadow: 'pass', identityHeaders: { 5: 'orders.read' } });
});

t.test('a request that would be refused is forwarded too, and the would-be result is recorded', async (t) => {
  const outcome = await engine.decide(get('/orders/7', []));
  t.match(outcome, {
    kind: 'forward',
    route: { id: 'orders' },
    shadow: { kind: 'refuse', code: 'credential_missing' },
  });
  t.match(outcome, { identity: undefined, identityHeaders: [] });
  t.match(await engine.decide(get('/none')), { kind: 'forward', target: '/none', shadow: { code: 'route_not_found' } });
});

t.test(
  'a request that servers may read differently is forwarded only if no route to its upstream enforces',
  async (t) => {
    const unclear: Readonly<Record<string, string>> = {
      '/orders/a;b': 'target_path_parameter',
      '/orders/a%2Fb': 'target_encoded_slash',
      '/a/../orders': 'target_dot_segment',
      '/orders//7': 'target_empty_segment',
      '/moved/a%20/x': 'target_ambiguous',
    };
    const routes = [...file.routes.slice(0, 2), { id: 'blank', match: { path: '/moved/a/{rest*}' }, scope: 'x' }];
    const onlyShadow = decider({ ...file, routes });
    const mixed = decider({ ...file, routes: [...routes, ...file.routes.slice(2)] });
    for (const [target, code] of Object.entries(unclear)) {
      t.match(await onlyShadow.decide(get(target)), { kind: 'forward', shadow: { code } }, target);
      t.match(mixed.route(get(target)), { kind: 'refuse', code }, target);
    }
  },
);

t.test('an ambiguous path is forwarded only if none of its readings is enforced', async (t) => {
  const routes = [
    { id: 'wide', match: { path: '/{rest*}' }, scope: 'x' },
    { id: 'narrow', match: { path: '/a:b/{x}' }, scope: 'x' },
    { id: 'cut', match: { path: '/a:b/c' }, scope: 'admin', mode: 'enforce' },
  ];
  t.match(decider({ ...file, routes }).route(get('/a%3Ab/c%3Fd')), { kind: 'refuse', code: 'target_ambiguous' });
});

t.test('the identity of a refused token is known if it was verified, and never in an outage', async (t) => {
  const poor = decider(file, {
    verify: async () => ({ kind: 'verified', identity: { ...alice, scopes: new Set() }, cache: 'hit' }),
  });
  t.match(await poor.decide(get('/orders/7')), {
    identity: { subject: 'alice' },
    identityHeaders: ['x-auth-subject', 'alice', 'x-auth-client', 'shop', 'x-auth-scope', ''],
    shadow: { code: 'scope_insufficient' },
  });
  const expired = decider(file, { verify: () => refused('token_expired') });
  t.match(await expired.decide(get('/orders/7')), { identity: undefined, shadow: { code: 'token_expired' } });
  const out = decider(file, { verify: () => outage('authorization_servers.main', 3) });
  t.match(await out.decide(get('/orders/7')), {
    kind: 'forward',
    identity: undefined,
    identityHeaders: [],
    shadow: { kind: 'unavailable', code: 'authorization_server_unavailable' },
  });
});

t.test('a claim that cannot be in a header is left out, and the request is forwarded', async (t) => {
  const odd = decider(file, {
    verify: () => ({ kind: 'verified', identity: { ...alice, subject: 'a\nb' }, cache: 'hit' }),
  });
  const outcome = await odd.decide(get('/orders/7'));
  t.match(outcome, { kind: 'forward', shadow: { code: 'identity_unrepresentable' } });
  t.strictSame((outcome as { identityHeaders?: unknown }).identityHeaders, []);
});

t.test('a body that was read is forwarded whole, with its token', async (t) => {
  const body = 'a=1&access_token=t';
  const headers = ['Content-Type', 'application/x-www-form-urlencoded', 'Content-Length', String(body.length)];
  const outcome = await engine.decide({ line: 'POST /orders/7', headers, body });
  t.match(outcome, { shadow: 'pass', body: Buffer.from(body), bodyChanged: false });
});

t.test(
  "a rewrite belongs to the upstream's address, so it applies; otherwise the received bytes are forwarded",
  async (t) => {
    t.match(await engine.decide(get('/moved/7?a')), { target: '/v1/7?a', shadow: 'pass' });
    t.match(await engine.decide(get('/%6frders/7?a')), { target: '/%6frders/7?a', shadow: 'pass' });
    t.match(await engine.decide(get('http://api.example.com/orders/7?a')), { target: '/orders/7?a', shadow: 'pass' });
  },
);

t.test('one route may enforce in a file in shadow mode', async (t) => {
  t.match(await engine.decide(get('/strict/7', [])), { kind: 'refuse', code: 'credential_missing' });
  t.match(await engine.decide(get('/strict/7')), { kind: 'forward', shadow: undefined });
});

t.test('if no route to the upstream enforces, only the file limits the time of an answer', async (t) => {
  const limits = (changes: object, target: string) => {
    const routed = decider({ ...file, ...changes }).route(get(target));
    return 'route' in routed ? routed.route?.limits : undefined;
  };
  const routes = file.routes.slice(0, 2);
  const none = { response: Number.POSITIVE_INFINITY, idle: Number.POSITIVE_INFINITY };
  t.match(limits({ routes }, '/orders/7'), none);
  t.match(limits({ routes }, '/none'), none);
  t.match(limits({}, '/orders/7'), { response: 30_000, idle: 60_000 }, 'another route to it enforces');
  t.match(limits({ routes, mode: 'enforce' }, '/orders/7'), { response: 30_000, idle: 60_000 });
  const upstreams = { api: { url: 'http://127.0.0.1:9', timeout: { response: '5s', idle: '6s' } } };
  t.match(limits({ routes, upstreams }, '/orders/7'), { response: 5_000, idle: 6_000 });
  const [route] = routes;
  const named = [{ ...route, timeout: { response: '7s' } }];
  t.match(limits({ routes: named }, '/orders/7'), { response: 7_000, idle: Number.POSITIVE_INFINITY });
});

t.test('a TRACE, a preflight and a request for `*` are forwarded if no route to the upstream enforces', async (t) => {
  const routes = file.routes.slice(0, 2);
  const upstreams = { api: { url: 'http://127.0.0.1:9', engine: 'own' } };
  const onlyShadow = decider({ ...file, routes, upstreams });
  const mixed = decider({ ...file, upstreams });
  const page = ['Origin', 'https://shop.example', 'Access-Control-Request-Method', 'PUT'];
  const passing = { kind: 'forward', identityHeaders: [] };
  const trace = { line: 'TRACE /orders/7', headers: bearer };
  t.match(await onlyShadow.decide(trace), { ...passing, shadow: { code: 'method_not_allowed' } });
  t.match(mixed.route(trace), { kind: 'refuse', code: 'method_not_allowed' });
  const preflight = { line: 'OPTIONS /orders/7', headers: page };
  t.match(await onlyShadow.decide(preflight), { ...passing, shadow: 'pass' });
  t.match(mixed.route(preflight), { kind: 'reply', status: 204 });
  t.match(await onlyShadow.decide({ line: 'OPTIONS *' }), { ...passing, shadow: { code: 'route_not_found' } });
  t.match(mixed.route({ line: 'OPTIONS *' }), { kind: 'refuse', code: 'route_not_found' });
  t.match(onlyShadow.route({ line: 'CONNECT api.example.com:443' }), { kind: 'refuse' });
});

t.test('a token for another API gives no identity, however its route limits requests', async (t) => {
  const foreign = { ...alice, audience: ['https://other.example'] };
  const verify = () => ({ kind: 'verified', identity: foreign, cache: 'hit' }) as const;
  const limit = { by: 'sub', requests: 1, per: '1h' };
  const routes = [{ id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read', rate_limit: limit }];
  let counted = 0;
  const take = () => ++counted;
  const shadow = { kind: 'forward', shadow: { code: 'token_audience' }, identity: undefined, identityHeaders: [] };
  t.match(await decider({ ...file, routes }, { verify, take }).decide(get('/orders/7')), shadow);
  const enforced = decider({ ...file, routes, mode: 'enforce' }, { verify, take });
  t.match(await enforced.decide(get('/orders/7')), { kind: 'refuse', code: 'token_audience' });
  t.equal(counted, 0, 'it takes nothing of what its user may ask');
});

t.test(
  'upstreams with the same address count as one: a second block in shadow mode is enforced like the first',
  async (t) => {
    const upstreams = {
      api: { url: 'http://127.0.0.1:9' },
      slow: { urls: ['http://127.0.0.1:8', 'http://127.0.0.1:9/'] },
    };
    const routes = [
      { id: 'strict', match: { path: '/strict/{rest*}' }, scope: 'orders.read', mode: 'enforce' },
      { id: 'slow', match: { path: '/slow/{rest*}' }, scope: 'orders.read', upstream: 'slow' },
    ];
    const mixed = decider({ ...file, upstreams, routes });
    t.match(mixed.route(get('/slow/a;b')), { kind: 'refuse', code: 'target_path_parameter' });
    const apart = { ...upstreams, slow: { url: 'http://127.0.0.1:8' } };
    t.match(await decider({ ...file, upstreams: apart, routes }).decide(get('/slow/a;b')), { kind: 'forward' });
  },
);

t.test('a target with another host is refused whatever its path, and is forwarded in origin form', async (t) => {
  const shadow = decider({ ...file, routes: file.routes.slice(0, 2) });
  for (const path of ['/a/%2e%2e/b', '//a', '/orders/7', '/a b'])
    t.match(shadow.route(get(`http://admin.internal${path}`)), { kind: 'refuse' }, path);
  t.match(shadow.route(get('ftp://api.example.com/a')), { kind: 'refuse', code: 'target_malformed' });
  t.match(shadow.route(get('http://admin.internal//a')), { code: 'target_other_host' });
  for (const path of ['/a/%2e%2e/b', '//a', '/orders/7?x', '/none'])
    t.match(await shadow.decide(get(`http://api.example.com${path}`)), { kind: 'forward', target: path }, path);
});

t.test('a header that any route to an upstream sets is removed from clients on its other routes', async (t) => {
  const routes = [
    {
      id: 'p',
      match: { path: '/p/{x}' },
      access: 'public',
      identity_headers: { prefix: 'X-P-', set: { 'X-Partner': 'sub' } },
    },
    { id: 'q', match: { path: '/q/{x}' }, access: 'public' },
  ];
  for (const mode of ['shadow', 'enforce'])
    for (const path of ['/p/1', '/q/1']) {
      const routed = decider({ ...file, routes, mode }).route(get(path));
      const spoofs = 'route' in routed ? routed.route?.identityHeaders.spoofs : undefined;
      for (const name of ['x-partner', 'x_partner', 'x-auth-subject'])
        t.equal(spoofs?.(name), true, `${mode} ${path} ${name}`);
      t.equal(spoofs?.('x-p-other'), mode === 'enforce');
    }
});
