import { fileURLToPath } from 'node:url';
import t from 'tap';
import { gateway } from '../support/gateway.ts';
import { frame, http2Frames } from '../support/http2-frames.ts';
import { http2Upstream } from '../support/http2-upstream.ts';
import { ask } from '../support/raw-client.ts';
import { answerText, rawUpstream } from '../support/raw-upstream.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { tlsUpstream } from '../support/tls-upstream.ts';
import { hmacServer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';

/** Rows that hold for upstreams with several URLs, over TLS, and over HTTP/2. */

const vector = (name: string) => fileURLToPath(new URL(`../vectors/tls/${name}`, import.meta.url));
const problem = async (response: Response) =>
  `${response.status} ${((await response.json()) as { code: string }).code}`;

function file(api: object, more: object = {}): object {
  const routes = [{ match: { path: '/{rest*}' }, access: 'public' }];
  return { upstreams: { api }, defaults: { upstream: 'api' }, routes, ...more };
}

const withIdentity = {
  authorization_servers: hmacServer,
  defaults: { upstream: 'api', identity_headers: { prefix: 'X-Auth-', set: { 'X-Auth-Subject': 'sub' } } },
  routes: [{ match: { path: '/{rest*}' }, scope: 'admin' }],
};

t.test('advisories 4, 33 and 38: over HTTP/2 too, `Connection` deletes no header that the gateway sets', async (t) => {
  const upstream = await http2Upstream(t);
  const { port } = await gateway(t, file({ url: upstream.url, http2: true }, withIdentity));
  const token = bearer(await jwt({ scope: 'admin', sub: 'alice' }, { alg: 'HS256' }));
  for (const named of [
    'X-Auth-Subject',
    'x-auth-subject, X-FORWARDED-FOR',
    'forwarded, via, x-request-id, host',
    'te',
  ]) {
    const headers: (readonly [string, string])[] = [token, ['connection', named], ['x-auth-subject', 'mallory']];
    t.equal((await ask(port, requestText({ target: '/a', headers })))?.status, 200);
    const seen = upstream.seen.at(-1)?.headers;
    t.match(seen, { 'x-auth-subject': 'alice', 'x-forwarded-for': '127.0.0.1', via: /gatehouse/ }, named);
    t.ok(seen?.['x-request-id']);
    t.notOk(seen?.authorization);
  }
});

t.test('advisory 30: a health check carries no credential of the gateway or of a client', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) => socket.write(answerText('ok')));
  const health = { path: '/healthz', interval: '100ms' };
  const credentials = { header: { name: 'X-Api-Key', value: 'of-the-gateway' } };
  const { port } = await gateway(t, file({ url: upstream.url, health, credentials }, withIdentity));
  const token = bearer(await jwt({ scope: 'admin' }, { alg: 'HS256' }));
  await ask(port, requestText({ target: '/a', headers: [token, ['cookie', 'a=b']] }));
  const asked = () => upstream.connections.filter(({ received }) => received.startsWith('GET /healthz'));
  t.ok(await until(() => asked().length >= 3));
  for (const { received } of asked())
    t.notMatch(received, /authorization|cookie|x-api-key|x-auth|forwarded|of-the-gateway/i);
});

t.test('advisory 49: the second answer of an upstream URL that answers twice goes to no client', async (t) => {
  const twice = await rawUpstream(t, ({ socket }) => socket.write(answerText('first') + answerText('second')));
  const once = await rawUpstream(t, ({ socket }) => socket.write(answerText('ok')));
  const { url } = await gateway(t, file({ urls: [twice.url, once.url] }));
  const bodies = [];
  for (let asked = 0; asked < 20; asked++) bodies.push(await (await fetch(`${url}/a`)).text());
  t.strictSame(new Set(bodies), new Set(['first', 'ok']));
});

t.test('advisory 50: the process survives whatever an HTTP/2 upstream sends', async (t) => {
  const hostile: readonly (readonly [string, Buffer])[] = [
    ['garbage', Buffer.from('garbage '.repeat(20))],
    ['a frame that is too long', frame(0, 0, 1, Buffer.alloc(70_000))],
    ['content before its head', frame(0, 1, 1, Buffer.from('x'))],
    ['a window of nothing', frame(8, 0, 1, Buffer.alloc(4))],
    ['a head that cannot be read', frame(1, 5, 1, Buffer.from([0xff, 0xff, 0xff, 0xff]))],
    ['a pushed stream', frame(5, 4, 1, Buffer.from([0, 0, 0, 2, 0x88]))],
    ['a goodbye', frame(7, 0, 0, Buffer.alloc(8))],
  ];
  for (const [name, bytes] of hostile) {
    const upstream = await http2Frames(t, (socket) => {
      socket.write(bytes);
      setTimeout(() => socket.resetAndDestroy(), 30);
    });
    const { url } = await gateway(t, file({ url: upstream.url, http2: true, retries: 0 }));
    const response = await fetch(`${url}/a`, { method: 'POST', body: 'x' });
    t.equal(response.status, 502, name);
    await response.body?.cancel();
    t.equal((await fetch(`${url}/a`)).status, 502, `${name}, again`);
  }
});

t.test('an HTTP/2 answer that ends with a reset is incomplete, even if the reset has no error code', async (t) => {
  const upstream = await http2Frames(t, (socket) => {
    socket.write(frame(1, 4, 1, Buffer.from([0x88])));
    socket.write(frame(0, 0, 1, Buffer.from('half')));
    setTimeout(() => socket.write(frame(3, 0, 1, Buffer.alloc(4))), 30);
  });
  const { url } = await gateway(t, file({ url: upstream.url, http2: true }));
  await t.rejects(fetch(`${url}/a`).then((response) => response.text()));
});

t.test('advisory 53: a certificate that no configured authority signed is rejected', async (t) => {
  const environment = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  t.teardown(() => {
    if (environment === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = environment;
  });
  const upstream = await tlsUpstream(t);
  for (const tls of [undefined, { ca: vector('other-authority.crt') }]) {
    for (const http2 of [false, true]) {
      const { url } = await gateway(t, file({ url: upstream.url, http2, ...(tls && { tls }) }));
      t.equal(await problem(await fetch(`${url}/a`)), '502 upstream_unreachable');
    }
  }
  t.equal(upstream.requests(), 0);
});
