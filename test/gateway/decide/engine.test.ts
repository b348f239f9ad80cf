import t from 'tap';
import { type Decider, decider, type Request } from './decider.ts';

const path = (path: string) => ({ path: `${path}/{rest*}` });

const file = {
  resource: 'https://api.example.com/v1',
  cors: { origins: ['https://shop.example'], max_age: '90s' },
  limits: { body: '1000B', form_body: '100B' },
  routes: [
    { id: 'read', match: { methods: ['GET'], path: '/orders/{id}' }, scope: 'orders.read' },
    { id: 'write', match: { methods: ['POST'], path: '/orders/{id}' }, scope: 'orders.write' },
    { id: 'open', match: path('/open'), access: 'public' },
    { id: 'form', match: path('/form'), scope: 'a', bearer_methods_supported: ['header', 'body'] },
    { id: 'keep', match: path('/keep'), scope: 'a', encoded_slashes: 'keep', path_parameters: 'keep' },
    { id: 'own-cors', match: path('/own-cors'), scope: 'a', cors: 'upstream' },
    { id: 'small', match: path('/small'), scope: 'a', limits: { body: '10B' } },
    { id: 'v2', match: { path: '/beta', headers: { 'x-version': '2' } }, scope: 'a' },
  ],
};

/** In one word: the route, the code, or the status of a reply. */
function told(engine: Decider, request: Request | string): string {
  const routed = engine.route(request);
  if (routed.kind === 'reply') return String(routed.status);
  return routed.kind === 'routed' ? routed.route.id : routed.code;
}

const engine = decider(file);
const host = (value: string) => ['Host', value];

t.test('a request goes to the route of its path and method, or gets an error that says what is wrong', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    'GET /orders/7': 'read',
    'POST /orders/7': 'write',
    'DELETE /orders/7': 'method_not_allowed',
    'GET /none': 'route_not_found',
    'GET /orders/7#x': 'target_fragment',
    'GET /a/../orders/7': 'target_dot_segment',
    'CONNECT /orders/7': 'method_not_allowed',
    'TRACE /open/1': 'method_not_allowed',
    'OPTIONS *': 'route_not_found',
    'OPTIONS /open/1': 'open',
    'GET http://api.example.com/orders/7': 'read',
    'GET http://API.example.com/orders/7': 'read',
    'GET http://other.example.com/orders/7': 'target_other_host',
    'GET /keep/a%2fb;c=d': 'keep',
    'GET /form/a%2fb': 'target_encoded_slash',
    'GET /form/a;b': 'target_path_parameter',
  };
  for (const [line, expected] of Object.entries(cases)) t.equal(told(engine, line), expected, line);
  t.match(engine.route('DELETE /orders/7'), { allow: ['GET', 'POST'] });
  t.strictSame((engine.route('TRACE /open/1') as { allow?: unknown }).allow, []);
  t.match(engine.route('GET /beta'), {
    code: 'route_not_found',
    detail: 'host and path match, but not the conditions: v2 (no header x-version)',
  });
  t.equal((engine.route('GET /none') as { detail?: unknown }).detail, undefined);
  t.match(engine.route('GET /form/a;b'), { route: { id: 'form' } });
  t.match(engine.route('GET /form/a%2Fb'), { route: { id: 'form' } });
  t.match(engine.route({ line: 'GET /beta', headers: ['X-Version', '2', 'X-Version', '2'] }), {
    code: 'match_repeated',
    route: { id: 'v2' },
  });
  t.match(engine.route('GET /orders/7'), { host: 'api.example.com', preflight: false, wouldRefuse: undefined });
});

t.test("there is one Host, which is a server's name, and an absolute target has the same name", async (t) => {
  const bad = [[], ['Host', 'a', 'Host', 'a'], host('a b'), host('a:65536'), host('a/b'), host('')];
  for (const [index, headers] of bad.entries()) {
    const raw = headers.length === 0 ? host('') : headers;
    t.equal(told(engine, { line: 'GET /open/1', headers: raw }), 'host_invalid', `${index} ${raw}`);
  }
  for (const name of ['a', 'a:65535', 'A.', '[::1]:80']) {
    t.equal(told(engine, { line: 'GET /open/1', headers: host(name) }), 'open', name);
    t.equal(told(engine, { line: 'GET /open/1', headers: host(name) }), 'open', `${name} again`);
  }
  t.match(engine.route({ line: 'GET /open/1', headers: host('API.example.com.:80') }), { host: 'api.example.com' });
});

t.test('ambiguous framing is refused before anything else (RFC 9112 §6)', async (t) => {
  const length = ['Content-Length', '3'];
  const chunked = ['Transfer-Encoding', 'chunked'];
  const cases: readonly [headers: readonly string[], version: '1.0' | '1.1', expected: string][] = [
    [length, '1.1', 'open'],
    [length, '1.0', 'open'],
    [chunked, '1.1', 'open'],
    [['Transfer-Encoding', 'CHUNKED'], '1.1', 'open'],
    [[...length, ...length], '1.1', 'message_malformed'],
    [[...length, ...chunked], '1.1', 'message_malformed'],
    [chunked, '1.0', 'message_malformed'],
    [['Transfer-Encoding', 'gzip, chunked'], '1.1', 'transfer_encoding_invalid'],
    [['Transfer-Encoding', 'identity'], '1.1', 'transfer_encoding_invalid'],
    [[...chunked, ...chunked], '1.1', 'transfer_encoding_invalid'],
  ];
  for (const [headers, version, expected] of cases)
    t.equal(told(engine, { line: 'POST /open/1', headers, version }), expected, `${version} ${headers}`);
});

t.test(
  'an OPTIONS that may not be forwarded is answered here (RFC 9110 §7.6.2); other methods are forwarded',
  async (t) => {
    const last = ['Max-Forwards', '0'];
    const answered = engine.route({ line: 'OPTIONS /orders/7', headers: last });
    t.strictSame(answered, { kind: 'reply', route: undefined, status: 204, headers: [], body: '', reason: undefined });
    t.equal(told(engine, { line: 'OPTIONS /open/1', headers: ['Max-Forwards', '1'] }), 'open');
    t.equal(engine.route({ line: 'OPTIONS /open/1', headers: ['Max-Forwards', '00'] }).kind, 'reply');
    t.equal(told(engine, { line: 'GET /orders/7', headers: last }), 'read');
  },
);

t.test('the document of a protected resource is at its address, and nowhere else (RFC 9728 §3)', async (t) => {
  const place = '/.well-known/oauth-protected-resource/v1';
  for (const method of ['GET', 'HEAD']) {
    const reply = engine.route(`${method} ${place}`);
    if (reply.kind !== 'reply') return t.fail(method);
    t.equal(reply.status, 200);
    const { resource, scopes_supported, authorization_servers } = JSON.parse(reply.body);
    t.equal(resource, 'https://api.example.com/v1');
    t.strictSame(authorization_servers, ['https://auth.example.com']);
    t.strictSame(scopes_supported, ['orders.read', 'orders.write', 'a']);
    t.strictSame(reply.headers, [
      'content-type',
      'application/json',
      'cache-control',
      'public, max-age=300',
      'content-length',
      String(Buffer.byteLength(reply.body)),
    ]);
  }
  for (const line of [`POST ${place}`, `GET ${place}/x`, 'GET /.well-known/oauth-protected-resource'])
    t.equal(told(engine, line), 'route_not_found', line);
  t.equal(told(engine, { line: `GET ${place}`, headers: host('other.example') }), 'route_not_found');
});

const preflight = (method: string, origin = 'https://shop.example') => [
  'Origin',
  origin,
  'Access-Control-Request-Method',
  method,
];

t.test('a preflight is answered from the routes of its path; the whole origin is compared', async (t) => {
  const reply = engine.route({ line: 'OPTIONS /orders/7', headers: preflight('DELETE', 'https://SHOP.example') });
  t.match(reply, { kind: 'reply', status: 204, body: '' });
  t.strictSame((reply as { headers?: unknown }).headers, [
    'access-control-allow-methods',
    'GET, POST',
    'access-control-allow-headers',
    'Authorization, Content-Type',
    'access-control-max-age',
    '90',
  ]);
  const stranger = engine.route({ line: 'OPTIONS /orders/7', headers: preflight('GET', 'https://shop.example.evil') });
  const reason = 'the origin https://shop.example.evil is not in `cors.origins`';
  t.strictSame(stranger, { kind: 'reply', route: undefined, status: 204, headers: [], body: '', reason });
  const any = engine.route({ line: 'OPTIONS /form/1', headers: preflight('GET') });
  t.match(any, { headers: ['access-control-allow-methods', 'DELETE, GET, HEAD, PATCH, POST, PUT'] });
  const closed = decider({ routes: file.routes }).route({ line: 'OPTIONS /form/1', headers: preflight('GET') });
  t.strictSame(closed, {
    kind: 'reply',
    route: undefined,
    status: 204,
    headers: [],
    body: '',
    reason: 'the file has no `cors`, so pages of other origins may not call the API',
  });
  t.equal(told(engine, { line: 'OPTIONS /none', headers: preflight('GET') }), 'route_not_found');
  t.equal(told(engine, { line: 'GET /orders/7', headers: preflight('GET') }), 'read', 'another method is no preflight');
  t.equal(told(engine, { line: 'OPTIONS /form/1', headers: preflight('GET').slice(0, 2) }), 'form');
  t.equal(told(engine, { line: 'OPTIONS /form/1', headers: preflight('GET').slice(2) }), 'form');
});

t.test('a preflight of a route whose upstream handles CORS goes there, without a credential', async (t) => {
  const request = { line: 'OPTIONS /own-cors/1?access_token=t', headers: preflight('GET') };
  t.match(engine.route(request), { kind: 'routed', route: { id: 'own-cors' }, preflight: true });
  t.match(engine.decide(request), { kind: 'forward', identity: undefined, target: '/own-cors/1?access_token=t' });
  t.equal(told(engine, { ...request, line: 'OPTIONS /own-cors/a;b' }), 'target_path_parameter');
  const long = ['Content-Length', '4000', 'Content-Type', 'application/x-www-form-urlencoded'];
  t.equal(told(engine, { ...request, headers: [...request.headers, ...long] }), 'body_too_large');
  const both = decider({
    ...file,
    routes: [{ ...file.routes[3], cors: 'upstream' }],
  });
  const form = ['Content-Length', '9', 'Content-Type', 'application/x-www-form-urlencoded'];
  t.equal(both.needs({ line: 'OPTIONS /form/1', headers: [...preflight('GET'), ...form] }), undefined);
});

const formOf = (length: number) => ['Content-Type', 'application/x-www-form-urlencoded', 'Content-Length', `${length}`];

t.test('a form is read if the route accepts a token from it, up to its limit', async (t) => {
  const wanted = { kind: 'form', limit: 100, tooLarge: 'form_too_large' };
  t.strictSame(engine.needs({ line: 'POST /form/1', headers: formOf(100) }), wanted);
  t.equal(engine.needs({ line: 'POST /form/1', headers: formOf(0) }), undefined);
  t.equal(engine.needs({ line: 'POST /form/1' }), undefined);
  t.equal(engine.needs({ line: 'POST /open/1', headers: formOf(9) }), undefined, 'a public route reads nothing');
  t.equal(engine.needs({ line: 'POST /small/1', headers: formOf(9) }), undefined, 'the header only');
  t.equal(told(engine, { line: 'POST /form/1', headers: formOf(101) }), 'form_too_large');
  t.equal(told(engine, { line: 'POST /form/1', headers: formOf(1001) }), 'body_too_large');
});

t.test('a body may be exactly as long as its route allows', async (t) => {
  const sized = (line: string, length: number) => told(engine, { line, headers: ['Content-Length', String(length)] });
  t.strictSame([sized('POST /form/1', 1000), sized('POST /form/1', 1001)], ['form', 'body_too_large']);
  t.strictSame([sized('POST /small/1', 10), sized('POST /small/1', 11)], ['small', 'body_too_large']);
  t.match(engine.route({ line: 'POST /small/1', headers: ['Content-Length', '11'] }), { route: { id: 'small' } });
});

t.test('a body whose hash is in the credentials is read whole', async (t) => {
  const basic = { name: 'basic' as const, challenges: () => [] };
  const hashing = decider(file, {
    schemes: () => [
      { ...basic, wantsEntity: () => undefined, verify: () => ({ kind: 'throttled', retryAfter: 1 }) },
      { ...basic, name: 'digest', wantsEntity: () => 50, verify: () => ({ kind: 'throttled', retryAfter: 1 }) },
    ],
  });
  const length = (bytes: number, credentials = ['Authorization', 'Digest a']) => ({
    line: 'POST /keep/1',
    headers: [...credentials, 'Content-Length', String(bytes)],
  });
  t.strictSame(hashing.needs(length(50)), { kind: 'hashed', limit: 50, tooLarge: 'integrity_too_large' });
  t.equal(told(hashing, length(51)), 'integrity_too_large');
  t.equal(hashing.needs(length(50, [])), undefined, 'there are no credentials');
  t.equal(hashing.needs({ line: 'POST /keep/1' }), undefined, 'there is no body');
  t.equal(hashing.needs({ line: 'POST /open/1', headers: ['Content-Length', '9'] }), undefined);
});

t.test(
  'in shadow mode a would-be refusal is routed and recorded, and no body is read that enforcement would hold back',
  async (t) => {
    const shadow = decider({ ...file, mode: 'shadow' });
    const would = (request: Request | string) => {
      const routed = shadow.route(request);
      return routed.kind === 'routed' ? [routed.route.id, routed.wouldRefuse?.code, routed.target.path] : routed.kind;
    };
    t.strictSame(would('GET /form/a;b'), ['form', 'target_path_parameter', '/form/a;b']);
    t.strictSame(would('GET /a/../b?c'), ['', 'target_dot_segment', '/a/../b?c']);
    t.strictSame(would('GET /none'), ['', 'route_not_found', '/none']);
    t.strictSame(would('DELETE /orders/7'), ['', 'method_not_allowed', '/orders/7']);
    t.strictSame(would({ line: 'GET /beta', headers: ['X-Version', '2', 'X-Version', '2'] }), [
      '',
      'match_repeated',
      '/beta',
    ]);
    t.match(shadow.route('GET /a/../b?c'), { host: 'api.example.com', preflight: false, target: { query: '' } });
    t.match(shadow.route('GET /a/../b?c'), {
      target: { kind: 'target', key: '/a/../b?c', encodedSlash: false, parameter: false, authority: undefined },
    });
    t.match(shadow.decide('GET /a/../b?c'), { kind: 'forward', target: '/a/../b?c', route: { id: '' } });
    t.strictSame(shadow.needs({ line: 'POST /form/1', headers: formOf(100) }), {
      kind: 'form',
      limit: 100,
      tooLarge: 'form_too_large',
    });
    t.equal(shadow.needs({ line: 'POST /form/1', headers: formOf(101) }), undefined, 'too long to be read');
    const chunked = ['Transfer-Encoding', 'chunked', 'Content-Type', 'application/x-www-form-urlencoded'];
    t.equal(shadow.needs({ line: 'POST /form/1', headers: chunked }), undefined, 'of no known length');
    t.match(engine.needs({ line: 'POST /form/1', headers: chunked }), { limit: 100 }, 'which enforcing reads');
    t.equal(told(shadow, 'CONNECT /orders/7'), 'method_not_allowed', 'a tunnel is never opened');
  },
);

/** The route, if any, and why it would be refused; or the refusal. */
function would(engine: Decider, request: Request | string): readonly (string | undefined)[] {
  const routed = engine.route(request);
  if (routed.kind === 'refuse') return ['refused', routed.code];
  return routed.kind === 'routed' ? [routed.route.id, routed.wouldRefuse?.code] : [String(routed.status)];
}

const wholeShadow = decider({ ...file, mode: 'shadow' });
const enforcedBeside = decider({
  ...file,
  mode: 'shadow',
  routes: [...file.routes, { id: 'strict', match: path('/strict'), scope: 'a', mode: 'enforce' }],
});

t.test('TRACE is forwarded only if every route of its upstream is in shadow mode', async (t) => {
  t.strictSame(would(wholeShadow, 'TRACE /open/1'), ['open', 'method_not_allowed']);
  t.strictSame(would(wholeShadow, 'TRACE /none'), ['', 'method_not_allowed']);
  t.match(wholeShadow.route('TRACE /open/1'), { wouldRefuse: { allow: [] } });
  t.strictSame(would(enforcedBeside, 'TRACE /open/1'), ['refused', 'method_not_allowed']);
  for (const line of ['TRACE /none', 'TRACE //a', 'TRACE *'])
    t.strictSame(would(engine, line), ['refused', 'method_not_allowed'], line);
  t.strictSame(would(wholeShadow, { line: 'TRACE /open/1', headers: ['Max-Forwards', '0'] }), [
    'refused',
    'method_not_allowed',
  ]);
  t.strictSame((engine.route('CONNECT /open/1') as { allow?: unknown }).allow, []);
  const apart = decider({
    ...file,
    mode: 'shadow',
    upstreams: { api: { url: 'http://127.0.0.1:9' }, other: { url: 'http://127.0.0.1:8' } },
    routes: [...file.routes, { id: 'strict', match: path('/strict'), scope: 'a', mode: 'enforce', upstream: 'other' }],
  });
  t.strictSame(would(apart, 'TRACE /open/1'), ['open', 'method_not_allowed']);
  t.strictSame(would(apart, 'TRACE /strict/1'), ['refused', 'method_not_allowed']);
  const watched = [{ id: 'watched', match: path('/watched'), scope: 'a', mode: 'shadow' }];
  t.strictSame(would(decider({ routes: watched }), 'TRACE /none'), ['refused', 'method_not_allowed']);
});

t.test('a path with several readings is forwarded only if each of them leads to shadow mode', async (t) => {
  const upstreams = { api: { url: 'http://127.0.0.1:9' }, other: { url: 'http://127.0.0.1:8' } };
  const watched = { mode: 'shadow', upstream: 'other', scope: 'x' };
  const wide = { ...watched, id: 'wide', match: { path: '/{rest*}' } };
  const narrow = { ...watched, id: 'narrow', match: { path: '/a:b/{x}' } };
  const posted = { ...watched, id: 'posted', match: { path: '/a:b/c', methods: ['POST'] } };
  const strict = { id: 'strict', match: { path: '/a:b/c' }, scope: 'x', mode: 'enforce' };
  const plain = { id: 'plain', match: { path: '/plain' }, scope: 'x' };
  const passes: Readonly<Record<string, readonly [file: object, target: string, route: string]>> = {
    'no route, in a file in shadow mode': [{ mode: 'shadow', routes: [narrow, plain] }, '/a%3Ab/c', 'narrow'],
    'a route for other methods': [{ mode: 'shadow', routes: [wide, posted, plain] }, '/a%3Ab/c', 'wide'],
  };
  for (const [what, [more, target, id]] of Object.entries(passes)) {
    const { route } = decider({ ...more, upstreams });
    t.match(route(`GET ${target}`), { route: { id }, wouldRefuse: { code: 'target_ambiguous', route: { id } } }, what);
  }
  const refuses: Readonly<Record<string, readonly [file: object, target: string]>> = {
    'no route, in a file that enforces': [{ routes: [narrow, plain] }, '/a%3Ab/c'],
    'no route, beside an enforced one of the default upstream': [
      { mode: 'shadow', routes: [narrow, { ...plain, mode: 'enforce' }] },
      '/a%3Ab/c',
    ],
    'an enforced route': [{ mode: 'shadow', routes: [wide, narrow, strict] }, '/a%3Ab/c%3Fd'],
    'an enforced route of another upstream than the default': [
      {
        mode: 'shadow',
        routes: [...[wide, narrow].map((one) => ({ ...one, upstream: 'api' })), { ...strict, upstream: 'other' }],
      },
      '/a%3Ab/c%3Fd',
    ],
  };
  for (const [what, [more, target]] of Object.entries(refuses))
    t.match(decider({ ...more, upstreams }).route(`GET ${target}`), { kind: 'refuse', code: 'target_ambiguous' }, what);
});

t.test('OPTIONS * is about the server, so it has no route: shadow mode forwards it unchanged', async (t) => {
  t.strictSame(would(wholeShadow, 'OPTIONS *'), ['', 'route_not_found']);
  t.match(await wholeShadow.decide('OPTIONS *'), { kind: 'forward', target: '*', shadow: { code: 'route_not_found' } });
  t.strictSame(would(enforcedBeside, 'OPTIONS *'), ['refused', 'route_not_found']);
  t.match(wholeShadow.route('GET *'), { wouldRefuse: undefined, kind: 'refuse', code: 'target_malformed' });
});

t.test(
  'in shadow mode a request without a route goes to the default upstream, unless an enforced route may apply',
  async (t) => {
    t.strictSame(would(enforcedBeside, 'GET /none'), ['', 'route_not_found']);
    t.strictSame(would(enforcedBeside, 'DELETE /orders/7'), ['', 'method_not_allowed']);
    const repeated = { line: 'GET /beta', headers: ['X-Version', '2', 'X-Version', '2'] };
    t.strictSame(would(enforcedBeside, repeated), ['refused', 'match_repeated']);
    t.strictSame(would(enforcedBeside, 'GET /a/../b'), ['refused', 'target_dot_segment']);
    t.strictSame(would(wholeShadow, repeated), ['', 'match_repeated']);
  },
);

t.test('a field that decides and that Connection names is refused, or recorded in shadow mode', async (t) => {
  const named = (name: string, line = 'GET /open/1') => ({ line, headers: ['Connection', name] });
  t.match(engine.route(named('authorization')), {
    kind: 'refuse',
    code: 'connection_names_decisive',
    detail: 'authorization',
    route: { id: 'open' },
  });
  t.match(engine.route({ line: 'GET /beta', headers: ['X-Version', '2', 'Connection', 'x-version'] }), {
    code: 'connection_names_decisive',
    detail: 'x-version',
    route: { id: 'v2' },
  });
  t.equal(told(engine, named('x-version')), 'open', 'no route of this path reads it');
  t.equal(told(engine, named('keep-alive, te')), 'open');
  t.strictSame(would(wholeShadow, named('authorization')), ['open', 'connection_names_decisive']);
  t.strictSame(
    would(wholeShadow, named('authorization', 'GET /form/a;b')),
    ['form', 'target_path_parameter'],
    'the first',
  );
  t.strictSame(would(enforcedBeside, named('authorization')), ['refused', 'connection_names_decisive']);
});

t.test(
  'a field that an expression reads must occur once, or the request is refused, or recorded in shadow mode',
  async (t) => {
    const routes = [{ id: 'when', match: path('/when'), access: 'authenticated', when: 'request.query.a != "1"' }];
    const twice = 'GET /when/1?a=1&a=2';
    t.match(decider({ ...file, routes }).route(twice), {
      kind: 'refuse',
      code: 'match_repeated',
      detail: 'query a',
      route: { id: 'when' },
    });
    t.equal(told(decider({ ...file, routes }), 'GET /when/1?a=1'), 'when');
    t.strictSame(would(decider({ ...file, routes, mode: 'shadow' }), twice), ['when', 'match_repeated']);
  },
);

t.test(
  'what a route in shadow mode does not accept is recorded, except for a path that may belong to an enforced one',
  async (t) => {
    const long = { line: 'POST /small/1', headers: ['Content-Length', '11'] };
    t.strictSame(would(wholeShadow, 'GET /form/a%2fb'), ['form', 'target_encoded_slash']);
    t.strictSame(would(enforcedBeside, 'GET /form/a%2fb'), ['refused', 'target_encoded_slash']);
    for (const shadow of [wholeShadow, enforcedBeside]) t.strictSame(would(shadow, long), ['small', 'body_too_large']);
    t.strictSame(would(wholeShadow, { line: 'POST /form/1', headers: formOf(101) }), ['form', 'form_too_large']);
    t.strictSame(would(wholeShadow, { line: 'POST /form/1', headers: formOf(100) }), ['form', undefined]);
  },
);

t.test('an absolute target with another host is refused, whatever its path', async (t) => {
  for (const shadow of [engine, wholeShadow])
    for (const path of ['/open/1', '/a/../b', '//a', '/none', ''])
      t.match(shadow.route(`GET http://other.example.com${path}`), { kind: 'refuse', code: /^target_/ }, path);
  t.strictSame(would(wholeShadow, 'GET http://api.example.com/a/../b'), ['', 'target_dot_segment']);
  t.strictSame(would(wholeShadow, 'GET ftp://api.example.com/open/1'), ['refused', 'target_malformed']);
});

t.test('a preflight in shadow mode is forwarded, with or without a route', async (t) => {
  const asking = (line: string, method: string) => ({ line, headers: preflight(method) });
  t.match(wholeShadow.route(asking('OPTIONS /orders/7', 'GET')), { route: { id: 'read' }, preflight: true });
  t.match(wholeShadow.route(asking('OPTIONS /orders/7', 'DELETE')), {
    route: { id: '' },
    preflight: false,
    wouldRefuse: { code: 'method_not_allowed', allow: ['GET', 'POST'] },
  });
  t.strictSame(would(wholeShadow, asking('OPTIONS /none', 'GET')), ['', 'route_not_found']);
  t.match(enforcedBeside.route(asking('OPTIONS /orders/7', 'DELETE')), { kind: 'reply', status: 204 });
  t.strictSame(would(wholeShadow, asking('OPTIONS /orders/a;b', 'GET')), ['read', 'target_path_parameter']);
  const routes = [
    { id: 'wide', match: { path: '/{rest*}' }, scope: 'x' },
    { id: 'narrow', match: { path: '/a:b/{x}' }, scope: 'x' },
    { id: 'cut', match: { path: '/a:b/c' }, scope: 'admin' },
  ];
  const unclear = asking('OPTIONS /a%3Ab/c%3Fd', 'GET');
  t.match(decider({ ...file, routes }).route(unclear), {
    code: 'target_ambiguous',
    route: { id: 'wide' },
    detail: 'raw: `wide`; decoded: `narrow` or `cut`',
  });
  t.strictSame(would(decider({ ...file, routes, mode: 'shadow' }), unclear), ['wide', 'target_ambiguous']);
});

t.test('a body is read for credentials only if a credential may be in it', async (t) => {
  const scheme = {
    name: 'digest' as const,
    challenges: () => [],
    verify: () => ({ kind: 'throttled', retryAfter: 1 }) as const,
  };
  const hashing = (places?: readonly { in: 'header'; name: string }[]) =>
    decider(file, { schemes: () => [{ ...scheme, places, wantsEntity: () => 50 }] });
  const body = (headers: readonly string[]) => ({ line: 'POST /keep/1', headers: ['Content-Length', '9', ...headers] });
  const wanted = { kind: 'hashed', limit: 50, tooLarge: 'integrity_too_large' };
  const credentials = ['Authorization', 'Digest a'];
  t.strictSame(hashing().needs(body(credentials)), wanted);
  t.equal(hashing().needs(body([])), undefined);
  t.equal(hashing().needs(body([...credentials, ...credentials])), undefined, 'two are refused in any case');
  t.strictSame(hashing([{ in: 'header', name: 'x-sig' }]).needs(body([])), wanted, 'one has a place of its own');
  const placed = { ...scheme, name: 'api_key' as const, places: [{ in: 'header' as const, name: 'x-key' }] };
  const message = { line: 'POST /mcp', headers: ['Content-Length', '9'] };
  const tools = { routes: [{ id: 'tools', match: { path: '/mcp' }, access: 'authenticated', mcp: {} }] };
  for (const [schemes, kind] of [
    [[], undefined],
    [[{ ...scheme, wantsEntity: () => undefined }], undefined],
    [
      [
        { ...scheme, wantsEntity: () => undefined },
        { ...placed, wantsEntity: () => undefined },
      ],
      'message',
    ],
  ] as const)
    t.equal(decider(tools, { schemes: () => schemes }).needs(message)?.kind, kind, 'a message of a stranger');
  t.equal(hashing().needs({ line: 'POST /keep/1', headers: credentials }), undefined, 'there is no body');
  t.equal(hashing().needs({ line: 'POST /open/1', headers: ['Content-Length', '9', ...credentials] }), undefined);
});
