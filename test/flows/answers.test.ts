import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask, open } from '../support/raw-client.ts';
import { answerText, rawUpstream } from '../support/raw-upstream.ts';
import { requestText } from '../support/request-text.ts';
import { witness } from '../support/witness.ts';

const target = '/public/a';

t.test('an answer arrives with its status, headers and body unchanged', async (t) => {
  const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const headers = [
    ['Content-Type', 'application/octet-stream'],
    ['Set-Cookie', 'a=1'],
    ['Set-Cookie', 'b=2'],
    ['X-Odd', 'ÿ þ'],
    ['ETag', '"1"'],
  ] as const;
  const upstream = await witness(t, { status: 418, headers, body });
  const { port } = await gateway(t, behind(upstream.url));
  const response = await ask(port, requestText({ target }));
  t.equal(response.status, 418);
  t.same(response.all('set-cookie'), ['a=1', 'b=2']);
  t.equal(response.header('content-type'), 'application/octet-stream');
  t.equal(response.header('x-odd'), 'ÿ þ');
  t.equal(response.header('etag'), '"1"');
  t.same(response.body, body);
});

t.test('HEAD gets no body, and the length that GET would have', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1234\r\n\r\n'),
  );
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  for (let i = 0; i < 3; i++) {
    client.send(requestText({ method: 'HEAD', target }));
    const response = await client.read({ method: 'HEAD' });
    t.equal(response?.status, 200);
    t.equal(response?.header('content-length'), '1234');
  }
  t.equal(client.unread.length, 0, 'nothing follows the head');
});

for (const status of [204, 304]) {
  t.test(`${status} has no body, and the connection stays usable`, async (t) => {
    const upstream = await rawUpstream(t, ({ socket }) => socket.write(`HTTP/1.1 ${status} Fine\r\netag: "x"\r\n\r\n`));
    const { port } = await gateway(t, behind(upstream.url));
    const client = await open(t, port);
    for (let i = 0; i < 3; i++) {
      client.send(requestText({ target }));
      const response = await client.read();
      t.equal(response?.status, status);
      t.equal(response?.header('etag'), '"x"');
      t.same(response?.all('transfer-encoding'), []);
      if (status === 204) t.same(response?.all('content-length'), [], 'RFC 9110 §8.6');
    }
    t.equal(client.unread.length, 0);
  });
}

t.test('304 keeps its Content-Length, and the gateway waits for no body', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) =>
    socket.write('HTTP/1.1 304 Not Modified\r\ncontent-length: 1000\r\n\r\n'),
  );
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  for (let i = 0; i < 2; i++) {
    client.send(requestText({ target }));
    t.equal((await client.read())?.status, 304);
  }
});

t.test('trailers of the answer arrive after its body', async (t) => {
  const upstream = await witness(t, { headers: [['Trailer', 'X-Sum']], body: 'hello', trailers: [['X-Sum', 'abc']] });
  const { port } = await gateway(t, behind(upstream.url));
  const response = await ask(port, requestText({ target, headers: [['TE', 'trailers']] }));
  t.equal(response.body.toString(), 'hello');
  t.same(
    response.trailers.map(([name, value]) => [name.toLowerCase(), value]),
    [['x-sum', 'abc']],
  );
});

t.test('a trailer never contains a field that only a header may have (RFC 9110 §6.5.1)', async (t) => {
  const forbidden = 'Transfer-Encoding: chunked\r\nHost: evil\r\nSet-Cookie: a=1\r\nX-Ok: yes\r\n';
  const text = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n${forbidden}\r\n`;
  const upstream = await rawUpstream(t, ({ socket }) => socket.write(text));
  const { port } = await gateway(t, behind(upstream.url));
  const response = await ask(port, requestText({ target, headers: [['TE', 'trailers']] }));
  t.equal(response.body.toString(), 'hello');
  t.same(
    response.trailers.map(([name]) => name.toLowerCase()),
    ['x-ok'],
  );
});

t.test('hop-by-hop fields of the answer, known ones and those that Connection names, are removed', async (t) => {
  const hops = [
    'Connection: keep-alive, X-Hop, x-other',
    'X-Hop: 1',
    'X-Other: 2',
    'Keep-Alive: timeout=3, max=7',
    'Proxy-Connection: keep-alive',
    'Upgrade: h2c',
    'TE: gzip',
  ];
  const upstream = await rawUpstream(t, ({ socket }) =>
    socket.write(answerText('ok', { headers: [...hops, 'X-End: 3'] })),
  );
  const { port } = await gateway(t, behind(upstream.url));
  const { header, all } = await ask(port, requestText({ target }));
  for (const name of ['x-hop', 'x-other', 'proxy-connection', 'upgrade', 'te']) t.same(all(name), [], name);
  t.notMatch(all('keep-alive').join(), /max=7/, 'the gateway speaks of its own connection');
  t.equal(header('x-end'), '3');
});

t.test('an answer that ends with its connection arrives whole, with framing of its own', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) => socket.end('HTTP/1.1 200 OK\r\n\r\nuntil the end'));
  const { port } = await gateway(t, behind(upstream.url));
  const response = await ask(port, requestText({ target }));
  t.equal(response.body.toString(), 'until the end');
  t.ok(response.complete);
});

t.test('an HTTP/1.0 client gets no chunks, and the connection closes', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) =>
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'),
  );
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(requestText({ target, version: 'HTTP/1.0' }));
  const response = await client.read();
  t.equal(response?.body.toString(), 'hello');
  t.same(response?.all('transfer-encoding'), []);
  await client.untilClosed();
  t.ok(client.closed);
});

t.test("every answer has the request id that the upstream saw, and a client's own id is not used", async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const response = await ask(
    port,
    requestText({
      target,
      headers: [
        ['X-Request-Id', 'mine'],
        ['x_request_id', 'mine too'],
      ],
    }),
  );
  const id = upstream.seen[0]?.header('x-request-id');
  t.ok(id);
  t.not(id, 'mine');
  t.equal(response.header('x-request-id'), id);
  const refused = await ask(port, requestText({ target: '/nowhere' }));
  t.ok(refused.header('x-request-id'));
  t.equal(JSON.parse(refused.body.toString()).request_id, refused.header('x-request-id'));
});

t.test('an upstream cannot set the request id of an answer', async (t) => {
  const upstream = await witness(t, { headers: [['X-Request-Id', 'theirs']] });
  const { port } = await gateway(t, behind(upstream.url));
  const response = await ask(port, requestText({ target }));
  t.equal(response.header('x-request-id'), upstream.seen[0]?.header('x-request-id'));
});
