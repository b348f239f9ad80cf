import { readFileSync } from 'node:fs';
import type { ClientHttp2Session } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { behind, gateway, routes, type TestGateway } from '../support/gateway.ts';
import { answerOf, askHttp2, type Http2Answer, http2Client, http2Listen } from '../support/http2-client.ts';
import { sample } from '../support/metric-sample.ts';
import { RawClient } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { rawUpstream } from '../support/raw-upstream.ts';
import { requestText } from '../support/request-text.ts';
import { tlsFile } from '../support/tls-file.ts';
import { hmacServer, jwt } from '../support/tokens.ts';
import { until, within } from '../support/until.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { assertEcho, echoes, openWebSocket } from '../support/websocket-echo.ts';
import { type Behaviour, type Witness, witness } from '../support/witness.ts';

/** `listen: { http2: true }`: another protocol for clients, with the same gateway behind it. */

/** Waits for limits of seconds: 10 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

interface Scene extends TestGateway {
  readonly upstream: Witness;
}

async function scene(t: Test, changes: object = {}, behaviour: Behaviour = {}): Promise<Scene> {
  const upstream = await witness(t, behaviour);
  return { ...(await gateway(t, behind(upstream.url, { ...http2Listen(), ...changes }))), upstream };
}

/** An HTTP/1.1 client on the same listener. */
async function http1(t: Test, port: number, ALPNProtocols?: string[]): Promise<RawClient> {
  const ca = readFileSync(tlsFile('authority.crt'));
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    servername: 'localhost',
    ca,
    ...(ALPNProtocols && { ALPNProtocols }),
  });
  t.teardown(() => socket.destroy());
  const client = new RawClient(socket);
  await within(new Promise<void>((done) => socket.once('secureConnect', done)), 20_000, 'a handshake');
  return client;
}

t.test('a client that offers h2 by ALPN gets HTTP/2, all others HTTP/1.1', async (t) => {
  const { port } = await scene(t);
  for (const [offered, chosen] of [
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1', 'h2'], 'h2'],
    [['http/1.1'], 'http/1.1'],
    [undefined, false],
  ] as const) {
    const client = await http1(t, port, offered && [...offered]);
    t.equal((client.socket as TLSSocket).alpnProtocol, chosen);
    if (chosen === 'h2') continue;
    client.send(requestText({ target: '/public/a' }));
    t.equal((await client.read())?.status, 200);
  }
  const session = await http2Client(t, port);
  t.equal((await askHttp2(session, { ':path': '/public/a' })).status, 200);
});

t.test('without `http2` the listener does not offer HTTP/2', async (t) => {
  const { port } = await scene(t, http2Listen({ http2: false }));
  const client = await http1(t, port, ['h2', 'http/1.1']);
  t.equal((client.socket as TLSSocket).alpnProtocol, 'http/1.1');
});

interface Case {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly host?: string;
  readonly body?: string;
  /** The upstream's answers. */
  readonly behaviour?: Behaviour;
  readonly status: number;
}

const token = async (scope: string) => ['authorization', `Bearer ${await jwt({ scope }, { alg: 'HS256' })}`] as const;
const page = ['origin', 'https://app.example.com'] as const;
const form = ['content-type', 'application/x-www-form-urlencoded'] as const;

const cases: Readonly<Record<string, Case>> = {
  'a public route': { target: '/public/a?b=c&d=%C3%A4', status: 200 },
  HEAD: { method: 'HEAD', target: '/public/a', status: 200 },
  'no credential': { target: '/orders/1', status: 401 },
  'no credential, HEAD': { method: 'HEAD', target: '/orders/1', status: 401 },
  'a good token': { target: '/orders/1', headers: [await token('orders.read')], status: 200 },
  'a scope that is missing': { target: '/admin/1', headers: [await token('orders.read')], status: 403 },
  'a token that is none': { target: '/orders/1', headers: [['authorization', 'Bearer x.y.z']], status: 401 },
  'two credentials': {
    target: '/orders/1',
    headers: [await token('orders.read'), await token('admin')],
    status: 400,
  },
  'Bearer and Digest are offered': { target: '/meters/1', status: 401 },
  'a limit that is used up': { target: '/scarce', status: 429 },
  'no route': { target: '/nowhere', status: 404 },
  'a method that the route does not take': { method: 'DELETE', target: '/read', status: 405 },
  TRACE: { method: 'TRACE', target: '/public/a', status: 405 },
  'OPTIONS *': { method: 'OPTIONS', target: '*', status: 404 },
  'OPTIONS that goes no further': {
    method: 'OPTIONS',
    target: '/public/a',
    headers: [['max-forwards', '0']],
    status: 204,
  },
  'a dot segment': { target: '/public/../admin/1', status: 400 },
  'an encoded dot segment': { target: '/public/%2e%2e/admin/1', status: 400 },
  'an encoded slash': { target: '/public/a%2fb', status: 400 },
  'a double encoding': { target: '/public/%252e', status: 400 },
  'a backslash': { target: '/public/a\\b', status: 400 },
  'an empty segment': { target: '/public//a', status: 400 },
  'a path parameter': { target: '/public/a;b', status: 400 },
  'a fragment': { target: '/public/a#b', status: 400 },
  'a NUL': { target: '/public/a%00', status: 400 },
  'a host that is none': { target: '/public/a', host: 'a..b', status: 400 },
  'another host': { target: '/public/a', host: 'OTHER.example.com:8443', status: 200 },
  'a preflight': {
    method: 'OPTIONS',
    target: '/orders/1',
    headers: [page, ['access-control-request-method', 'GET']],
    status: 204,
  },
  'a page of another origin': { target: '/public/a', headers: [page], status: 200 },
  'a page of another origin, refused': { target: '/orders/1', headers: [page], status: 401 },
  'too many headers': {
    target: '/public/a',
    headers: Array.from({ length: 100 }, (_, index) => [`x-${index}`, 'v'] as const),
    status: 431,
  },
  'another expectation': { method: 'POST', target: '/public/a', headers: [['expect', 'tea']], body: 'x', status: 417 },
  'an expectation of 100': {
    method: 'POST',
    target: '/public/a',
    headers: [['expect', '100-continue']],
    body: 'x',
    status: 200,
  },
  'a body': { method: 'POST', target: '/public/a', body: 'x'.repeat(200_000), status: 200 },
  'a body for DELETE': { method: 'DELETE', target: '/public/a', body: 'x', status: 200 },
  'an empty body': { method: 'POST', target: '/public/a', body: '', status: 200 },
  'a body above the limit': { method: 'POST', target: '/small', body: 'x'.repeat(2000), status: 413 },
  'a token in a form': {
    method: 'POST',
    target: '/form',
    headers: [form],
    body: `access_token=${(await token('orders.read'))[1].slice(7)}&a=b`,
    status: 200,
  },
  'a form without a token': { method: 'POST', target: '/form', headers: [form], body: 'a=b', status: 401 },
  'lines of an answer': {
    target: '/public/a',
    behaviour: {
      headers: [
        ['set-cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
        ['X-Latin', '\xe4'],
        ['connection', 'x-hop'],
        ['x-hop', 'gone'],
        ['keep-alive', 'timeout=1'],
        ['proxy-authenticate', 'Basic'],
        ['etag', '"a"'],
        ['date', 'Sun, 06 Nov 1994 08:49:37 GMT'],
      ],
    },
    status: 200,
  },
  'trailers of an answer': {
    target: '/public/a',
    behaviour: {
      headers: [['trailer', 'x-sum']],
      body: 'x'.repeat(100_000),
      trailers: [
        ['X-Sum', '1'],
        ['x-sum', '2'],
      ],
    },
    status: 200,
  },
  'trailers by the names of what every object has': {
    target: '/public/a',
    behaviour: {
      trailers: [
        ['constructor', '1'],
        ['__proto__', '2'],
        ['__proto__', '3'],
        ['toString', '4'],
      ],
    },
    status: 200,
  },
  'fields by the names of what every object has': {
    target: '/public/a',
    behaviour: {
      headers: [
        ['constructor', '1'],
        ['__proto__', '2'],
      ],
    },
    status: 200,
  },
  'no content': { target: '/public/a', behaviour: { status: 204 }, status: 204 },
  'not modified': { target: '/public/a', behaviour: { status: 304, headers: [['etag', '"a"']] }, status: 304 },
  'an error of the upstream': { target: '/public/a', behaviour: { status: 503, body: 'busy' }, status: 503 },
  'a long answer': { target: '/public/a', behaviour: { body: 'y'.repeat(300_000) }, status: 200 },
  'an empty answer': { target: '/public/a', behaviour: { body: '' }, status: 200 },
  'an answer without a length': {
    target: '/public/a',
    behaviour: (_request, response) => {
      response.write('one');
      setTimeout(() => response.end('two'), 20);
    },
    status: 200,
  },
  'an empty answer without a length': {
    target: '/public/a',
    behaviour: (_request, response) => {
      response.flushHeaders();
      setTimeout(() => response.end(), 20);
    },
    status: 200,
  },
  'interim answers of the upstream': {
    target: '/public/a',
    behaviour: (_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.end('ok');
    },
    status: 200,
  },
  'an upstream that breaks off': {
    target: '/public/a',
    behaviour: (request) => request.socket.destroy(),
    status: 502,
  },
};

const everything = (t: Test) => ({
  authorization_servers: hmacServer,
  realm: 'everything',
  resource: 'https://api.example.com',
  cors: { origins: ['https://app.example.com'] },
  routes: [
    ...routes,
    { id: 'read', match: { path: '/read', methods: ['GET'] }, access: 'public' },
    { id: 'small', match: { path: '/small' }, access: 'public', limits: { body: '1KiB' } },
    { id: 'form', match: { path: '/form' }, scope: 'orders.read', bearer_methods_supported: ['header', 'body'] },
    {
      id: 'scarce',
      match: { path: '/scarce' },
      access: 'public',
      rate_limit: { requests: 1, per: '1h', by: 'address' },
    },
    {
      id: 'meters',
      match: { path: '/meters/{rest*}' },
      auth: { any_of: ['digest', 'bearer'] },
      access: 'authenticated',
      digest: { realm: 'meters', users: userFile(t, digestLines('meter', 'meters', 'secret')) },
    },
  ],
});

interface Told {
  readonly status: number | undefined;
  readonly headers: readonly string[];
  readonly trailers: readonly string[];
  readonly body: string;
}

/** Of one connection, or new for each request. */
const OWN = /^(?:connection|keep-alive|transfer-encoding):/;
/** Tickets have different lengths. */
const LENGTH = /^content-length:/;
const line = ([name, value]: readonly [string, string]) => `${name.toLowerCase()}: ${value}`;

function told(
  status: number | undefined,
  { headers, trailers = [], body }: Pick<RawResponse, 'headers' | 'body'> & Partial<Pick<Http2Answer, 'trailers'>>,
): Told {
  const isProblem = headers.some(([, value]) => value === 'application/problem+json');
  const lines = headers.map(line).filter((each) => !OWN.test(each) && !(isProblem && LENGTH.test(each)));
  return {
    status,
    headers: lines
      .map((each) => each.replace(/^(x-request-id|date): .*/, '$1').replace(/nonce="[^"]+"/g, 'nonce'))
      .sort(),
    trailers: trailers.map(line),
    body: body.toString('latin1').replace(/"(request_id|ticket)":"[^"]+"/g, '"$1"'),
  };
}

/** What the upstream got, without what shows the client's protocol. */
function sighting({ seen }: Witness): unknown {
  return seen.map(({ method, target, rawHeaders, hash, bytes, state }) => {
    const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name.toLowerCase()}: ${rawHeaders[i + 1]}`] : []));
    const kept = lines.filter((each) => !/^(?:x-request-id|connection):/.test(each));
    return {
      method,
      target,
      lines: kept.map((each) => each.replace(/^via: (?:1.1|2.0) /, 'via: ')),
      hash,
      bytes,
      state,
    };
  });
}

async function overHttp1(
  t: Test,
  { port, upstream }: Scene,
  { method = 'GET', target = '/', ...more }: Case,
): Promise<[Told, unknown]> {
  upstream.forget();
  const client = await http1(t, port);
  const { headers = [], host, body } = more;
  client.send(requestText({ method, target, headers, ...(host && { host }), ...(body !== undefined && { body }) }));
  const answer = (await client.read({ method })) as RawResponse;
  client.destroy();
  return [told(answer.status, answer), sighting(upstream)];
}

async function overHttp2(
  session: ClientHttp2Session,
  { upstream }: Scene,
  { method = 'GET', target = '/', headers = [], host = 'api.example.com', body }: Case,
): Promise<[Told, unknown]> {
  upstream.forget();
  const lines = Object.groupBy(headers, ([name]) => name);
  const fields = Object.entries(lines).map(([name, same]) => [name, same?.map(([, value]) => value)] as const);
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  const question = { ':method': method, ':path': target, ':authority': host, ...Object.fromEntries(fields), ...length };
  const answer = await askHttp2(session, question, body);
  return [told(answer.status, answer), sighting(upstream)];
}

t.test('a request is answered, forwarded and refused over HTTP/2 as over HTTP/1.1', async (t) => {
  const running = await scene(t, everything(t));
  const session = await http2Client(t, running.port, { strictSingleValueFields: false } as object);
  await overHttp1(t, running, { target: '/scarce', status: 200 });
  for (const [name, one] of Object.entries(cases)) {
    running.upstream.behave(one.behaviour ?? {});
    const [first, before] = await overHttp1(t, running, one);
    const [second, after] = await overHttp2(session, running, one);
    t.equal(first.status, one.status, `${name}: status`);
    t.strictSame(second, first, `${name}: answer`);
    t.strictSame(after, before, `${name}: upstream`);
  }
  t.equal(session.destroyed, false, 'all of it on one connection');
});

t.test('what HTTP/2 forbids is left out of an answer, as field and as trailer (RFC 9113 §8.2.2)', async (t) => {
  const forbidden = ['HTTP2-Settings', 'AAMAAABk'] as const;
  const headers = [['x-kept', '1'], forbidden] as const;
  const { port } = await scene(t, {}, { headers, trailers: [forbidden, ['x-sum', '1']] });
  const session = await http2Client(t, port);
  const answer = await askHttp2(session, { ':path': '/public/a' });
  t.match(answer, { status: 200, whole: true, trailers: [['x-sum', '1']] });
  t.equal(answer.header('x-kept'), '1');
  t.equal(answer.header('http2-settings'), undefined);
});

t.test('an answer with only a forbidden trailer ends without trailers', async (t) => {
  const { port } = await scene(t, {}, { trailers: [['http2-settings', 'AAMAAABk']] });
  const session = await http2Client(t, port);
  for (const path of ['/public/a', '/public/b'])
    t.match(await askHttp2(session, { ':path': path }), { status: 200, whole: true, reset: 0 });
});

t.test('a method that HTTP/1.1 cannot express is refused as there', async (t) => {
  const { port, upstream } = await scene(t);
  const answer = await askHttp2(await http2Client(t, port), { ':method': 'BREW', ':path': '/public/a' });
  t.equal(answer.status, 400);
  t.match(answer.body.toString(), /"code":"message_malformed"/);
  t.equal(upstream.seen.length, 0);
});

const code = ({ body }: Http2Answer) => (JSON.parse(String(body)) as { code: string }).code;

t.test(':authority is the Host; a Host field with another value is 400 (RFC 9113 §8.3.1)', async (t) => {
  const { port, upstream } = await scene(t);
  const session = await http2Client(t, port);
  const ask = (host: string) => askHttp2(session, { ':path': '/public/a', ':authority': 'api.example.com', host });
  t.equal((await ask('API.example.com')).status, 200);
  t.strictSame(upstream.seen[0]?.all('host'), ['api.example.com']);
  for (const host of ['other.example.com', 'api.example.com:443']) {
    const answer = await ask(host);
    t.equal(answer.status, 400, host);
    t.equal(code(answer), 'target_other_host');
  }
  t.equal(upstream.seen.length, 1);
});

t.test('a pseudo-header does not become a header upstream', async (t) => {
  const { port, upstream } = await scene(t);
  await askHttp2(await http2Client(t, port), { ':path': '/public/a' });
  t.notOk(upstream.seen[0]?.rawHeaders.some((text) => text.startsWith(':')));
});

t.test('a cookie in pieces is one line upstream (RFC 9113 §8.2.3)', async (t) => {
  const { port, upstream } = await scene(t);
  const cookie = ['a=1', 'b="2; 3"', 'c='];
  await askHttp2(await http2Client(t, port), { ':path': '/public/a', cookie });
  t.strictSame(upstream.seen[0]?.all('cookie'), ['a=1; b="2; 3"; c=']);
});

t.test('a body without a length streams with the length that it turns out to have', async (t) => {
  const { port, upstream } = await scene(t);
  const session = await http2Client(t, port);
  const stream = session.request({ ':method': 'POST', ':path': '/public/a', ':authority': 'api.example.com' });
  const answer = answerOf(stream);
  upstream.behaveAtHead((request, response) => {
    request.once('data', (chunk) => response.write(chunk));
    request.on('end', () => response.end());
  });
  const echoed = new Promise<string>((done) => stream.once('data', (chunk) => done(String(chunk))));
  stream.write('first');
  t.equal(await within(echoed, 20_000, 'an echo'), 'first', 'before the end of the body');
  stream.end('last');
  t.ok((await answer).whole);
  t.equal(upstream.seen[0]?.header('transfer-encoding'), 'chunked');
});

t.test('100 comes once the decision is to read the body, and not for a refusal', async (t) => {
  const { port, upstream } = await scene(t);
  const session = await http2Client(t, port);
  const expecting = (path: string) => {
    const head = { ':method': 'POST', ':path': path, ':authority': 'api.example.com', expect: '100-continue' };
    const stream = session.request(head);
    stream.on('continue', () => stream.end('body'));
    return answerOf(stream);
  };
  t.equal((await expecting('/public/a')).status, 200);
  t.equal(upstream.seen[0]?.bytes, 4);
  const refused = await expecting('/orders/1');
  t.equal(refused.status, 401);
  t.ok(refused.whole);
  t.equal(upstream.seen.length, 1);
});

t.test('a refusal and an early answer are whole although the upload continues', async (t) => {
  const { port, upstream } = await scene(t, { limits: { body: '1MiB' } });
  const session = await http2Client(t, port);
  const upload = (path: string, length: number | undefined) => {
    const more = length === undefined ? {} : { 'content-length': String(length) };
    const stream = session.request({ ':method': 'POST', ':path': path, ':authority': 'api.example.com', ...more });
    const answer = answerOf(stream);
    const chunk = Buffer.alloc(50_000);
    let left = length ?? Number.POSITIVE_INFINITY;
    const next = () => {
      if (stream.destroyed || stream.writableEnded) return;
      left -= chunk.length;
      if (left < 0) stream.end();
      else stream.write(chunk, () => setImmediate(next));
    };
    next();
    return answer;
  };
  t.match(await upload('/orders/1', undefined), { status: 401, whole: true });
  t.match(await upload('/orders/1', 10 ** 6), { status: 401, whole: true });
  t.match(await upload('/public/a', 10 ** 9), { status: 413, whole: true });
  t.match(await upload('/public/a', undefined), { status: 413, whole: true });
  for (const body of ['short', 'x'.repeat(100_000)]) {
    upstream.behaveAtHead((_request, response) => {
      response.writeHead(403, { 'content-length': body.length }).end(body);
    });
    const answer = await upload('/public/a', undefined);
    t.match(answer, { status: 403, whole: true });
    t.equal(answer.body.length, body.length);
    upstream.behaveAtHead((_request, response) => {
      response.writeHead(403, { trailer: 'x-sum' });
      response.addTrailers({ 'x-sum': '1' });
      response.end(body);
    });
    t.match(await upload('/public/a', undefined), { status: 403, whole: true, trailers: [['x-sum', '1']] });
  }
  t.equal(session.destroyed, false);
});

t.test('a slow reader slows the upstream down, and no other stream of the connection', async (t) => {
  let written = 0;
  const { port, upstream } = await scene(t);
  upstream.behave((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'a');
    const more = () => {
      if (written >= 64 * 2 ** 20) return void response.end();
      written += chunk.length;
      if (response.write(chunk)) setImmediate(more);
      else response.once('drain', more);
    };
    more();
  });
  const session = await http2Client(t, port);
  const slow = session.request({ ':path': '/public/a', ':authority': 'api.example.com' });
  slow.on('error', () => {});
  slow.pause();
  await until(() => written > 0);
  await pause(500);
  const stuck = written;
  t.ok(stuck < 24 * 2 ** 20, `${stuck} bytes while nobody read`);
  upstream.behave({});
  t.equal((await askHttp2(session, { ':path': '/public/b' })).status, 200);
  let read = 0;
  slow.on('data', (chunk: Buffer) => {
    read += chunk.length;
  });
  slow.resume();
  await within(new Promise((done) => slow.once('close', done)), 30_000, 'the rest');
  t.equal(read, written);
});

t.test('a slow upstream slows the client down', async (t) => {
  const { port, upstream } = await scene(t);
  let resume = () => {};
  upstream.behaveAtHead((request, response) => {
    request.pause();
    resume = () => request.resume();
    request.on('end', () => response.end('done'));
  });
  const session = await http2Client(t, port);
  const stream = session.request({ ':method': 'POST', ':path': '/public/a', ':authority': 'api.example.com' });
  const answer = answerOf(stream, 30_000);
  let sent = 0;
  const chunk = Buffer.alloc(64 * 1024);
  const total = 64 * 2 ** 20;
  const more = () => {
    if (sent >= total) return void stream.end();
    sent += chunk.length;
    stream.write(chunk, more);
  };
  more();
  await until(() => upstream.seen.length === 1);
  await pause(500);
  t.ok(sent < 24 * 2 ** 20, `${sent} bytes while nobody read`);
  resume();
  t.match(await answer, { status: 200, whole: true });
  t.equal(sent, total);
});

t.test('an event reaches the client before the next one is created', async (t) => {
  const { port, upstream } = await scene(t);
  let next = () => {};
  upstream.behave((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    next = () => response.write('data: 1\n\n');
  });
  const session = await http2Client(t, port);
  const stream = session.request({ ':path': '/public/a', ':authority': 'api.example.com' });
  stream.on('error', () => {});
  await within(new Promise((done) => stream.once('response', done)), 20_000, 'a head');
  const event = new Promise((done) => stream.once('data', (chunk) => done(String(chunk))));
  next();
  t.equal(await within(event, 20_000, 'an event'), 'data: 1\n\n');
  stream.close();
});

t.test('a client that resets its stream ends the request upstream, at every stage', async (t) => {
  const { port, upstream, adminUrl } = await scene(t, { admin: '127.0.0.1:0' });
  const session = await http2Client(t, port);
  const aborted = async (body: boolean, act: () => void, name: string) => {
    upstream.forget();
    act();
    const head = { ':method': body ? 'POST' : 'GET', ':path': '/public/a', ':authority': 'api.example.com' };
    const stream = session.request(head, { endStream: !body });
    stream.on('error', () => {});
    if (body) stream.write('half');
    t.ok(await until(() => upstream.seen.length === 1), name);
    await pause(30);
    stream.close(8);
    t.ok(await until(() => upstream.seen[0]?.connectionClosed === true), name);
  };
  await aborted(false, () => upstream.behaveAtHead(() => {}), 'before the answer');
  await aborted(true, () => upstream.behaveAtHead(() => {}), 'in the body');
  const half = () => upstream.behaveAtHead((_request, response) => void response.write('half'));
  await aborted(false, half, 'in the answer');
  await aborted(true, half, 'in both');
  const gone = (status_class: string, method: string) =>
    sample(adminUrl as string, 'gatehouse_requests_total', { code: 'client_gone', status_class, method });
  for (const status of ['none', '2xx']) for (const method of ['GET', 'POST']) t.equal(await gone(status, method), 1);
  upstream.behave({});
  t.equal((await askHttp2(session, { ':path': '/public/a' })).status, 200);
  t.equal(session.destroyed, false);
});

t.test('a connection that breaks ends all its requests upstream', async (t) => {
  const { port, upstream } = await scene(t);
  upstream.behaveAtHead(() => {});
  const session = await http2Client(t, port);
  for (let i = 0; i < 20; i++) session.request({ ':path': '/public/a', ':authority': 'a' }).on('error', () => {});
  t.ok(await until(() => upstream.seen.length === 20));
  session.socket.destroy?.();
  session.destroy();
  t.ok(await until(() => upstream.seen.every(({ connectionClosed }) => connectionClosed)));
});

t.test('an answer that is cut short is reset, and never looks complete', async (t) => {
  const whole = {
    length: `HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n${'x'.repeat(2000)}`,
    chunked: `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'3e8\r\n'.concat('x'.repeat(1000), '\r\n').repeat(2)}0\r\n\r\n`,
  };
  let text = '';
  const upstream = await rawUpstream(t, ({ socket }) => {
    socket.write(text, 'latin1', () => setTimeout(() => socket.destroy(), 2));
  });
  const { port } = await gateway(t, behind(upstream.url, http2Listen()));
  const session = await http2Client(t, port);
  for (const [name, all] of Object.entries(whole)) {
    const head = all.indexOf('\r\n\r\n') + 4;
    for (let i = 0; i < 60; i++) {
      text = all.slice(0, head + Math.floor((i / 60) * (all.length - head)));
      const answer = await askHttp2(session, { ':path': '/public/a' });
      if (answer.whole || answer.reset !== 2) t.match(answer, { whole: false, reset: 2 }, `${name} at ${text.length}`);
    }
    text = all;
    t.match(await askHttp2(session, { ':path': '/public/a' }), { status: 200, whole: true, reset: 0 }, name);
  }
  t.equal(session.destroyed, false);
});

t.test('an answer of 1,500 short lines arrives whole, and so does the next one on the connection', async (t) => {
  const lines = Array.from({ length: 1_500 }, (_, index) => `x-line-number-${index}: ${'v'.repeat(18)}\r\n`).join('');
  const upstream = await rawUpstream(t, ({ socket }) => {
    socket.end(`HTTP/1.1 200 OK\r\n${lines}content-length: 2\r\n\r\nok`, 'latin1');
  });
  const { port } = await gateway(t, behind(upstream.url, http2Listen()));
  const session = await http2Client(t, port, {
    maxHeaderListPairs: 2_000,
    settings: { maxHeaderListSize: 1024 * 1024 },
  });
  for (let times = 0; times < 2; times++)
    t.match(await askHttp2(session, { ':path': '/public/a' }), { status: 200, whole: true });
});

t.test('an answer that no client may see is 502, as over HTTP/1.1', async (t) => {
  let text = '';
  const upstream = await rawUpstream(t, ({ socket }) => void socket.end(text, 'latin1'));
  const { port } = await gateway(t, behind(upstream.url, http2Listen()));
  const session = await http2Client(t, port);
  for (const head of [
    'HTTP/1.1 200 OK\r\nx-a: a\x01b\r\n',
    'HTTP/1.1 700 Odd\r\n',
    'HTTP/1.1 200 OK\r\nx-a\x7f: b\r\n',
  ]) {
    text = `${head}content-length: 2\r\n\r\nok`;
    const answer = await askHttp2(session, { ':path': '/public/a' });
    t.equal(answer.status, 502, JSON.stringify(head));
    t.equal(code(answer), 'upstream_invalid');
  }
  text =
    'HTTP/1.1 200 OK\r\nhttp2-settings: AAMAAABk\r\ncontent-type: a/b\r\ncontent-type: c/d\r\ncontent-length: 2\r\n\r\nok';
  const answer = await askHttp2(session, { ':path': '/public/a' });
  t.equal(answer.status, 200);
  t.equal(answer.header('http2-settings'), undefined);
  t.equal(answer.headers.filter(([name]) => name === 'content-type').length, 2, 'twice, as the upstream said it');
});

t.test('a body that arrives too slowly is 408, and the connection continues', async (t) => {
  const { port } = await scene(t, { limits: { body_rate: { bytes: '1KiB', over: '1s' } } });
  const session = await http2Client(t, port);
  const stream = session.request({ ':method': 'POST', ':path': '/public/a', ':authority': 'api.example.com' });
  stream.write('a');
  const answer = await answerOf(stream);
  t.equal(answer.status, 408);
  t.equal((await askHttp2(session, { ':path': '/public/a' })).status, 200);
});

t.test('a WebSocket opens over HTTP/1.1 on the same listener', async (t) => {
  const upstream = await rawUpstream(t, echoes);
  const { port } = await gateway(t, behind(upstream.url, http2Listen()));
  const client = await http1(t, port, ['http/1.1']);
  await openWebSocket(t, client);
  await assertEcho(t, client);
});

t.test('a client certificate is requested over HTTP/2 too', async (t) => {
  const listen = (http2Listen() as { listen: { tls: object } }).listen;
  const tls = { ...listen.tls, client_ca: tlsFile('authority.crt'), client_auth: 'optional' };
  const { port, upstream } = await scene(t, { listen: { ...listen, tls } });
  const ca = readFileSync(tlsFile('authority.crt'));
  const open = (name?: string) =>
    http2Client(t, port, {
      createConnection: () =>
        connectTls({
          port,
          host: '127.0.0.1',
          servername: 'localhost',
          ca,
          ALPNProtocols: ['h2'],
          ...(name && { cert: readFileSync(tlsFile(`${name}.crt`)), key: readFileSync(tlsFile(`${name}.key`)) }),
        }),
    });
  t.equal((await askHttp2(await open('client'), { ':path': '/public/a' })).status, 200);
  t.equal((await askHttp2(await open(), { ':path': '/public/a' })).status, 200, 'without one');
  const session = await open('other-client');
  t.ok(await until(() => session.destroyed), 'of another authority');
  t.equal(upstream.seen.length, 2);
});
