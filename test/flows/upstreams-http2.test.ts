import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { gateway, type TestGateway } from '../support/gateway.ts';
import { type Http2Script, type Http2Upstream, http2Upstream } from '../support/http2-upstream.ts';
import { ask, exchange, open } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { tlsUpstream } from '../support/tls-upstream.ts';
import { until } from '../support/until.ts';

/** `http2: true`: another engine with the same interface, so the same rules. */

/** Waits for limits of seconds: 8 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const ca = fileURLToPath(new URL('../vectors/tls/authority.crt', import.meta.url));
const routes = [{ match: { path: '/{rest*}' }, access: 'public', path_parameters: 'keep' }];

function file(url: string, more: object = {}): object {
  return { upstreams: { api: { url, http2: true, ...more } }, defaults: { upstream: 'api' }, routes };
}

interface Scene extends TestGateway {
  readonly upstream: Http2Upstream;
}

async function before(t: Test, script?: Http2Script, more: object = {}): Promise<Scene> {
  const upstream = await http2Upstream(t, script);
  return { ...(await gateway(t, file(upstream.url, more))), upstream };
}

const code = (text: string) => (JSON.parse(text) as { code: string }).code;

t.test('over TLS by ALPN, with the authority of `tls`, and directly over plain TCP', async (t) => {
  for (const tls of [{}, undefined]) {
    const upstream = await http2Upstream(t, undefined, tls);
    const { url } = await gateway(t, file(upstream.url, tls && { tls: { ca } }));
    const response = await fetch(`${url}/a?b=c`, { method: 'POST', body: 'hello' });
    t.equal(response.status, 200);
    t.equal(await response.text(), 'ok');
    t.match(upstream.seen[0]?.headers, { ':method': 'POST', ':path': '/a?b=c', ':scheme': tls ? 'https' : 'http' });
    t.equal(upstream.seen[0]?.body.toString(), 'hello');
    await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/a`)));
    t.equal(upstream.opened(), 1, 'one connection carries all');
  }
});

t.test(
  'an https upstream that supports only HTTP/1.1 is 502, and so is one with an untrusted certificate',
  async (t) => {
    const trusted = await tlsUpstream(t);
    const one = await gateway(t, file(trusted.url, { tls: { ca } }));
    t.equal((await fetch(`${one.url}/a`)).status, 502);
    const other = await http2Upstream(t, undefined, {});
    const two = await gateway(t, file(other.url));
    const response = await fetch(`${two.url}/a`);
    t.equal(response.status, 502);
    t.equal(code(await response.text()), 'upstream_unreachable');
    t.equal(other.seen.length, 0);
  },
);

t.test('path, Host and header lines arrive as they were judged', async (t) => {
  const { port, upstream } = await before(t);
  const target = "/a%20b/c;d=e/'(f)*!$&,=:@~/..g/%C3%A4?x=%7B&y='(1)*!";
  const headers: [string, string][] = [
    ['x-twice', 'one'],
    ['cookie', 'a=b'],
    ['x-twice', 'two'],
    ['cookie', 'c=d'],
    ['connection', 'x-hop, keep-alive'],
    ['x-hop', 'gone'],
    ['x-forwarded-for', '1.2.3.4'],
    ['te', 'trailers'],
    ['keep-alive', '1'],
  ];
  const response = await ask(port, requestText({ target, headers, host: 'api.example.com' }));
  t.equal(response?.status, 200);
  const [seen] = upstream.seen;
  t.equal(seen?.headers[':path'], target);
  t.equal(seen?.headers[':authority'], 'api.example.com');
  t.equal(seen?.headers['x-twice'], 'one, two');
  t.equal(seen?.headers.cookie, 'a=b; c=d');
  t.equal(seen?.headers['x-hop'], undefined);
  t.equal(seen?.headers['x-forwarded-for'], '127.0.0.1');
  t.equal(seen?.headers.te, 'trailers');
  t.match(seen?.headers.via, /gatehouse/);
  t.equal(seen?.headers.connection, undefined);
});

t.test('`host: upstream` is the authority of the url', async (t) => {
  const { url, upstream } = await before(t, undefined, { host: 'upstream' });
  await fetch(`${url}/a`);
  t.equal(upstream.seen[0]?.headers[':authority'], new URL(upstream.url).host);
});

t.test('a body arrives whole, whatever the method', async (t) => {
  const { url, upstream } = await before(t);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const response = await fetch(`${url}/a`, { method, body: 'x'.repeat(300_000) });
    t.equal(response.status, 200, method);
    t.equal(upstream.seen.at(-1)?.headers[':method'], method);
    t.equal(upstream.seen.at(-1)?.body.length, 300_000, method);
    t.equal(upstream.seen.at(-1)?.headers['content-length'], '300000');
  }
});

t.test('header lines, trailers and interim answers of the upstream arrive as over HTTP/1.1', async (t) => {
  const { port } = await before(t, (stream) => {
    stream.additionalHeaders({ ':status': 103, link: '</a>' });
    stream.respond(
      { ':status': 200, 'set-cookie': ['a=1', 'b=2'], 'x-a': 'ä', trailer: 'x-sum' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '7' }));
    stream.end('whole');
  });
  const response = await ask(port, requestText({ target: '/a' }));
  t.equal(response?.status, 200);
  t.strictSame(response?.all('set-cookie'), ['a=1', 'b=2']);
  t.equal(response?.body.toString(), 'whole');
  t.match(response?.trailers, [['x-sum', '7']]);
  t.notOk(response?.header('link'));
});

t.test('both directions stream, and neither waits for the end of the other', async (t) => {
  const { port } = await before(t, (stream) => {
    stream.respond({ ':status': 200 });
    stream.on('data', (chunk: Buffer) => stream.write(chunk.toString().toUpperCase()));
    stream.on('end', () => stream.end());
  });
  const client = await open(t, port);
  client.send('POST /a HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n');
  t.ok(
    await until(() => String(client.unread).includes('FIRST')),
    'an answer to the first part, before the second is sent',
  );
  client.send('6\r\nsecond\r\n0\r\n\r\n');
  t.ok(await until(() => String(client.unread).includes('SECOND')));
});

t.test('an answer larger than a slow client reads is held back upstream, and arrives whole', async (t) => {
  const size = 8 * 1024 * 1024;
  let sent = 0;
  const { port } = await before(t, (stream) => {
    stream.respond({ ':status': 200, 'content-length': String(size) });
    const chunk = Buffer.alloc(64 * 1024, 'a');
    const more = () => {
      while (sent < size) {
        sent += chunk.length;
        if (!stream.write(chunk)) {
          stream.once('drain', more);
          return;
        }
      }
      stream.end();
    };
    more();
  });
  const client = await open(t, port);
  client.socket.pause();
  client.send(requestText({ target: '/a' }));
  await pause(400);
  t.ok(sent < size, `held back at ${sent}`);
  client.socket.resume();
  const response = await client.read();
  t.equal(response?.body.length, size);
});

const cuts: Readonly<Record<string, Http2Script>> = {
  'a reset with an error': (stream) => stream.destroy(new Error('x')),
  'a reset that says nothing is wrong': (stream) => stream.destroy(undefined),
  'the end of the connection': (stream) => stream.session?.destroy(),
  'a reset connection': (stream) => stream.session?.socket.destroy(),
};

for (const [name, cut] of Object.entries(cuts)) {
  t.test(`an answer that is cut by ${name} is cut for the client, and the gateway continues`, async (t) => {
    const { port, url } = await before(t, (stream, headers) => {
      if (headers[':path'] === '/whole') {
        stream.respond({ ':status': 200 });
        stream.end('whole');
        return;
      }
      stream.respond({ ':status': 200 });
      stream.write('half');
      setTimeout(() => cut(stream, headers), 30);
    });
    const response = await exchange(port, requestText({ target: '/a' }));
    t.notOk(response?.complete);
    t.equal((await fetch(`${url}/whole`)).status, 200, 'over a connection that is new if need be');
  });
}

t.test('an upstream that resets a connection between requests breaks neither the process nor a request', async (t) => {
  const { url, upstream } = await before(t);
  for (let round = 0; round < 5; round++) {
    t.equal((await fetch(`${url}/a`)).status, 200);
    for (const { socket } of upstream.sessions) socket.destroy();
    await pause(20);
  }
  t.equal(upstream.opened(), 5);
});

t.test('garbage and a refused connection are 502', async (t) => {
  const { rawUpstream } = await import('../support/raw-upstream.ts');
  const raw = await rawUpstream(t, ({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
  const one = await gateway(t, file(raw.url));
  const garbage = await fetch(`${one.url}/a`, { method: 'POST', body: 'x' });
  t.equal(garbage.status, 502);
  t.equal(code(await garbage.text()), 'upstream_invalid');
  const { freePort } = await import('../support/free-port.ts');
  const two = await gateway(t, file(`http://127.0.0.1:${await freePort()}`));
  const refused = await fetch(`${two.url}/a`, { method: 'POST', body: 'x' });
  t.equal(refused.status, 502);
  t.equal(code(await refused.text()), 'upstream_unreachable');
});

t.test('silence is 504 at the configured limit, and ends the stream upstream', async (t) => {
  let closed = 0;
  const { url } = await before(t, (stream) => stream.on('close', () => closed++), { timeout: { response: '300ms' } });
  const start = performance.now();
  const response = await fetch(`${url}/a`);
  const took = performance.now() - start;
  t.ok(took > 250 && took < 10_000, `after ${Math.round(took)} ms`);
  t.equal(response.status, 504);
  t.equal(code(await response.text()), 'upstream_timeout');
  t.ok(await until(() => closed === 1));
});

t.test('silence in the middle of an answer ends it, cut, at the idle limit', async (t) => {
  const { port } = await before(
    t,
    (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'text/event-stream' });
      stream.write('half');
    },
    { timeout: { idle: '300ms' } },
  );
  const response = await exchange(port, requestText({ target: '/a' }));
  t.notOk(response?.complete);
});

t.test('a client that leaves ends its stream', async (t) => {
  let closed = 0;
  const { port, upstream } = await before(t, (stream) => stream.on('close', () => closed++));
  for (let left = 0; left < 20; left++) {
    const client = await open(t, port);
    client.send(requestText({ target: '/a' }));
    await until(() => upstream.sessions.size > 0);
    await pause(10);
    client.destroy();
  }
  t.ok(await until(() => closed === 20), `${closed} of 20`);
});

t.test('more than `max_connections` and `max_pending` at a time are 503', async (t) => {
  const { url } = await before(
    t,
    (stream) => setTimeout(() => stream.respond({ ':status': 204 }, { endStream: true }), 1_500),
    {
      max_connections: 3,
      max_pending: 0,
    },
  );
  const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await fetch(`${url}/a`)).status));
  t.strictSame(statuses.toSorted(), [204, 204, 204, 503, 503]);
});

t.test('a request that the upstream did not begin is sent once more', async (t) => {
  let refused = 0;
  const { url } = await before(t, (stream) => {
    if (refused++ === 0) stream.close(7);
    else stream.respond({ ':status': 204 }, { endStream: true });
  });
  t.equal((await fetch(`${url}/a`)).status, 204);
});

t.test("the upstream's own 503 with Retry-After is its answer, and the request is not repeated", async (t) => {
  const { url, upstream } = await before(t, (stream) =>
    stream.respond({ ':status': 503, 'retry-after': '1' }, { endStream: true }),
  );
  t.equal((await fetch(`${url}/a`)).status, 503);
  t.equal(upstream.seen.length, 1);
});

t.test('a WebSocket handshake is an ordinary request, whose answer is relayed', async (t) => {
  const { port, upstream } = await before(t);
  const handshake =
    'GET /a HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
  const response = await ask(port, handshake);
  t.equal(response?.status, 200);
  t.equal(upstream.seen[0]?.headers.upgrade, undefined);
});

t.test(
  'several URLs: after a failed connection a request goes to another URL, unless a part of its body is gone',
  async (t) => {
    const upstream = await http2Upstream(t);
    const { freePort } = await import('../support/free-port.ts');
    const urls = [`http://127.0.0.1:${await freePort()}`, upstream.url];
    const { url } = await gateway(t, file('', { url: undefined, urls }));
    t.equal((await fetch(`${url}/a`, { method: 'POST' })).status, 200);
    await fetch(`${url}/a`);
    // Longer than one read, so the gateway cannot have all of it in memory.
    t.equal((await fetch(`${url}/a`, { method: 'POST', body: 'x'.repeat(300_000) })).status, 502);
  },
);
