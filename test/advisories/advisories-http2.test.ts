import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { askHttp2, type Http2Answer, type Http2Question, http2Client, http2Listen } from '../support/http2-client.ts';
import { code, GET, headers, http2Raw, POST, RST_STREAM } from '../support/http2-raw-client.ts';
import { hmacServer, jwt } from '../support/tokens.ts';
import { type Witness, witness } from '../support/witness.ts';

/** Rows about how a request is read, for clients that use HTTP/2. */

async function scene(t: Test, changes: object = {}) {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { ...http2Listen(), ...changes }));
  const session = await http2Client(t, port);
  const ask = (question: Http2Question, body?: string): Promise<Http2Answer> => askHttp2(session, question, body);
  return { ask, port, upstream };
}

const token = async () => `Bearer ${await jwt({ scope: 'orders.read' }, { alg: 'HS256' })}`;

t.test('over HTTP/2 no spelling of a path bypasses a rule (advisories 1, 8, 16, 21 and 55)', async (t) => {
  const { ask, upstream } = await scene(t);
  const paths = [
    '/public/../admin',
    '/public/%2e%2e/admin',
    '/public/..%2fadmin',
    '/public/a#/../admin',
    '/public//admin',
  ];
  for (const path of [
    ...paths,
    '/public/%2e%2e%2fadmin',
    '/public/..;/admin',
    '/public\\..\\admin',
    '//admin',
    '/public/%252e',
  ]) {
    const { status } = await ask({ ':path': path });
    t.equal(status, 400, path);
  }
  t.equal((await ask({ ':path': '/admin/1' })).status, 401);
  t.equal(upstream.seen.length, 0);
});

t.test(
  'over HTTP/2 a request with Connection is malformed, so Connection deletes nothing (advisories 4, 33 and 38)',
  async (t) => {
    const { port, upstream } = await scene(t);
    const client = await http2Raw(t, port);
    const names = ['x-request-id', 'X-Forwarded-For', 'x-gatehouse-subject', 'close', 'keep-alive'];
    let stream = 1;
    for (const value of names) {
      client.send(headers(stream, [...GET, ['connection', value]]));
      const answer = await client.frame(RST_STREAM, stream);
      t.equal(answer && code(answer), 1, value);
      stream += 2;
    }
    t.equal(upstream.seen.length, 0);
  },
);

t.test('over HTTP/2 a host matches in any case, with a trailing dot or a port (advisory 10)', async (t) => {
  const route = { id: 'api', match: { host: 'api.example.com', path: '/{rest*}' }, scope: 'admin' };
  const open = { id: 'rest', match: { path: '/{rest*}' }, access: 'public' };
  const { ask } = await scene(t, { routes: [route, open], authorization_servers: hmacServer });
  for (const host of ['api.example.com', 'API.Example.COM', 'api.example.com.', 'api.example.com:8443'])
    t.equal((await ask({ ':path': '/a', ':authority': host })).status, 401, host);
  t.equal((await ask({ ':path': '/a', ':authority': 'other.example.com' })).status, 200);
});

t.test(
  ':authority adds nothing to Forwarded, and no header replaces :authority (advisories 12, 13 and 14)',
  async (t) => {
    const { ask, upstream } = await scene(t);
    for (const host of ['a";for=1.2.3.4', 'a,b', 'a b', 'a;proto=http'])
      t.not((await ask({ ':path': '/public/a', ':authority': host })).status, 200, host);
    t.equal(upstream.seen.length, 0);
    const told = {
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-uri': '/public/a',
      'x-original-url': '/public/a',
      'x-forwarded-proto': 'http',
      forwarded: 'for=1.2.3.4;host=evil.example',
    };
    t.equal((await ask({ ':path': '/admin/1', ...told })).status, 401);
    t.equal((await ask({ ':path': '/public/a', ...told })).status, 200);
    const [seen] = upstream.seen as Witness['seen'];
    t.equal(seen?.header('x-forwarded-for'), '127.0.0.1');
    t.equal(seen?.header('x-forwarded-host'), 'api.example.com');
    t.equal(seen?.header('forwarded'), 'for=127.0.0.1;host=api.example.com;proto=https');
  },
);

t.test(
  'over HTTP/2 no spelling of an identity header reaches the upstream (advisories 18, 24, 26, 52 and 60)',
  async (t) => {
    const route = {
      id: 'orders',
      match: { path: '/orders/{rest*}' },
      scope: 'orders.read',
      identity_headers: { set: { 'X-Auth-Subject': 'sub' } },
    };
    const { ask, upstream } = await scene(t, { routes: [route] });
    const spoofed = {
      'x-auth-subject': 'root',
      x_auth_subject: 'root',
      'x_auth-subject': 'root',
      'x-auth_subject': 'root',
    };
    t.equal((await ask({ ':path': '/orders/1', authorization: await token(), ...spoofed })).status, 200);
    const { rawHeaders } = upstream.seen[0] as Witness['seen'][number];
    const names = rawHeaders.filter((name, index) => index % 2 === 0 && /^x.auth.subject$/i.test(name));
    t.equal(names.length, 1);
    t.equal(upstream.seen[0]?.header('x-auth-subject'), 'alice');
  },
);

t.test('CONNECT over HTTP/2 is 405, with or without a protocol (advisory 34)', async (t) => {
  const { ask, port, upstream } = await scene(t);
  t.equal((await ask({ ':method': 'CONNECT', ':authority': 'internal:80' })).status, 405);
  const client = await http2Raw(t, port);
  client.send(headers(1, [[':method', 'CONNECT'], [':protocol', 'websocket'], ...GET.slice(1)]));
  t.ok(await client.frame(RST_STREAM, 1));
  t.equal(upstream.seen.length, 0);
  t.equal(upstream.connections.size, 0);
});

t.test('over HTTP/2 only frames decide where a body ends (advisory 47)', async (t) => {
  const { ask, port, upstream } = await scene(t);
  const client = await http2Raw(t, port);
  const smuggled = [
    [['content-length', '3'] as const, ['content-length', '30'] as const],
    [['content-length', '3'] as const, ['transfer-encoding', 'chunked'] as const],
    [['transfer-encoding', 'chunked'] as const],
    [['content-length', '+3'] as const],
  ];
  let stream = 1;
  for (const lines of smuggled) {
    client.send(headers(stream, [...POST, ...lines], 0));
    t.ok(await client.frame(RST_STREAM, stream), JSON.stringify(lines));
    stream += 2;
  }
  t.equal(upstream.seen.length, 0);
  const body = '0\r\n\r\nGET /admin HTTP/1.1\r\nHost: a\r\n\r\n';
  t.equal((await ask({ ':method': 'POST', ':path': '/public/a' }, body)).status, 200);
  t.equal(upstream.seen.length, 1, 'one request');
  t.equal(upstream.seen[0]?.body.toString(), body);
});

t.test('over HTTP/2 a request with two credentials is rejected (advisory 56)', async (t) => {
  const { port, upstream } = await scene(t);
  const session = await http2Client(t, port, { strictSingleValueFields: false } as object);
  const twice = { authorization: [await token(), await token()] as unknown as string };
  t.equal((await askHttp2(session, { ':path': '/orders/1', ...twice })).status, 400);
  t.equal(upstream.seen.length, 0);
});
