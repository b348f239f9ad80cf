import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { askHttp2, http2Client, http2Listen } from '../support/http2-client.ts';
import { http2Upstream } from '../support/http2-upstream.ts';
import { open } from '../support/raw-client.ts';
import { answerText, rawUpstream } from '../support/raw-upstream.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';

const routes = [
  { id: 'at-once', match: { path: '/public/at-once' }, access: 'public', request_buffering: 'off' },
  { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
];

/** Bytes that keep arriving for the whole test, so that no pause causes the gateway to forward it. */
async function dripping(t: Test, port: number, head: string) {
  const client = await open(t, port);
  client.send(`${head}\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const timer = setInterval(() => client.send('1\r\nx\r\n'), 20);
  t.teardown(() => clearInterval(timer));
  return client;
}

const asks: Readonly<Record<string, string>> = {
  'a route with `request_buffering: off`': 'POST /public/at-once HTTP/1.1',
  'Expect: 100-continue': 'POST /public/a HTTP/1.1\r\nExpect: 100-continue',
  'Accept: text/event-stream': 'POST /public/a HTTP/1.1\r\nAccept: application/json, text/event-stream',
  'Content-Type: text/event-stream': 'POST /public/a HTTP/1.1\r\nContent-Type: text/event-stream',
  'a gRPC call': 'POST /public/a HTTP/1.1\r\nContent-Type: application/grpc+proto',
};

const asksOfStreams: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a route with `request_buffering: off`': { ':path': '/public/at-once' },
  'Accept: text/event-stream': { ':path': '/public/asks', accept: 'text/event-stream' },
  'Content-Type: text/event-stream': { ':path': '/public/asks', 'content-type': 'text/event-stream' },
  'a gRPC call': { ':path': '/public/asks', 'content-type': 'application/grpc' },
};

// Both in one write, so that a machine that stalls cannot let the waiting one be first.
for (const [what, fields] of Object.entries(asksOfStreams)) {
  t.test(`${what} overtakes an upload that was sent before it and waits`, async (t) => {
    const upstream = await rawUpstream(t, () => {});
    const { port } = await gateway(t, behind(upstream.url, { ...http2Listen(), routes }));
    const session = await http2Client(t, port);
    for (const more of [{ ':path': '/public/waits' }, fields]) {
      const stream = session.request({ ':method': 'POST', ':authority': 'a', ...more }, { endStream: false });
      stream.on('error', () => {});
      stream.write('x');
    }
    t.ok(await until(() => upstream.connections.length === 2 && upstream.connections[0]?.received !== ''));
    t.match(upstream.connections[0]?.received, `POST ${fields[':path']} `);
    t.match(upstream.connections[1]?.received ?? '', /^(?:POST .public.waits |$)/);
  });
}

for (const engine of ['undici', 'own'] as const) {
  for (const [what, head] of Object.entries(asks)) {
    t.test(`${engine}: ${what} is forwarded immediately`, async (t) => {
      const upstream = await rawUpstream(t, () => {});
      const api = { url: upstream.url, engine };
      const { port } = await gateway(t, behind('', { upstreams: { api }, routes }));
      await dripping(t, port, head);
      t.ok(await until(() => upstream.connections[0]?.received.includes('x\r\n') === true));
    });
  }

  t.test(
    `${engine}: any other body is forwarded when 64 KiB of it have arrived, byte for byte and in chunks`,
    async (t) => {
      const upstream = await rawUpstream(t, () => {});
      const api = { url: upstream.url, engine };
      const { port } = await gateway(t, behind('', { upstreams: { api }, routes }));
      const client = await dripping(t, port, 'POST /public/a HTTP/1.1');
      client.send(`10000\r\n${'y'.repeat(0x10000)}\r\n`);
      const received = () => upstream.connections[0]?.received ?? '';
      t.ok(await until(() => received().split('y').length > 0x10000));
      t.match(received(), /transfer-encoding: chunked/i);
    },
  );

  t.test(`${engine}: a small body in chunks keeps its framing`, async (t) => {
    const upstream = await rawUpstream(t, ({ socket, received }) => {
      if (received.endsWith('0\r\n\r\n')) socket.write(answerText('ok'));
    });
    const api = { url: upstream.url, engine };
    const { port } = await gateway(t, behind('', { upstreams: { api }, routes }));
    const client = await open(t, port);
    client.send('POST /public/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n');
    t.equal((await client.read({ method: 'POST' }))?.status, 200);
    t.match(upstream.connections[0]?.received, /transfer-encoding: chunked[\s\S]*\r\n3\r\nabc\r\n0\r\n\r\n$/i);
  });
}

t.test('an upload that waits is refused when its token expires', async (t) => {
  const upstream = await rawUpstream(t, () => {});
  const ending = [{ id: 'ending', match: { path: '/ending' }, access: 'authenticated', end_with: 'token' }];
  const { port } = await gateway(t, behind(upstream.url, { routes: ending }));
  const token = await jwt({ exp: Math.floor(Date.now() / 1000) + 3 }, { alg: 'HS256' });
  const client = await dripping(t, port, `POST /ending HTTP/1.1\r\nAuthorization: Bearer ${token}`);
  const answer = await client.read({ method: 'POST' });
  t.equal(answer?.status, 401);
  t.equal(JSON.parse(String(answer?.body)).code, 'token_expired');
});

t.test('over HTTP/2 to an upstream the share of an address counts streams', async (t) => {
  const held: (() => void)[] = [];
  const upstream = await http2Upstream(t, (stream) =>
    held.push(() => stream.respond({ ':status': 204 }, { endStream: true })),
  );
  const api = { url: upstream.url, http2: true, max_connections: 8 };
  const { port } = await gateway(t, behind('', { ...http2Listen(), upstreams: { api } }));
  const [one, other] = [await http2Client(t, port), await http2Client(t, port, { localAddress: '127.0.0.2' })];
  const asked = Array.from({ length: 12 }, () => askHttp2(one, { ':path': '/public/a' }));
  t.ok(await until(() => held.length === 4));
  const others = Array.from({ length: 4 }, () => askHttp2(other, { ':path': '/public/a' }));
  t.ok(await until(() => held.length === 8));
  const timer = setInterval(() => held.splice(0).forEach((answer) => void answer()), 5);
  t.teardown(() => clearInterval(timer));
  for (const { status } of await Promise.all([...asked, ...others])) t.equal(status, 204);
});

t.test('an address that uses all of its share is logged once, with the remedy if it is a proxy', async (t) => {
  const upstream = await rawUpstream(t, () => {});
  const api = { url: upstream.url, max_connections: 2 };
  const { port, log, adminUrl } = await gateway(t, behind('', { upstreams: { api }, routes, admin: '127.0.0.1:0' }));
  for (const from of ['127.0.0.1', '127.0.0.2']) {
    for (let i = 0; i < 3; i++) {
      const client = await open(t, port, from);
      const field = from === '127.0.0.2' ? 'X-Forwarded-For: 192.0.2.1' : 'Accept: */*';
      client.send(`GET /public/a HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n`);
    }
  }
  const named = () => log.filter(({ of }) => of === 'upstreams.api');
  t.ok(await until(() => named().length === 2));
  t.match(
    named().toSorted((a, b) => String(a.address).localeCompare(String(b.address))),
    [
      { address: '127.0.0.1', proxy: false, level: 40, msg: /limits.share/ },
      { address: '127.0.0.2', proxy: true, level: 40, msg: /trusted_proxies/ },
    ],
  );
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  t.match(metrics, 'gatehouse_share_reached_total{of="upstreams.api"} 4\n');
  t.match(metrics, 'gatehouse_untrusted_proxy{address="127.0.0.2"} 1\n');
});
