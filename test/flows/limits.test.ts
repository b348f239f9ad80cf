import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask, exchange, open, type RawClient } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';
import { follow, witness } from '../support/witness.ts';

/** Waits for limits of seconds: 38 s in .ci/run on a busy machine. */
t.setTimeout(240_000);

const target = '/public/a';

function codeOf(body: Buffer | undefined): unknown {
  return JSON.parse(body?.toString() ?? '{}').code;
}

t.test('above max_pending a request is 503 immediately, and the others are served', async (t) => {
  const upstream = await witness(t);
  const held: (() => void)[] = [];
  upstream.behave((_request, response) => void held.push(() => response.end('ok')));
  const api = { url: upstream.url, max_connections: 2, max_pending: 3 };
  const { port } = await gateway(t, behind(upstream.url, { upstreams: { api }, limits: { share: 1 } }));
  const clients: RawClient[] = [];
  for (let i = 0; i < 8; i++) {
    const client = await open(t, port);
    client.send(requestText({ target }));
    clients.push(client);
    if (i < 2) await until(() => held.length === i + 1);
  }
  const refused = () => clients.filter(({ unread }) => unread.length > 0);
  t.ok(await until(() => refused().length === 3), 'the three above the limit have their answer');
  const served = clients.filter((client) => !refused().includes(client));
  for (const client of refused()) {
    const response = await client.read();
    t.equal(response?.status, 503);
    t.equal(codeOf(response?.body), 'upstream_saturated');
    t.ok(Number(response?.header('retry-after')) > 0);
  }
  t.equal(upstream.connections.size, 2);
  const timer = setInterval(() => held.splice(0).forEach((answer) => void answer()), 5);
  for (const client of served) t.equal((await client.read())?.status, 200);
  clearInterval(timer);
});

t.test('a client that gives up while it waits for a connection frees its place', async (t) => {
  const upstream = await witness(t);
  upstream.behave(() => {});
  const api = { url: upstream.url, max_connections: 1, max_pending: 1 };
  const { port } = await gateway(t, behind(upstream.url, { upstreams: { api } }));
  for (let i = 0; i < 5; i++) {
    const [first, second] = [await open(t, port), await open(t, port)];
    first.send(requestText({ target }));
    await until(() => upstream.seen.length === i + 1);
    second.send(requestText({ target }));
    await new Promise((waited) => setTimeout(waited, 20));
    second.destroy();
    first.destroy();
    t.ok(await until(() => upstream.connections.size === 0), 'the upstream is free');
  }
  upstream.behave({});
  t.equal((await ask(port, requestText({ target }))).status, 200);
});

t.test('a body with a too large Content-Length is 413 before a byte of it is forwarded', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { limits: { body: '1KiB' } }));
  const response = await ask(port, requestText({ method: 'POST', target, body: 'x'.repeat(1025) }), { method: 'POST' });
  t.equal(response.status, 413);
  t.equal(codeOf(response.body), 'body_too_large');
  t.equal(upstream.seen.length, 0);
  t.equal(
    (await ask(port, requestText({ method: 'POST', target, body: 'x'.repeat(1024) }), { method: 'POST' })).status,
    200,
  );
});

t.test('a chunked body that turns out too large is 413 and never completes upstream', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { limits: { body: '1KiB' } }));
  const client = await open(t, port);
  client.send(requestText({ method: 'POST', target, headers: [['Transfer-Encoding', 'chunked']] }));
  client.send(`200\r\n${'x'.repeat(512)}\r\n`);
  await until(() => upstream.seen.length === 1);
  client.send(`400\r\n${'x'.repeat(1024)}\r\n0\r\n\r\n`);
  t.equal((await client.read({ method: 'POST' }))?.status, 413);
  t.ok(await until(() => upstream.seen[0]?.state === 'aborted'));
});

t.test('the limit of a route overrides the general one', async (t) => {
  const upstream = await witness(t);
  const routes = [
    { id: 'more', match: { path: '/more' }, access: 'public', limits: { body: '2KiB' } },
    { id: 'less', match: { path: '/less' }, access: 'public', limits: { body: '10B' } },
    { id: 'none', match: { path: '/none' }, access: 'public', limits: { body: 'none' } },
  ];
  const { port } = await gateway(t, behind(upstream.url, { routes, limits: { body: '1KiB' } }));
  const sizes = { '/more': 2048, '/less': 10, '/none': 100_000 };
  for (const [path, size] of Object.entries(sizes)) {
    t.equal((await ask(port, requestText({ method: 'POST', target: path, body: 'x'.repeat(size) }))).status, 200, path);
    const above = await ask(port, requestText({ method: 'POST', target: path, body: 'x'.repeat(size + 1) }));
    t.equal(above.status, path === '/none' ? 200 : 413, path);
  }
});

t.test('a header section above header_size is 431', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { limits: { header_size: '8KiB' } }));
  const response = await ask(port, requestText({ target, headers: [['X-Big', 'x'.repeat(9000)]] }));
  t.equal(response.status, 431);
  t.equal(codeOf(response.body), 'headers_too_large');
  t.equal(
    (await ask(port, requestText({ target: `/public/${'x'.repeat(9000)}` }))).status,
    431,
    'the target counts too',
  );
  t.equal((await ask(port, requestText({ target, headers: [['X-Big', 'x'.repeat(7000)]] }))).status, 200);
  t.equal(upstream.seen.length, 1);
});

t.test('more header lines than header_count are 431, and none is dropped silently', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { limits: { header_size: '1MiB', header_count: 100 } }));
  for (const count of [100, 2500, 5000]) {
    const headers = Array.from({ length: count }, (_, index) => [`X-${index}`, 'y'] as const);
    const response = await ask(port, requestText({ target, headers }));
    t.equal(response.status, 431, `${count} and Host`);
    t.equal(codeOf(response.body), 'headers_too_many');
  }
  t.equal(upstream.seen.length, 0);
  const most = Array.from({ length: 99 }, (_, index) => [`X-${index}`, 'y'] as const);
  t.equal((await ask(port, requestText({ target, headers: most }))).status, 200);
  t.equal(upstream.seen[0]?.rawHeaders.filter((name) => /^x-\d+$/i.test(name)).length, 99);
});

t.test('a slow head is cut at headers_timeout', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { limits: { headers_timeout: '500ms' } }));
  const client = await open(t, port);
  const start = performance.now();
  client.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n`);
  const timer = setInterval(() => client.send('X: y\r\n'), 100);
  const response = await client.read({ deadline: 20_000 });
  await client.untilClosed();
  clearInterval(timer);
  t.ok(performance.now() - start < 15_000, 'in time');
  t.ok(response === undefined || response.status === 408, `${response?.status}`);
  t.equal(upstream.seen.length, 0);
});

t.test('a body slower than body_rate is cut, and a large and steady one is not', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { limits: { body_rate: { bytes: '100B', over: '2s' } } }));
  const slow = await open(t, port);
  const steady = await open(t, port);
  slow.send(
    requestText({
      method: 'POST',
      target,
      headers: [
        ['X-Who', 'slow'],
        ['Content-Length', '100000'],
      ],
    }),
  );
  steady.send(
    requestText({
      method: 'POST',
      target,
      headers: [
        ['X-Who', 'steady'],
        ['Content-Length', '8000'],
      ],
    }),
  );
  // With pauses that are long enough for it to get a connection.
  const drip = setInterval(() => slow.send('x'), 400);
  let left = 40;
  const pour = setInterval(() => (left-- > 0 ? steady.send('x'.repeat(200)) : clearInterval(pour)), 100);
  const cut = await slow.read({ method: 'POST', deadline: 20_000 });
  clearInterval(drip);
  t.ok(cut === undefined || cut.status === 408, `${cut?.status}`);
  const served = await steady.read({ method: 'POST', deadline: 20_000 });
  t.equal(served?.status, 200, 'four seconds at 2000 bytes a second are no fault');
  const state = (who: string) => upstream.seen.find(({ header }) => header('x-who') === who)?.state;
  t.ok(await until(() => state('slow') === 'aborted'));
  t.equal(state('steady'), 'completed');
});

t.test('a body that never begins is cut too (advisory 35)', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { limits: { body_rate: { bytes: '100B', over: '500ms' } } }));
  const client = await open(t, port);
  client.send(requestText({ target, headers: [['Content-Length', '10']] }));
  const response = await client.read({ deadline: 20_000 });
  t.ok(response === undefined || response.status === 408 || response.status === 504, `${response?.status}`);
  t.ok(await until(() => upstream.seen.every(({ state }) => state === 'aborted')));
});

t.test('a slow reader slows the upstream down, and one that stopped reading is disconnected', async (t) => {
  const upstream = await witness(t);
  let written = 0;
  upstream.behave((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const pump = () => {
      for (let i = 0; i < 4096; i++) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', pump);
      }
    };
    pump();
  });
  const { port } = await gateway(t, behind(upstream.url, { limits: { idle: '1s' } }));
  const client = await open(t, port);
  client.socket.pause();
  client.send(requestText({ target }));
  t.ok(await until(() => written > 0));
  await new Promise((waited) => setTimeout(waited, 500));
  const before = written;
  t.ok(before < 32 * 1024 * 1024, `${before} bytes were taken from the upstream for a client that reads none`);
  t.ok(await until(() => upstream.seen[0]?.connectionClosed === true), 'the upstream is free again');
});

t.test('a client that reads none of its answers keeps its connection no longer than ten times idle', async (t) => {
  const upstream = await witness(t, { body: 'x'.repeat(64_000) });
  const { port } = await gateway(t, behind(upstream.url, { limits: { idle: '500ms', connections: 1 } }));
  const client = await open(t, port);
  client.socket.pause();
  client.send(Buffer.concat(Array(300).fill(requestText({ target }))));
  t.ok(await until(() => upstream.seen.length > 0));
  let other: Awaited<ReturnType<typeof exchange>>;
  for (let tries = 0; other === undefined && tries < 300; tries++) {
    other = await exchange(port, requestText({ target })).catch(() => undefined);
    await new Promise((waited) => setTimeout(waited, 100));
  }
  t.equal(other?.status, 200, 'there is room for another client');
});

t.test('a kept connection without a request is closed after idle', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { limits: { idle: '1s' } }));
  const client = await open(t, port);
  client.send(requestText({ target }));
  t.equal((await client.read())?.status, 200);
  const start = performance.now();
  await client.untilClosed();
  t.ok(performance.now() - start > 500, 'not before');
});

t.test('connections above the limit are refused, and after one closes there is room', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { limits: { connections: 3 } }));
  const clients = await Promise.all([1, 2, 3].map(() => open(t, port)));
  for (const client of clients) {
    client.send(requestText({ target }));
    t.equal((await client.read())?.status, 200);
  }
  const above = await open(t, port);
  above.send(requestText({ target }));
  t.equal(await above.read(), undefined);
  clients[0]?.destroy();
  t.ok(await until(async () => (await exchange(port, requestText({ target })))?.status === 200));
});

t.test('an upload that is refused early gets its whole answer, with Connection: close', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(requestText({ method: 'POST', target: '/orders/1', headers: [['Content-Length', '500000']] }));
  for (let i = 0; i < 50; i++) {
    client.send('x'.repeat(10_000));
    await new Promise((waited) => setTimeout(waited, 2));
  }
  const response = await client.read({ method: 'POST' });
  t.equal(response?.status, 401);
  t.ok(response?.complete);
  t.equal(response?.header('connection'), 'close');
  await client.untilClosed();
  t.notOk(client.error, 'no reset before the answer was read');
  t.equal(upstream.seen.length, 0);
});

t.test('at most 1 MiB or 2 s of a refused upload are read, then the connection is closed', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const endless = await open(t, port);
  endless.send(requestText({ method: 'POST', target: '/orders/1', headers: [['Content-Length', String(2 ** 40)]] }));
  const chunk = 'x'.repeat(64 * 1024);
  const pour = setInterval(() => endless.socket.writableLength < 2 ** 22 && endless.send(chunk), 1);
  const start = performance.now();
  await endless.untilClosed();
  clearInterval(pour);
  t.ok(performance.now() - start < 15_000, 'a fast sender is cut by bytes');
  const silent = await open(t, port);
  silent.send(requestText({ method: 'POST', target: '/orders/1', headers: [['Content-Length', '10']] }));
  const begin = performance.now();
  await silent.untilClosed();
  t.ok(performance.now() - begin < 15_000, 'a silent one by time');
});

t.test('a small body that is refused does not close the connection', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  for (let i = 0; i < 3; i++) {
    client.send(requestText({ method: 'POST', target: '/orders/1', body: 'hello' }));
    t.equal((await client.read({ method: 'POST' }))?.status, 401);
  }
  client.send(requestText({ method: 'POST', target, body: 'hello' }));
  t.equal((await client.read({ method: 'POST' }))?.status, 200);
  t.equal(upstream.seen[0]?.body.toString(), 'hello');
});

t.test('an upload that its upstream does not read is given up, and the client gets an answer', async (t) => {
  const upstream = await witness(t);
  upstream.behaveAtHead(() => {});
  const { port } = await gateway(
    t,
    behind(upstream.url, { upstreams: { api: { url: upstream.url, timeout: { response: '1s' } } } }),
  );
  const client = await open(t, port);
  client.send(requestText({ method: 'POST', target, headers: [['Content-Length', String(2 ** 30)]] }));
  const chunk = 'x'.repeat(64 * 1024);
  const pour = setInterval(() => client.socket.writableLength < 2 ** 22 && client.send(chunk), 1);
  const response = await client.read({ method: 'POST', deadline: 20_000 });
  clearInterval(pour);
  t.ok(response === undefined || response.status === 504, `${response?.status}`);
});

t.test('an upload that its upstream answers early is not cut before the answer is read', async (t) => {
  const upstream = await witness(t);
  upstream.behaveAtHead((request, response, seen) => {
    response.writeHead(200, { 'content-length': '4' }).end('done');
    follow(request, seen, () => {});
  });
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(requestText({ method: 'POST', target, headers: [['Content-Length', '100000']] }));
  client.send('x'.repeat(1000));
  const response = await client.read({ method: 'POST' });
  t.equal(response?.status, 200);
  t.equal(response?.body.toString(), 'done');
});
