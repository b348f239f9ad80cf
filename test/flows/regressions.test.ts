import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask, open } from '../support/raw-client.ts';
import { rawUpstream } from '../support/raw-upstream.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

const handshake = 'GET /public/ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

t.test(
  'a handshake after a request without an answer yet neither takes its connection nor ends the process',
  async (t) => {
    const upstream = await witness(t, { delay: 200 });
    const { port } = await gateway(t, behind(upstream.url));
    const client = await open(t, port);
    client.send(`GET /public/slow HTTP/1.1\r\nHost: a\r\n\r\n${handshake}`);
    t.equal((await client.read())?.status, 200);
    t.equal((await client.read())?.status, 200, 'the second is an ordinary request');
    t.equal((await ask(port, 'GET /public/x HTTP/1.1\r\nHost: a\r\n\r\n')).status, 200);
  },
);

t.test('an answer is never read as the answer to the previous request', async (t) => {
  const upstream = await witness(t, { delay: 200 });
  const { port } = await gateway(t, behind(upstream.url));
  for (const behindIt of ['CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 'GARBAGE\r\n\r\n']) {
    const client = await open(t, port);
    client.send('GET /public/slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await pause(30);
    client.send(behindIt);
    const first = await client.read();
    t.ok(first === undefined || first.status === 200, `${behindIt.slice(0, 7)}: ${first?.status}`);
  }
});

t.test('a large answer to a handshake that is not a 101 arrives whole', async (t) => {
  const body = 'x'.repeat(4 * 1024 * 1024);
  const upstream = await witness(t, { status: 403, body });
  const { port } = await gateway(t, behind(upstream.url));
  const answer = await ask(port, handshake);
  t.equal(answer.status, 403);
  t.equal(answer.body.length, body.length);
});

t.test('a refused upload has the CORS headers of every other refusal', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { cors: { origins: ['https://app.example'] } }));
  const head = 'POST /admin/x HTTP/1.1\r\nHost: a\r\nOrigin: https://app.example\r\nContent-Length: 100000\r\n\r\n';
  const client = await open(t, port);
  client.send(`${head}abc`);
  const answer = await client.read();
  t.equal(answer?.status, 401);
  t.equal(answer?.header('access-control-allow-origin'), 'https://app.example');
});

t.test('a request with a body does not wait forever for a connection to the upstream', async (t) => {
  const upstream = await rawUpstream(t, () => undefined);
  const api = { url: upstream.url, max_connections: 1, timeout: { response: '400ms' } };
  const { port } = await gateway(t, behind(upstream.url, { upstreams: { api } }));
  const holding = await open(t, port);
  holding.send('GET /public/a HTTP/1.1\r\nHost: a\r\n\r\n');
  const answer = await ask(port, 'POST /public/b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc');
  t.equal(answer.status, 504);
});

t.test('a 204 or 304 that announces trailers is an ordinary answer', async (t) => {
  for (const status of ['204 No Content', '304 Not Modified']) {
    const upstream = await rawUpstream(t, ({ socket }) => socket.write(`HTTP/1.1 ${status}\r\nTrailer: X-T\r\n\r\n`));
    const { port } = await gateway(t, behind(upstream.url));
    const answer = await ask(port, 'GET /public/a HTTP/1.1\r\nHost: a\r\n\r\n');
    t.equal(answer.status, Number(status.slice(0, 3)));
  }
});

t.test('an identity header may have any name, and no client can forge it', async (t) => {
  const upstream = await witness(t);
  const defaults = { upstream: 'api', identity_headers: { prefix: 'X-Auth-', set: { Referer: 'sub' } } };
  const { port } = await gateway(t, behind(upstream.url, { defaults }));
  await ask(port, 'GET /public/a HTTP/1.1\r\nHost: a\r\nReferer: spoof\r\n\r\n');
  t.equal(upstream.seen[0]?.header('referer'), undefined);
});

t.test('an answer that waits for the previous one does not count as a slow client', async (t) => {
  const upstream = await witness(t, (request, response) => {
    const slow = request.url === '/public/slow';
    setTimeout(() => response.end(slow ? 'slow' : Buffer.alloc(1024 * 1024, 'x')), slow ? 2500 : 0);
  });
  const { port } = await gateway(t, behind(upstream.url, { limits: { idle: '1s' } }));
  const client = await open(t, port);
  client.send('GET /public/slow HTTP/1.1\r\nHost: a\r\n\r\nGET /public/large HTTP/1.1\r\nHost: a\r\n\r\n');
  t.equal((await client.read())?.body.toString(), 'slow');
  t.equal((await client.read())?.body.length, 1024 * 1024);
});

t.test('TRACE is refused, and OPTIONS ends where Max-Forwards says', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  t.equal((await ask(port, 'TRACE /public/a HTTP/1.1\r\nHost: a\r\n\r\n')).status, 405);
  t.equal((await ask(port, 'OPTIONS /public/a HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n')).status, 204);
  t.equal(upstream.seen.length, 0);
  for (const [index, [value, passed]] of [
    ['7', '6'],
    ['x', 'x'],
    ['9'.repeat(400), '9007199254740991'],
  ].entries()) {
    await ask(port, `OPTIONS /public/a HTTP/1.1\r\nHost: a\r\nMax-Forwards: ${value}\r\n\r\n`);
    t.equal(upstream.seen[index]?.header('max-forwards'), passed);
  }
});

t.test('only a safe request is sent once more when the upstream closed the connection during it', async (t) => {
  const upstream = await rawUpstream(t, ({ socket, heads }) => {
    if (heads === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    else socket.resetAndDestroy();
  });
  const api = { url: upstream.url, max_connections: 1 };
  const { port } = await gateway(t, behind(upstream.url, { upstreams: { api } }));
  const get = 'GET /public/a HTTP/1.1\r\nHost: a\r\n\r\n';
  t.equal((await ask(port, get)).status, 200);
  t.equal((await ask(port, get)).status, 200, 'on a kept connection that ends under it');
  const post = 'POST /public/a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok';
  t.equal((await ask(port, post)).status, 502);
});

t.test('a tunnel counts as a connection of the upstream, and a stop ends it', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  const api = { url: upstream.url, max_connections: 1, max_pending: 0 };
  const running = await gateway(t, behind(upstream.url, { upstreams: { api } }));
  const client = await open(t, running.port);
  client.send(handshake);
  await client.arrived(20);
  t.equal((await ask(running.port, handshake)).status, 503);
  const stopped = running.stop();
  await client.untilClosed();
  await stopped;
  t.ok(await until(() => upstream.connections[0]?.closed === true));
});

t.test('a tunnel that the client closed is also closed towards the upstream', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(handshake);
  await client.arrived(20);
  client.destroy();
  t.ok(await until(() => upstream.connections[0]?.closed === true));
});

t.test('after a framing error the connection is not read any more (RFC 9112 §6.1)', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const next = 'GET /public/next HTTP/1.1\r\nHost: a\r\n\r\n';
  for (const head of [
    'POST /public/a HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n',
    'POST /public/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
    'POST /public/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ,chunked\r\n\r\n',
  ]) {
    const client = await open(t, port);
    client.send(`${head}0\r\n\r\n${next}`);
    t.equal((await client.read())?.status, 400);
    t.equal(await client.read(), undefined, head);
  }
  t.equal(upstream.seen.length, 0);
});

t.test('a peer that resets its CONNECT does not end the process', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  for (let round = 0; round < 300; round++) {
    const client = await open(t, port);
    client.send('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
    if (round % 3 === 0) await pause(0);
    client.socket.resetAndDestroy();
  }
  t.equal((await ask(port, 'GET /public/x HTTP/1.1\r\nHost: a\r\n\r\n')).status, 200);
});

t.test('the queue for an upstream is bounded, also when waiting clients give up', async (t) => {
  const upstream = await rawUpstream(t, () => undefined);
  // With `own`, a client that gives up frees its place: own-engine.test.ts.
  const api = { url: upstream.url, max_connections: 1, max_pending: 5, engine: 'undici' };
  // Without shares, because a client that waits for a share leaves immediately with each engine.
  const { port } = await gateway(t, behind(upstream.url, { upstreams: { api }, limits: { share: 1 } }));
  const holding = await open(t, port);
  holding.send('GET /public/a HTTP/1.1\r\nHost: a\r\n\r\n');
  for (let round = 0; round < 5; round++) {
    const client = await open(t, port);
    client.send('GET /public/b HTTP/1.1\r\nHost: a\r\n\r\n');
    await pause(100);
    client.destroy();
  }
  await pause(100);
  t.equal((await ask(port, 'GET /public/c HTTP/1.1\r\nHost: a\r\n\r\n')).status, 503);
  holding.destroy();
  t.ok(await until(() => upstream.connections.length > 1 || upstream.connections[0]?.closed === true));
  await pause(50);
  const last = await open(t, port);
  last.send('GET /public/d HTTP/1.1\r\nHost: a\r\n\r\n');
  t.ok(
    await until(() => upstream.connections.some(({ received }) => received.includes('/public/d'))),
    'and gone with them',
  );
});

t.test('a token in a wrong place is not written to the log', async (t) => {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url));
  for (const target of [
    '/a#access_token=SECRET',
    'http://u:SECRET@a/public/x',
    '/a/x%3Faccess_token=SECRET',
    '/a/access_token=SECRET',
    '/a?SECRET',
  ]) {
    await ask(running.port, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
  }
  t.notMatch(JSON.stringify(running.log), /SECRET/);
});

t.test('a header that servers fold into one of ours is removed', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const names = ['X_Real_IP', 'X.Real.IP', 'X_Request_Id', 'X-Forwarded', 'Transfer_Encoding', 'Content_Length'];
  await ask(port, `GET /public/a HTTP/1.1\r\nHost: a\r\n${names.map((name) => `${name}: spoof\r\n`).join('')}\r\n`);
  t.notMatch(JSON.stringify(upstream.seen[0]?.rawHeaders), /spoof/);
});

t.test('an answer with a transfer coding that the gateway does not decode is a 502', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) =>
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'),
  );
  const { port } = await gateway(t, behind(upstream.url));
  t.equal((await ask(port, 'GET /public/a HTTP/1.1\r\nHost: a\r\n\r\n')).status, 502);
});

t.test(
  'obs-text in a head that is sent before its content is the same byte for the client (RFC 9110 §5.5)',
  async (t) => {
    const upstream = await rawUpstream(t, ({ socket }) => {
      socket.write(Buffer.from('HTTP/1.1 200 OK\r\nX-Odd: \xe9\xff\r\ncontent-length: 2\r\n\r\n', 'latin1'));
      setTimeout(() => socket.write('ok'), 50);
    });
    const { port } = await gateway(t, behind(upstream.url));
    const response = await ask(port, 'GET /public/a HTTP/1.1\r\nHost: a\r\n\r\n');
    t.equal(response.header('x-odd'), '\xe9\xff');
    t.equal(response.body.toString(), 'ok');
  },
);
