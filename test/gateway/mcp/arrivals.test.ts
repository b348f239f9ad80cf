import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import { askHttp2, http2Client, http2Listen } from '../../support/http2-client.ts';
import { ask } from '../../support/raw-client.ts';
import { jwt } from '../../support/tokens.ts';

interface Seen {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: NodeJS.Dict<string>;
  readonly body: string;
}

/** Answers every message. `seen`: what it got. */
async function upstream(t: Test): Promise<{ readonly url: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    seen.push({ headers: request.headers, trailers: request.trailers, body });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const routes = [
  {
    id: 'tools',
    match: { path: '/mcp' },
    mcp: { scope: { '*': 'mcp.use', 'tools/call drop': 'nobody' }, sessions: true },
  },
];
const call = (name: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });

async function scene(t: Test, more: object = {}) {
  const { url, seen } = await upstream(t);
  const { port } = await gateway(t, behind(url, { routes, ...more }));
  const authorization = `Bearer ${await jwt({ scope: 'mcp.use' }, { alg: 'HS256' })}`;
  return { port, seen, authorization };
}

/** Ways to send a body over HTTP/1.1, after the common lines. */
const ways: Readonly<Record<string, (body: string) => string>> = {
  'with its length': (body) => `Content-Length: ${body.length}\r\n\r\n${body}`,
  'in one chunk': (body) => `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  'in a chunk for each byte': (body) =>
    `Transfer-Encoding: chunked\r\n\r\n${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`,
  'with a trailer': (body) =>
    `Transfer-Encoding: chunked\r\nTrailer: Mcp-Name\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\nMcp-Name: drop\r\n\r\n`,
  'after an expectation': (body) => `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  'with an offer of another protocol': (body) =>
    `Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  'with another method in a header': (body) =>
    `X-HTTP-Method-Override: GET\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
};

t.test('over HTTP/1.1, a message is judged however it arrives', async (t) => {
  const { port, seen, authorization } = await scene(t);
  const send = (name: string, way: (body: string) => string) =>
    ask(
      port,
      `POST /mcp HTTP/1.1\r\nHost: api.example.com\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n${way(call(name))}`,
    );
  for (const [what, way] of Object.entries(ways)) {
    t.equal((await send('echo', way)).status, 200, what);
    const [got] = seen.splice(0);
    t.match(got, { body: call('echo'), trailers: {} }, what);
    t.equal(got?.headers.upgrade, undefined);
    t.equal((await send('drop', way)).status, 403, what);
  }
  t.equal(seen.length, 0);
});

t.test('a message that another one follows in the same connection is judged alone', async (t) => {
  const { port, seen, authorization } = await scene(t);
  const head = `POST /mcp HTTP/1.1\r\nHost: api.example.com\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n`;
  const one = (name: string) => `${head}Content-Length: ${call(name).length}\r\n\r\n${call(name)}`;
  t.equal((await ask(port, one('echo') + one('drop'))).status, 200);
  t.strictSame(
    seen.map(({ body }) => body),
    [call('echo')],
  );
});

t.test('a preflight that the upstream answers has no body, and no id of a session', async (t) => {
  const [route] = routes;
  const origin = 'https://app.example.com';
  const mcp = { ...route?.mcp, origins: [origin] };
  const { port, seen } = await scene(t, { routes: [{ ...route, mcp, cors: 'upstream' }] });
  const head = `OPTIONS /mcp HTTP/1.1\r\nHost: api.example.com\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: POST\r\n`;
  t.equal((await ask(port, `${head}\r\n`)).status, 200);
  t.equal(seen.splice(0).length, 1);
  const type = 'Content-Type: application/json\r\n';
  for (const [what, way] of Object.entries(ways))
    t.equal((await ask(port, head + type + way(call('drop')))).status, 400, what);
  t.equal((await ask(port, `${head}Mcp-Session-Id: session-1\r\n\r\n`)).status, 404);
  t.equal(seen.length, 0);
});

t.test('over HTTP/2, a message without a length is judged too', async (t) => {
  const { port, seen, authorization } = await scene(t, http2Listen());
  const session = await http2Client(t, port);
  const send = (method: string, body: string) =>
    askHttp2(session, { ':method': method, ':path': '/mcp', 'content-type': 'application/json', authorization }, body);
  t.equal((await send('POST', call('echo'))).status, 200);
  t.equal(seen.splice(0)[0]?.body, call('echo'));
  t.equal((await send('POST', call('drop'))).status, 403);
  t.equal((await send('POST', '')).status, 400);
  for (const method of ['GET', 'DELETE']) t.equal((await send(method, call('echo'))).status, 400, method);
  t.equal(seen.length, 0);
});
