import t, { type Test } from 'tap';
import { asNginx } from '../support/asking.ts';
import { account, digestUpstream } from '../support/digest-upstream.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { ask, exchange, open } from '../support/raw-client.ts';
import { rawUpstream } from '../support/raw-upstream.ts';
import { bearer, type RequestText, requestText } from '../support/request-text.ts';
import { collectSpans, type Spans, type Told, UNSAMPLED } from '../support/spans.ts';
import { active, authorizationServer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { type Behaviour, type Witness, witness } from '../support/witness.ts';

/** With an OpenTelemetry SDK in the process, as users load one. */

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const incoming = ['traceparent', `00-${TRACE}-${PARENT}-01`] as const;

interface Scene extends TestGateway {
  readonly upstream: Witness;
  readonly spans: Spans;
}

async function scene(t: Test, changes: object = {}, behaviour: Behaviour = {}): Promise<Scene> {
  const spans = collectSpans(t);
  const upstream = await witness(t, behaviour);
  return { ...(await gateway(t, behind(upstream.url, changes))), upstream, spans };
}

const token = async (scope = 'orders.read') => bearer(await jwt({ scope }, { alg: 'HS256' }));
const kinds = (spans: readonly Told[]) => spans.map(({ kind, name }) => `${kind} ${name}`);
const ofKind = (spans: readonly Told[], kind: string) => spans.filter((span) => span.kind === kind);

t.test(
  'a request is a server span below the client’s, and the request to the upstream is a client span below that',
  async (t) => {
    const { port, upstream, spans, log } = await scene(t);
    const headers = [await token(), incoming, ['tracestate', 'rojo=1'], ['tracestate', 'congo=2']] as const;
    await ask(port, requestText({ target: '/orders/7?page=2', host: 'api.example.com:8443', headers }));
    const [server, verify, client, ...more] = await spans.of();
    t.strictSame(more, []);
    t.match(verify, { name: 'verify', kind: 'internal', trace: TRACE, parent: server?.id, attributes: {} });
    t.match(server, { name: 'GET /orders/{rest*}', kind: 'server', trace: TRACE, parent: PARENT, status: 'unset' });
    t.strictSame(server?.attributes, {
      'http.request.method': 'GET',
      'url.path': '/orders/7',
      'url.scheme': 'http',
      'server.address': 'api.example.com',
      'server.port': 8443,
      'network.protocol.version': '1.1',
      'http.route': '/orders/{rest*}',
      'http.response.status_code': 200,
    });
    t.match(client, { name: 'GET', kind: 'client', trace: TRACE, parent: server?.id, status: 'unset' });
    t.strictSame(client?.attributes, {
      'http.request.method': 'GET',
      'url.full': `${upstream.url}/orders/7`,
      'server.address': '127.0.0.1',
      'server.port': upstream.port,
      'http.response.status_code': 200,
    });
    t.strictSame(upstream.seen[0]?.all('traceparent'), [`00-${TRACE}-${client?.id}-01`]);
    t.strictSame(upstream.seen[0]?.all('tracestate'), ['rojo=1,congo=2']);
    t.equal(log.find(({ msg }) => msg === 'forwarded')?.trace_id, TRACE);
  },
);

t.test('without a well-formed trace of the client, a trace begins here', async (t) => {
  const { port, upstream, spans, log } = await scene(t);
  const broken = [
    ['traceparent', `00-${TRACE}-${PARENT}-zz`],
    ['tracestate', 'rojo=1'],
  ] as const;
  await ask(port, requestText({ target: '/public/a' }));
  await ask(port, requestText({ target: '/public/b', headers: broken }));
  await ask(port, requestText({ target: '/public/c', headers: [incoming, incoming] }));
  const servers = ofKind(await spans.of(3), 'server');
  for (const [index, { trace, parent }] of servers.entries()) {
    t.equal(parent, undefined);
    t.not(trace, TRACE);
    t.match(upstream.seen[index]?.header('traceparent'), new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    t.strictSame(upstream.seen[index]?.all('tracestate'), []);
  }
  const named = log.filter(({ msg }) => msg === 'forwarded').map(({ trace_id }) => trace_id);
  t.strictSame(
    named,
    servers.map(({ trace }) => trace),
  );
});

t.test('in shadow mode too the upstream has one parent', async (t) => {
  const { port, upstream, spans } = await scene(t, { mode: 'shadow' });
  await ask(port, requestText({ target: '/nowhere', headers: [incoming, ['tracestate', 'rojo=1']] }));
  const [server, client] = await spans.of();
  t.match(server, { name: 'GET', parent: PARENT });
  t.notOk(server?.attributes['http.route']);
  t.strictSame(upstream.seen[0]?.all('traceparent'), [`00-${TRACE}-${client?.id}-01`]);
});

t.test('introspection of a credential is a separate span, a cached result is not', async (t) => {
  const spans = collectSpans(t);
  const upstream = await witness(t);
  const main = await authorizationServer(t);
  main.tokens.set('at_opaque', active('orders.read'));
  const { port } = await gateway(t, behind(upstream.url, { authorization_servers: main.config }));
  const request = requestText({ target: '/orders/1', headers: [bearer('at_opaque')] });
  await ask(port, request);
  const first = await spans.of(1);
  t.strictSame(kinds(first), ['server GET /orders/{rest*}', 'internal verify', 'client GET']);
  t.strictSame(new Set(first.slice(1).map(({ parent }) => parent)), new Set([first[0]?.id]));
  await ask(port, request);
  t.strictSame(kinds(await spans.of(2)).slice(3), ['server GET /orders/{rest*}', 'client GET']);
});

const refusals: readonly (RequestText & { status: number; code: string; name: string; scope?: string })[] = [
  { target: '/orders/1', status: 401, code: 'credential_missing', name: 'GET /orders/{rest*}' },
  { target: '/orders/1', status: 403, code: 'scope_insufficient', name: 'GET /orders/{rest*}', scope: 'admin' },
  { target: '/nowhere', status: 404, code: 'route_not_found', name: 'GET' },
  { target: '/a/../b', status: 400, code: 'target_dot_segment', name: 'GET' },
  { target: '/public/a', host: 'alice:secret@b', status: 400, code: 'host_invalid', name: 'GET' },
];

for (const { status, code, name, scope, ...request } of refusals) {
  t.test(`${code}: a span with the status and the code, which is not a failure of the server`, async (t) => {
    const { port, spans } = await scene(t);
    const headers = scope === undefined ? [] : [await token(scope)];
    t.equal((await ask(port, requestText({ ...request, headers }))).status, status);
    const all = await spans.of();
    t.strictSame(kinds(all), [`server ${name}`, ...(scope === undefined ? [] : ['internal verify'])]);
    t.equal(all[0]?.status, 'unset');
    t.match(all[0]?.attributes, { 'http.response.status_code': status, 'error.type': code });
    t.notMatch(spans.text(), 'secret');
  });
}

t.test('an unavailable authorization server fails the request, and the span that waited for it', async (t) => {
  const main = await authorizationServer(t);
  await main.introspection.down();
  const { port, spans } = await scene(t, { authorization_servers: main.config });
  await ask(port, requestText({ target: '/orders/1', headers: [bearer('at_opaque')] }));
  const [server, verify, ...more] = await spans.of();
  t.strictSame(more, []);
  const code = 'authorization_server_unavailable';
  t.match(server, { status: 'error', attributes: { 'http.response.status_code': 503, 'error.type': code } });
  t.match(verify, { name: 'verify', parent: server?.id, status: 'error', attributes: { 'error.type': code } });
});

t.test('an unavailable or silent upstream fails both spans', async (t) => {
  const spans = collectSpans(t);
  const silent = await rawUpstream(t, () => {});
  const upstreams = {
    away: { url: `http://127.0.0.1:${await freePort()}` },
    silent: { url: silent.url, timeout: { response: '100ms' } },
  };
  const routes = Object.keys(upstreams).map((upstream) => ({
    id: upstream,
    match: { path: `/${upstream}` },
    access: 'public',
    upstream,
  }));
  const { port } = await gateway(t, { upstreams, routes });
  await ask(port, requestText({ target: '/away' }));
  await ask(port, requestText({ target: '/silent' }));
  const all = await spans.of(2);
  t.strictSame(
    all.map(({ kind, status, attributes }) => [
      kind,
      status,
      attributes['http.response.status_code'],
      attributes['error.type'],
    ]),
    [
      ['server', 'error', 502, 'upstream_unreachable'],
      ['client', 'error', undefined, 'upstream_unreachable'],
      ['server', 'error', 504, 'upstream_timeout'],
      ['client', 'error', undefined, 'upstream_timeout'],
    ],
  );
});

t.test("an upstream's 500 fails both spans, its 404 only the client span", async (t) => {
  const { port, spans } = await scene(t, {}, (request, response) =>
    response.writeHead(Number(request.url?.slice(-3))).end(),
  );
  await ask(port, requestText({ target: '/public/500' }));
  await ask(port, requestText({ target: '/public/404' }));
  t.strictSame(
    (await spans.of(2)).map(({ kind, status, attributes }) => `${kind} ${status} ${attributes['error.type']}`),
    ['server error 500', 'client error 500', 'server unset undefined', 'client error 404'],
  );
});

t.test('an answer that is cut short has its status, and failed', async (t) => {
  const { port, spans } = await scene(t, {}, (_request, response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('abc', () => response.socket?.resetAndDestroy());
  });
  const client = await open(t, port);
  client.send(requestText({ target: '/public/a' }));
  await client.untilClosed();
  for (const { status, attributes } of await spans.of()) {
    t.equal(status, 'error');
    t.match(attributes, { 'http.response.status_code': 200, 'error.type': 'upstream_invalid' });
  }
});

t.test('a client that leaves is recorded as such', async (t) => {
  const { port, spans, upstream } = await scene(t, {}, () => {});
  const client = await open(t, port);
  client.send(requestText({ target: '/public/a' }));
  await until(() => upstream.seen.length === 1);
  client.destroy();
  const [server] = await spans.of();
  t.match(server, { status: 'unset', attributes: { 'error.type': 'client_gone' } });
  t.notOk(server?.attributes['http.response.status_code']);
});

t.test(
  'a request that is sent again is a client span each time, and each is the parent that its upstream sees',
  async (t) => {
    const spans = collectSpans(t);
    const upstream = await witness(t);
    const urls = [`http://127.0.0.1:${await freePort()}`, upstream.url];
    const { port } = await gateway(t, behind('', { upstreams: { api: { urls, retries: 1 } } }));
    await ask(port, requestText({ target: '/public/a' }));
    await ask(port, requestText({ target: '/public/b' }));
    const clients = ofKind(await spans.of(2), 'client');
    const failed = clients.find(({ status }) => status === 'error');
    const again = clients.find(({ attributes }) => attributes['http.request.resend_count'] === 1);
    t.match(failed?.attributes, { 'url.full': /^http/, 'error.type': 'upstream_unreachable' });
    t.equal(again?.parent, failed?.parent);
    const seen = upstream.seen.map((one) => one.header('traceparent')?.split('-')[2]);
    t.strictSame(
      seen,
      clients.filter(({ status }) => status === 'unset').map(({ id }) => id),
    );
  },
);

t.test('the same for a request that is sent again to the same URL after its connection broke', async (t) => {
  const spans = collectSpans(t);
  const upstream = await witness(t, (request, response) => {
    if (upstream.seen.length === 1) request.socket.destroy();
    else response.end('ok');
  });
  const { port } = await gateway(t, behind('', { upstreams: { api: { url: upstream.url, retries: 1 } } }));
  t.equal((await ask(port, requestText({ target: '/public/a' }))).status, 200);
  const clients = ofKind(await spans.of(), 'client');
  t.strictSame(
    clients.map(({ attributes }) => [attributes['http.request.resend_count'], attributes['error.type']]),
    [
      [undefined, 'upstream_invalid'],
      [1, undefined],
    ],
  );
  t.strictSame(
    upstream.seen.map((one) => one.header('traceparent')?.split('-')[2]),
    clients.map(({ id }) => id),
  );
});

t.test('an upstream that asks for Digest a second time is a client span with 401, and another', async (t) => {
  const spans = collectSpans(t);
  const legacy = await digestUpstream(t);
  const upstreams = { api: { url: legacy.url, credentials: { digest: account } } };
  const { port } = await gateway(t, behind('', { upstreams }));
  await ask(port, requestText({ target: '/public/a' }));
  legacy.expire();
  await ask(port, requestText({ target: '/public/b' }));
  const statuses = ofKind(await spans.of(2), 'client').map(({ attributes }) => attributes['http.response.status_code']);
  t.strictSame(statuses, [200, 401, 200]);
  t.notMatch(spans.text(), account.password);
  t.notMatch(spans.text(), account.username);
});

t.test('refused credentials of ours: the client span has the 401, the server span the 502', async (t) => {
  const { port, spans } = await scene(t);
  const upstream = await witness(t, { status: 401 });
  const credentials = { basic: { username: 'canary-user', password: 'canary-password' } };
  const other = await gateway(t, behind('', { upstreams: { api: { url: upstream.url, credentials } } }));
  t.not(port, other.port);
  await ask(other.port, requestText({ target: '/public/a' }));
  const all = (await spans.of()).map(({ attributes }) => [
    attributes['http.response.status_code'],
    attributes['error.type'],
  ]);
  t.strictSame(all, [
    [502, 'upstream_credentials_refused'],
    [401, 'upstream_credentials_refused'],
  ]);
  t.notMatch(spans.text(), 'canary');
});

t.test('a WebSocket is a span until it is open', async (t) => {
  const spans = collectSpans(t);
  const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
  const upstream = await rawUpstream(t, ({ socket }) => socket.write(switching));
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  const headers = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
  ] as const;
  client.send(requestText({ target: '/public/live', headers }));
  const statuses = (await spans.of()).map(({ attributes }) => attributes['http.response.status_code']);
  t.strictSame(statuses, [101, 101]);
});

t.test('a span that the sampler drops is not exported, and the upstream learns that it is not sampled', async (t) => {
  const { port, upstream, spans } = await scene(t);
  await ask(port, requestText({ target: `${UNSAMPLED}/a`, headers: [incoming] }));
  await ask(port, requestText({ target: '/public/sampled' }));
  t.notMatch(JSON.stringify(await spans.of()), UNSAMPLED);
  t.match(upstream.seen[0]?.header('traceparent'), new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-00$`));
});

t.test('a proxy that asks for a decision gets a span below its own, with the code of a refusal', async (t) => {
  const { decisionUrl, spans } = await scene(t, {
    decision: { listen: '127.0.0.1:0' },
    trusted_proxies: ['127.0.0.1/32'],
  });
  const port = Number(new URL(decisionUrl ?? '').port);
  await ask(port, asNginx({ target: '/orders/1', headers: [incoming] }));
  await ask(port, asNginx({ target: '/orders/1', headers: [incoming, await token()] }));
  const all = await spans.of(2);
  t.strictSame(kinds(all), ['server GET /orders/{rest*}', 'server GET /orders/{rest*}', 'internal verify']);
  t.strictSame(
    ofKind(all, 'server').map(({ parent, attributes }) => [parent, attributes['error.type']]),
    [
      [PARENT, 'credential_missing'],
      [PARENT, undefined],
    ],
  );
});

t.test('no span contains a token, query, password, user name, cookie or body', async (t) => {
  const main = await authorizationServer(t);
  main.tokens.set('canary-opaque', active('orders.read', { sub: 'canary-sub', client_id: 'canary-client' }));
  const routes = [
    { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
    {
      id: 'all',
      match: { path: '/orders/{rest*}' },
      scope: 'orders.read',
      bearer_methods_supported: ['header', 'body', 'query'],
    },
  ];
  const { port, spans } = await scene(t, { routes, authorization_servers: main.config });
  const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
  const basic = ['Authorization', `Basic ${Buffer.from('canary-user:canary-pass').toString('base64')}`] as const;
  const others = [
    ['Cookie', 'session=canary-cookie'],
    ['User-Agent', 'canary-agent'],
    ['X-Api-Key', 'canary-key'],
    ['Referer', 'https://a.example/?canary-referer'],
    ['baggage', 'user=canary-baggage'],
  ] as const;
  const requests: readonly RequestText[] = [
    { target: '/orders/1?page=canary-query', headers: [bearer('canary-opaque'), ...others] },
    { target: '/orders/1?access_token=canary-opaque' },
    { target: '/orders/1?access_token=canary-wrong' },
    { target: '/orders/1%3Faccess_token=canary-encoded' },
    { target: '/nowhere?canary-query' },
    { target: '/orders/1', headers: [bearer('canary-wrong')] },
    { target: '/orders/1', headers: [bearer('canary malformed')] },
    { target: '/orders/1', headers: [basic] },
    { target: '/public/1?canary-query', headers: [basic] },
    { target: 'http://canary-user:canary-pass@api.example.com/public/1?canary-query' },
    { method: 'POST', target: '/orders/1', headers: [form], body: 'access_token=canary-opaque&a=canary-body' },
  ];
  for (const request of requests) await exchange(port, requestText(request));
  const all = await spans.of(requests.length);
  t.ok(ofKind(all, 'client').length >= 4, 'some of them were forwarded');
  t.notMatch(spans.text(), /canary|Y2FuYXJ5/i);
});
