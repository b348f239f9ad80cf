import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask, open } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

t.test('CONNECT is 405 and opens nothing (advisory 34)', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  for (const target of ['api.example.com:443', '/public/a', '127.0.0.1:22', '*']) {
    const client = await open(t, port);
    client.send(`CONNECT ${target} HTTP/1.1\r\nHost: api.example.com\r\n\r\nhello`);
    const response = await client.read({ method: 'CONNECT' });
    t.equal(response?.status, 405, target);
    t.equal(JSON.parse(response?.body.toString() ?? '{}').code, 'method_not_allowed');
    await client.untilClosed();
  }
  t.equal(upstream.seen.length, 0);
});

t.test('pipelined requests are answered in order, each with its own verdict', async (t) => {
  const upstream = await witness(t);
  upstream.behave((request, response) => {
    const delay = Number(/delay=(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
    setTimeout(() => response.end(request.url), delay);
  });
  const { port } = await gateway(t, behind(upstream.url));
  const token = bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
  const client = await open(t, port);
  const requests = [
    requestText({ target: '/public/1?delay=80' }),
    requestText({ target: '/orders/2' }),
    requestText({ target: '/orders/3?delay=20', headers: [token] }),
    requestText({ target: '/public/%2e%2e/4' }),
    requestText({ method: 'POST', target: '/public/5', body: 'hello' }),
    requestText({ target: '/nowhere' }),
    requestText({ target: '/public/7' }),
  ];
  client.send(Buffer.concat(requests));
  const answers = [];
  for (const _ of requests) answers.push(await client.read());
  t.same(
    answers.map((answer) => answer?.status),
    [200, 401, 200, 400, 200, 404, 200],
  );
  t.same(
    answers.filter((answer) => answer?.status === 200).map((answer) => answer?.body.toString()),
    ['/public/1?delay=80', '/orders/3?delay=20', '/public/5', '/public/7'],
  );
});

t.test('a malformed request after a good one does not disturb the answer to the good one', async (t) => {
  const upstream = await witness(t);
  upstream.behave((_request, response) => void setTimeout(() => response.end('ok'), 50));
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(Buffer.concat([requestText({ target: '/public/1' }), Buffer.from('GARBAGE\r\n\r\n')]));
  const first = await client.read();
  t.ok(first === undefined || first.status === 200 || first.status === 400, `${first?.status}`);
  if (first?.status === 200) t.equal(first.body.toString(), 'ok');
  await client.untilClosed();
  t.equal(client.unread.includes('HTTP/1.1 200'), false, 'nothing is answered twice');
});

t.test('a method that the route does not accept is 405 with Allow; no route is 404', async (t) => {
  const upstream = await witness(t);
  const routes = [{ id: 'read', match: { methods: ['GET', 'DELETE'], path: '/items/{id}' }, access: 'public' }];
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  const response = await ask(port, requestText({ method: 'POST', target: '/items/1', body: '' }));
  t.equal(response.status, 405);
  t.same(response.header('allow')?.split(', ').sort(), ['DELETE', 'GET']);
  const head = await ask(port, requestText({ method: 'HEAD', target: '/items/1' }), { method: 'HEAD' });
  t.equal(head.status, 405, 'GET does not imply HEAD');
  t.equal((await ask(port, requestText({ target: '/items' }))).status, 404);
  t.equal((await ask(port, requestText({ target: '/items/1/2' }))).status, 404);
  t.equal(upstream.seen.length, 0);
});

t.test('methods are case-sensitive, and an unknown one is an invalid request', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  for (const method of ['get', 'Get', 'FOOBAR', 'GE T', 'G\0T', '']) {
    const response = await ask(port, requestText({ method, target: '/public/a' }));
    t.ok([400, 405].includes(response.status), `${JSON.stringify(method)}: ${response.status}`);
  }
  t.equal(upstream.seen.length, 0);
});

t.test('unusual methods pass if the route accepts all methods', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  for (const method of [
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'PROPFIND',
    'REPORT',
    'LOCK',
    'MKCOL',
    'QUERY',
  ]) {
    const { status } = await ask(port, requestText({ method, target: '/public/a' }));
    t.equal(status, 200, method);
    t.equal(upstream.seen.pop()?.method, method);
  }
});

t.test('a GET with a body is framed by its length, and its body is not read as a request', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  const smuggled = 'GET /admin/secret HTTP/1.1\r\nHost: a\r\n\r\n';
  for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST']) {
    client.send(requestText({ method, target: '/public/a', body: smuggled }));
    t.equal((await client.read({ method }))?.status, 200, method);
  }
  t.same(
    upstream.seen.map(({ target }) => target),
    Array(4).fill('/public/a'),
  );
  t.ok(upstream.seen.every(({ body }) => body.toString() === smuggled));
});

t.test('a refusal of HEAD has the headers of its GET and no body, and the connection stays open', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  for (const [target, status] of [
    ['/orders/1', 401],
    ['/nowhere', 404],
    ['/public/%2e%2e/a', 400],
    ['/public/a', 200],
  ] as const) {
    client.send(requestText({ method: 'HEAD', target }));
    const response = await client.read({ method: 'HEAD' });
    t.equal(response?.status, status, target);
    if (status !== 200) t.equal(response?.header('content-type'), 'application/problem+json');
  }
  t.equal(client.unread.length, 0);
});

t.test('a pause between any two bytes does not change a request', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const bytes = requestText({ method: 'POST', target: '/public/a', headers: [['X-A', 'b']], body: 'hello' });
  const client = await open(t, port);
  for (const byte of bytes) {
    client.send(Buffer.from([byte]));
    await new Promise((turn) => setImmediate(turn));
  }
  t.equal((await client.read({ method: 'POST' }))?.status, 200);
  t.equal(upstream.seen[0]?.body.toString(), 'hello');
  t.equal(upstream.seen[0]?.header('x-a'), 'b');
});

t.test('Connection: close is answered and obeyed, for forwarded and refused requests', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  for (const [target, status] of [
    ['/public/a', 200],
    ['/orders/a', 401],
    ['/nowhere', 404],
  ] as const) {
    const client = await open(t, port);
    client.send(requestText({ target, headers: [['Connection', 'close']] }));
    const response = await client.read();
    t.equal(response?.status, status);
    t.equal(response?.header('connection'), 'close');
    await client.untilClosed();
  }
});

t.test('header lines arrive in order, repeated ones too, with their bytes', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const headers = [
    ['X-A', '1'],
    ['Cookie', 'a=1'],
    ['X-B', '\u00ff \u0080 "\\\\"'],
    ['Cookie', 'b=2'],
    ['X-A', '2'],
    ['Accept', 'text/html'],
    ['Accept', '*/*'],
  ] as const;
  t.equal((await ask(port, requestText({ target: '/public/a', headers }))).status, 200);
  const [seen] = upstream.seen;
  t.same(seen?.all('x-a'), ['1', '2']);
  t.same(seen?.all('cookie').join('; '), 'a=1; b=2');
  t.same(seen?.all('accept').join(', '), 'text/html, */*');
  t.equal(seen?.header('x-b'), headers[2][1]);
});

t.test('the coding is compared without case, and a chunked request arrives chunked or with its length', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  for (const coding of ['chunked', 'Chunked', 'CHUNKED']) {
    const head = requestText({ method: 'POST', target: '/public/a', headers: [['Transfer-Encoding', coding]] });
    t.equal(
      (await ask(port, Buffer.concat([head, Buffer.from('5\r\nhello\r\n0\r\n\r\n')]), { method: 'POST' })).status,
      200,
      coding,
    );
    const seen = upstream.seen.pop();
    t.equal(seen?.body.toString(), 'hello');
    t.equal((seen?.all('transfer-encoding').length ?? 0) + (seen?.all('content-length').length ?? 0), 1);
  }
});
