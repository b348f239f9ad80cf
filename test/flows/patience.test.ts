import t from 'tap';
import { freePort } from '../support/free-port.ts';
import { behind, gateway } from '../support/gateway.ts';
import { ask, open } from '../support/raw-client.ts';
import { rawUpstream } from '../support/raw-upstream.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { active, authorizationServer } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { handshake } from '../support/websocket-handshake.ts';
import { follow, witness } from '../support/witness.ts';

/** Waits for limits of seconds: 19 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const target = '/public/a';

function upstreamWith(url: string, timeout: object) {
  return { upstreams: { api: { url, timeout } } };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((waited) => setTimeout(waited, milliseconds));
}

t.test('a steady upload is not cut, even if it takes longer than the response timeout', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, upstreamWith(upstream.url, { response: '2s', idle: '2s' })));
  const client = await open(t, port);
  client.send(requestText({ method: 'POST', target, headers: [['Content-Length', '6000']] }));
  for (let i = 0; i < 60; i++) {
    client.send('x'.repeat(100));
    await pause(50);
  }
  const response = await client.read({ method: 'POST' });
  t.equal(response?.status, 200);
  t.equal(upstream.seen[0]?.bytes, 6000);
});

t.test('a steady chunked upload is not cut either', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, upstreamWith(upstream.url, { response: '2s', idle: '2s' })));
  const client = await open(t, port);
  client.send(requestText({ method: 'POST', target, headers: [['Transfer-Encoding', 'chunked']] }));
  for (let i = 0; i < 60; i++) {
    client.send(`64\r\n${'x'.repeat(100)}\r\n`);
    await pause(50);
  }
  client.send('0\r\n\r\n');
  t.equal((await client.read({ method: 'POST' }))?.status, 200);
});

t.test('a reader may pause for longer than the upstream may', async (t) => {
  const size = 30 * 1024 * 1024;
  const upstream = await witness(t, { body: 'x'.repeat(size) });
  const { port } = await gateway(t, behind(upstream.url, upstreamWith(upstream.url, { idle: '1s' })));
  const client = await open(t, port);
  client.socket.pause();
  client.send(requestText({ target }));
  await pause(2500);
  client.socket.resume();
  const response = await client.read({ deadline: 20_000 });
  t.ok(response?.complete);
  t.equal(response?.body.length, size);
});

t.test("an upstream that reads slowly is not the client's fault", async (t) => {
  const size = 20 * 1024 * 1024;
  const upstream = await witness(t);
  upstream.behaveAtHead(
    (request, response, seen) => void setTimeout(() => follow(request, seen, () => response.end('ok')), 4000),
  );
  const { port } = await gateway(t, behind(upstream.url, { limits: { body_rate: { bytes: '1MiB', over: '2s' } } }));
  const client = await open(t, port);
  client.send(requestText({ method: 'POST', target, body: 'x'.repeat(size) }));
  t.equal((await client.read({ method: 'POST', deadline: 20_000 }))?.status, 200);
  t.equal(upstream.seen[0]?.bytes, size);
});

t.test('a quiet stream is cut at idle, and not without idle; a route can set its own value', async (t) => {
  const upstream = await witness(t);
  upstream.behave((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    setTimeout(() => response.end('data: 2\n\n'), 1500);
  });
  const route = (id: string, timeout: object) => ({ id, match: { path: `/${id}` }, access: 'public', timeout });
  const routes = [route('cut', {}), route('quiet', { idle: 'none' })];
  const { port } = await gateway(t, behind(upstream.url, { routes, ...upstreamWith(upstream.url, { idle: '300ms' }) }));
  const cut = await open(t, port);
  cut.send(requestText({ target: '/cut' }));
  t.notOk((await cut.read())?.complete);
  t.equal((await ask(port, requestText({ target: '/quiet' }))).body.toString(), 'data: 1\n\ndata: 2\n\n');
});

t.test('the response time of a route overrides that of its upstream', async (t) => {
  const upstream = await witness(t, { delay: 600 });
  const route = (id: string, timeout: object) => ({ id, match: { path: `/${id}` }, access: 'public', timeout });
  const routes = [route('short', {}), route('long', { response: '5s' })];
  const { port } = await gateway(
    t,
    behind(upstream.url, { routes, ...upstreamWith(upstream.url, { response: '300ms' }) }),
  );
  t.equal((await ask(port, requestText({ target: '/short' }))).status, 504);
  t.equal((await ask(port, requestText({ target: '/long' }))).status, 200);
});

const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

t.test('a quiet tunnel is closed at idle on both sides, and not without idle', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) => socket.write(switching));
  const routes = [
    { id: 'cut', match: { path: '/cut' }, access: 'public', timeout: { idle: '300ms' } },
    { id: 'quiet', match: { path: '/quiet' }, access: 'public', timeout: { idle: 'none' } },
  ];
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  const [cut, quiet] = [await open(t, port), await open(t, port)];
  cut.send(requestText({ target: '/cut', headers: handshake }));
  t.equal((await cut.read())?.status, 101);
  quiet.send(requestText({ target: '/quiet', headers: handshake }));
  t.equal((await quiet.read())?.status, 101);
  await cut.untilClosed();
  t.ok(await until(() => upstream.connections[0]?.closed === true), 'the upstream side is closed too');
  await pause(1000);
  t.notOk(quiet.closed);
  quiet.destroy();
});

t.test(
  'a handshake may carry its token in the query if the route lists it, and the upstream does not get it',
  async (t) => {
    const upstream = await rawUpstream(t, ({ socket }) => socket.write(switching));
    const server = await authorizationServer(t);
    server.tokens.set('socket-token', active('orders.read'));
    const { port } = await gateway(
      t,
      behind(upstream.url, { authorization_servers: server.config, bearer_methods_supported: ['header', 'query'] }),
    );
    const client = await open(t, port);
    client.send(requestText({ target: '/orders/live?a=1&access_token=socket-token&b=2', headers: handshake }));
    t.equal((await client.read())?.status, 101);
    t.match(upstream.connections[0]?.received, /^GET \/orders\/live\?a=1&b=2 HTTP\/1\.1\r\n/);
    client.destroy();
  },
);

t.test('a client that leaves while its token is being verified causes no request', async (t) => {
  const upstream = await witness(t);
  const server = await authorizationServer(t);
  let answer = () => {};
  server.introspection.misbehave((_request, response) => {
    answer = () =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(active('orders.read')));
  });
  const { port } = await gateway(t, behind(upstream.url, { authorization_servers: server.config }));
  const client = await open(t, port);
  client.send(requestText({ target: '/orders/1', headers: [bearer('slow')] }));
  t.ok(await until(() => server.introspection.calls.length === 1));
  client.destroy();
  await pause(50);
  answer();
  await pause(200);
  t.equal(upstream.seen.length, 0);
});

t.test('an upload to an upstream that is down gets its whole 502', async (t) => {
  const { port } = await gateway(t, behind(`http://127.0.0.1:${await freePort()}`));
  for (const size of [1000, 200_000, 900_000]) {
    const client = await open(t, port);
    client.send(requestText({ method: 'POST', target, body: 'x'.repeat(size) }));
    const response = await client.read({ method: 'POST' });
    t.equal(response?.status, 502, `${size} bytes`);
    t.ok(response?.complete);
    client.destroy();
  }
});

t.test('an upstream that resets in the middle of an upload is 502 immediately', async (t) => {
  const upstream = await witness(t);
  upstream.behaveAtHead((request) => void setTimeout(() => request.socket.resetAndDestroy(), 50));
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(requestText({ method: 'POST', target, headers: [['Content-Length', '1000000']] }));
  client.send('x'.repeat(1000));
  t.equal((await client.read({ method: 'POST' }))?.status, 502);
});
