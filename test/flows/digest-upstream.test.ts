import { type AddressInfo, createServer } from 'node:net';
import t, { type Test } from 'tap';
import { account, type DigestApi, type DigestUpstream, digestUpstream } from '../support/digest-upstream.ts';
import { gateway, type TestGateway } from '../support/gateway.ts';
import { open } from '../support/raw-client.ts';
import { reloadable } from '../support/reloadable.ts';
import { requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';

/** Waits for time limits, and sends bodies of 8 MiB: 21 s on a busy machine. */
t.setTimeout(120_000);

/** An API that requires Digest, behind a gateway whose clients do not know about it. */

const routes = [{ id: 'all', match: { path: '/{rest*}' }, access: 'public', limits: { body: '8MiB' } }];

function file(url: string, digest: object = {}, upstream: object = {}): object {
  const credentials = { digest: { ...account, ...digest } };
  return { upstreams: { legacy: { url, credentials, ...upstream } }, defaults: { upstream: 'legacy' }, routes };
}

interface Scene extends TestGateway {
  readonly upstream: DigestUpstream;
}

async function before(t: Test, api: DigestApi = {}, digest: object = {}, upstream: object = {}): Promise<Scene> {
  const legacy = await digestUpstream(t, api);
  return { ...(await gateway(t, file(legacy.url, digest, upstream))), upstream: legacy };
}

interface Got {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function ask(url: string, init: RequestInit = {}): Promise<Got> {
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const code = ({ status, text }: Got) => `${status} ${(JSON.parse(text) as { code: string }).code}`;
const decisions = ({ log }: TestGateway) => log.filter(({ upstream_attempts }) => upstream_attempts !== undefined);
const attempts = (scene: TestGateway) => decisions(scene).map(({ upstream_attempts }) => upstream_attempts);

const body = (bytes: number) => Buffer.alloc(bytes, 'b');
const streamed = (bytes: number): RequestInit => ({
  method: 'POST',
  body: new ReadableStream({
    start(controller) {
      for (let left = bytes; left > 0; left -= 65_536) controller.enqueue(body(Math.min(left, 65_536)));
      controller.close();
    },
  }),
  duplex: 'half',
});

t.test("a HEAD without the client's headers fetches the challenge; then every request is sent once", async (t) => {
  const scene = await before(t);
  const init = { headers: { authorization: 'Bearer of-the-client', cookie: 'a=b', 'x-word': 'w' } };
  t.match(await ask(`${scene.url}/orders/7?a=%20b&c`, init), { status: 200, text: 'GET /orders/7?a=%20b&c 0' });
  t.match(await ask(`${scene.url}/orders/8`), { status: 200 });
  const [question, first, second] = scene.upstream.received;
  t.equal(scene.upstream.received.length, 3);
  t.match(question, { method: 'HEAD', url: '/orders/7?a=%20b&c', authorization: undefined });
  t.strictSame(Object.keys(question?.headers ?? {}).sort(), ['connection', 'host', 'x-request-id']);
  t.match(first, {
    method: 'GET',
    headers: { cookie: 'a=b', 'x-word': 'w' },
    credentials: { uri: '/orders/7?a=%20b&c' },
  });
  t.match([first?.credentials?.protection?.nc, second?.credentials?.protection?.nc], ['00000001', '00000002']);
  t.not(first?.credentials?.cnonce, second?.credentials?.cnonce);
  t.notMatch(JSON.stringify(scene.upstream.received), /of-the-client/);
  t.strictSame(attempts(scene), [1, 1]);
});

t.test('the uri is the target that the upstream gets, after rewriting', async (t) => {
  const upstream = await digestUpstream(t);
  const rewritten = [
    { ...routes[0], rewrite: { strip_prefix: '/api', add_prefix: '/v1' }, match: { path: '/api/{rest*}' } },
  ];
  const { url } = await gateway(t, { ...file(upstream.url), routes: rewritten });
  t.match(await ask(`${url}/api/orders?x=1`), { status: 200, text: 'GET /v1/orders?x=1 0' });
});

t.test("the upstream's headers about credentials never reach the client", async (t) => {
  const scene = await before(t, { nextnonce: true });
  const { headers } = await ask(`${scene.url}/a`);
  t.equal(headers.get('authentication-info'), null);
  t.equal(headers.get('www-authenticate'), null);
});

t.test('of many simultaneous first requests, one fetches the challenge', async (t) => {
  const scene = await before(t);
  const all = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(`${scene.url}/${index}`)));
  t.ok(all.every(({ status }) => status === 200));
  t.equal(scene.upstream.questions(), 1);
  t.ok(attempts(scene).every((each) => each === 1));
});

t.test('an upstream that requires counts in order serves a hundred requests at once, each count once', async (t) => {
  const scene = await before(t, { strict: true });
  const all = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(`${scene.url}/${index}`)));
  t.strictSame(
    all.map(({ status, text }) => `${status} ${text}`),
    all.map((_, index) => `200 GET /${index} 0`),
  );
  t.equal(new Set(scene.upstream.passed).size, 100);
  const sent = scene.upstream.received.flatMap(({ credentials: said }) =>
    said ? `${said.nonce} ${said.protection?.nc}` : [],
  );
  t.equal(new Set(sent).size, sent.length, 'no count is sent twice with a nonce');
  t.ok(attempts(scene).every((each) => each === 1 || each === 2));
});

t.test('a stale nonce is replaced without an effect on the client', async (t) => {
  const scene = await before(t);
  t.equal((await ask(`${scene.url}/1`)).status, 200);
  scene.upstream.expire();
  const post = { method: 'POST', body: 'a=1' };
  t.match(await ask(`${scene.url}/2`, post), { status: 200, text: 'POST /2 3' });
  t.equal((await ask(`${scene.url}/3`)).status, 200);
  t.strictSame(attempts(scene), [1, 2, 1]);
  t.equal(scene.upstream.questions(), 1);
});

t.test('nonces that expire under load fail no request', async (t) => {
  const scene = await before(t, { uses: 7 });
  const all: Got[] = [];
  for (let round = 0; round < 5; round++) {
    all.push(...(await Promise.all(Array.from({ length: 40 }, (_, n) => ask(`${scene.url}/${round}/${n}`)))));
    scene.upstream.expire();
  }
  t.ok(all.every(({ status }) => status === 200));
  t.equal(new Set(scene.upstream.passed).size, 200);
});

t.test('nextnonce is used from the next request on, without a 401', async (t) => {
  const scene = await before(t, { nextnonce: true, uses: 1 });
  for (const path of ['/1', '/2', '/3']) t.equal((await ask(scene.url + path)).status, 200);
  t.strictSame(attempts(scene), [1, 1, 1]);
  t.equal(new Set(scene.upstream.passed.map((each) => each.split(' ')[0])).size, 3);
});

for (const [name, api, said] of [
  ['both qops: auth', { qop: ['auth', 'auth-int'] }, { protection: { qop: 'auth' } }],
  ['auth-int alone', { qop: ['auth-int'] }, { protection: { qop: 'auth-int' } }],
  ['MD5 alone', { algorithms: ['MD5'] }, { algorithm: 'MD5' }],
  ['SHA-256 alone', { algorithms: ['SHA-256'] }, { algorithm: 'SHA-256' }],
  ['SHA-512-256 alone', { algorithms: ['SHA-512-256'] }, { algorithm: 'SHA-512-256' }],
  ['the stronger of two', { algorithms: ['MD5', 'SHA-256'] }, { algorithm: 'SHA-256' }],
  [
    'no qop, as in RFC 2069',
    { algorithms: ['MD5'], qop: [] },
    { protection: undefined, cnonce: undefined, algorithm: undefined },
  ],
  ['userhash', { userhash: true }, { userhash: true, username: /^[0-9a-f]{64}$/ }],
] as const satisfies readonly (readonly [string, DigestApi, object])[]) {
  t.test(`an upstream that offers ${name}`, async (t) => {
    const scene = await before(t, api);
    t.match(await ask(`${scene.url}/a?b`), { status: 200 });
    t.match(await ask(`${scene.url}/a?b`, { method: 'PUT', body: 'text' }), { status: 200, text: 'PUT /a?b 4' });
    t.match(scene.upstream.received.at(-1)?.credentials, said);
    t.equal(scene.upstream.received.filter(({ status }) => status === 401).length, 1, 'only the question is refused');
  });
}

t.test('a session algorithm keeps its cnonce as long as its nonce', async (t) => {
  const scene = await before(t, { algorithms: ['SHA-256-sess'] }, { algorithms: ['SHA-256-sess'] });
  for (const path of ['/1', '/2']) t.equal((await ask(scene.url + path)).status, 200);
  const [, first, second] = scene.upstream.received;
  t.equal(first?.credentials?.cnonce, second?.credentials?.cnonce);
});

t.test('cnonce: nonce keeps it too', async (t) => {
  const scene = await before(t, {}, { cnonce: 'nonce' });
  for (const path of ['/1', '/2']) t.equal((await ask(scene.url + path)).status, 200);
  const [, first, second] = scene.upstream.received;
  t.equal(first?.credentials?.cnonce, second?.credentials?.cnonce);
});

t.test('qop and algorithms in the file are in order of preference, and no others are used', async (t) => {
  const both = await before(
    t,
    { qop: ['auth', 'auth-int'], algorithms: ['SHA-256', 'MD5'] },
    { qop: ['auth-int'], algorithms: ['MD5'] },
  );
  t.equal((await ask(`${both.url}/a`)).status, 200);
  t.match(both.upstream.received.at(-1)?.credentials, { algorithm: 'MD5', protection: { qop: 'auth-int' } });
  const none = await before(t, { algorithms: ['MD5'] }, { algorithms: ['SHA-256'] });
  const refused = await ask(`${none.url}/a`);
  t.equal(code(refused), '502 upstream_credentials_refused');
  t.match(
    decisionDetail(none),
    /offers no Digest with an algorithm of SHA-256 and a qop of auth, auth-int; it offers Digest, Basic/,
  );
  t.equal(none.upstream.received.length, 1);
});

const decisionDetail = ({ log }: TestGateway) => String(log.findLast(({ detail }) => detail !== undefined)?.detail);

t.test('a wrong password is an outage of ours, and no challenge for the client', async (t) => {
  const scene = await before(t, {}, { password: 'Hakuna Matata' });
  for (const init of [{}, { method: 'POST', body: 'a' }, { method: 'POST', body: body(2 * 1024 * 1024) }]) {
    const got = await ask(`${scene.url}/a`, init);
    t.equal(code(got), '502 upstream_credentials_refused');
    t.equal(got.headers.get('www-authenticate'), null);
  }
  t.match(decisionDetail(scene), /^upstreams.legacy rejects the username or password \(realm "legacy", SHA-256\)$/);
  t.notMatch(JSON.stringify(scene.log), /Hakuna/);
  t.equal(scene.upstream.received.length, 6, 'a question and one attempt each');
  t.match(await ask(`${scene.url}/a`, { method: 'HEAD' }), { status: 502, text: '' });
});

t.test('an upstream that always refuses gets at most three requests', async (t) => {
  for (const verdict of ['stale', 'wrong'] as const) {
    const scene = await before(t, { refuses: () => verdict });
    const got = await ask(`${scene.url}/a`);
    t.equal(code(got), verdict === 'stale' ? '503 upstream_nonce_stale' : '502 upstream_credentials_refused');
    t.equal(got.headers.get('retry-after'), verdict === 'stale' ? '1' : null);
    t.equal(scene.upstream.received.length, verdict === 'stale' ? 3 : 2);
    const later = await ask(`${scene.url}/a`);
    t.equal(later.status, got.status);
  }
});

t.test('a password that changed at the upstream: one more attempt, then 502', async (t) => {
  let isChanged = false;
  const scene = await before(t, { refuses: () => (isChanged ? 'wrong' : undefined) });
  t.equal((await ask(`${scene.url}/1`)).status, 200);
  isChanged = true;
  t.equal(code(await ask(`${scene.url}/2`)), '502 upstream_credentials_refused');
  t.strictSame(attempts(scene), [1, 2]);
});

t.test('with a wrong rspauth the upstream does not know the password: 502, and its answer is discarded', async (t) => {
  const scene = await before(t, { rspauth: 'f'.repeat(64) });
  const got = await ask(`${scene.url}/a`);
  t.equal(code(got), '502 upstream_unauthenticated');
  t.notMatch(got.text, /GET/);
  const silent = await before(t, { rspauth: 'none' });
  t.equal((await ask(`${silent.url}/a`)).status, 200);
});

t.test('bodies of every size and form arrive whole, with a known or unknown challenge', async (t) => {
  for (const eager of [false, true]) {
    const scene = await before(t, { eager });
    for (const bytes of [0, 1, 65_536, 1024 * 1024, 1024 * 1024 + 1, 3 * 1024 * 1024]) {
      t.match(await ask(`${scene.url}/a`, { method: 'POST', body: body(bytes) }), {
        status: 200,
        text: `POST /a ${bytes}`,
      });
      t.match(await ask(`${scene.url}/a`, streamed(bytes)), { status: 200, text: `POST /a ${bytes}` });
    }
    t.ok(attempts(scene).every((each) => each === 1));
  }
});

t.test('a body that is short enough is sent again after a stale nonce, a longer one never', async (t) => {
  for (const eager of [false, true]) {
    let isStale = false;
    const scene = await before(t, { eager, refuses: () => (isStale ? 'stale' : undefined) });
    t.equal((await ask(`${scene.url}/a`)).status, 200);
    scene.upstream.expire();
    const held = 1024 * 1024;
    t.match(await ask(`${scene.url}/a`, streamed(held)), { status: 200, text: `POST /a ${held}` });
    isStale = true;
    for (const init of [{ method: 'POST', body: body(held + 1) }, streamed(held + 1)]) {
      scene.upstream.received.splice(0);
      const got = await ask(`${scene.url}/a`, init);
      t.equal(code(got), '503 upstream_nonce_stale');
      t.equal(got.headers.get('retry-after'), '1');
      t.equal(scene.upstream.received.filter(({ method }) => method === 'POST').length, 1);
    }
    isStale = false;
    t.match(await ask(`${scene.url}/a`, { method: 'POST', body: body(held + 1) }), { status: 200 });
  }
});

t.test(
  'if only another method is protected, a long body is refused once and passes when it is sent again',
  async (t) => {
    const scene = await before(t, { open: ['HEAD', 'GET'] });
    t.match(await ask(`${scene.url}/a`), { status: 200 }, 'without credentials, since none are asked for');
    const long = { method: 'POST', body: body(2 * 1024 * 1024) };
    t.equal(code(await ask(`${scene.url}/a`, long)), '503 upstream_nonce_stale');
    t.match(await ask(`${scene.url}/a`, long), { status: 200 });
    const short = await before(t, { open: ['HEAD'] });
    t.match(await ask(`${short.url}/a`, { method: 'POST', body: 'a' }), { status: 200 });
    t.strictSame(attempts(short), [2]);
  },
);

t.test('only auth-int, with a body that is too long to hash first: 502 with a code of its own', async (t) => {
  const scene = await before(t, { qop: ['auth-int'] });
  t.equal(code(await ask(`${scene.url}/a`, streamed(2 * 1024 * 1024))), '502 upstream_protection_unmet');
  t.equal(scene.upstream.received.filter(({ method }) => method === 'POST').length, 0);
});

t.test('the limit of the route applies to a buffered body', async (t) => {
  const upstream = await digestUpstream(t);
  const { url } = await gateway(t, { ...file(upstream.url), routes: [{ ...routes[0], limits: { body: '1KiB' } }] });
  t.equal(code(await ask(`${url}/a`, streamed(4096))), '413 body_too_large');
});

t.test('the body of a refusal is discarded, and an endless one is not read', async (t) => {
  const scene = await before(t, { refusalBytes: 5 * 1024 * 1024 });
  t.match(await ask(`${scene.url}/1`), { status: 200, text: 'GET /1 0' });
  scene.upstream.expire();
  t.match(await ask(`${scene.url}/2`), { status: 200, text: 'GET /2 0' });
});

t.test('HEAD, Expect and chunked answers', async (t) => {
  const passed: DigestApi['passed'] = (request, response) => {
    response.write(`${request.method} `);
    setTimeout(() => response.end('done'), 20);
  };
  const scene = await before(t, { passed });
  t.match(await ask(`${scene.url}/a`, { method: 'HEAD' }), { status: 200, text: '' });
  t.match(await ask(`${scene.url}/a`), { status: 200, text: 'GET done' });
  for (const bytes of [4, 2 * 1024 * 1024]) {
    const client = await open(t, scene.port);
    const headers = [
      ['Expect', '100-continue'],
      ['Content-Length', String(bytes)],
    ] as const;
    client.send(requestText({ method: 'POST', target: '/a', headers }));
    await client.arrived(25);
    t.match(client.unread.toString(), /^HTTP\/1.1 100 Continue/);
    client.send(body(bytes));
    t.equal((await client.read({ method: 'POST' }))?.body.toString(), 'POST done');
    client.socket.destroy();
  }
});

t.test('a WebSocket opens despite the challenge, also after a stale nonce', async (t) => {
  const scene = await before(t);
  for (let round = 0; round < 2; round++) {
    const client = await open(t, scene.port);
    const headers = [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
      ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
      ['Sec-WebSocket-Version', '13'],
    ] as const;
    client.send(requestText({ target: '/live', headers }));
    const response = await client.read();
    t.equal(response?.status, 101);
    t.equal(response?.header('authentication-info'), undefined);
    client.send('ping');
    await new Promise((echoed) => client.socket.once('data', echoed));
    t.equal(client.unread.toString(), 'ping');
    client.socket.destroy();
    scene.upstream.expire();
  }
  t.strictSame(attempts(scene), [1, 2]);
});

t.test('an unavailable upstream is 502 before any challenge, and a silent one is 504', async (t) => {
  const away = await gateway(t, file('http://127.0.0.1:9'));
  t.equal(code(await ask(`${away.url}/a`)), '502 upstream_unreachable');
  t.equal(code(await ask(`${away.url}/a`, { method: 'POST', body: 'a' })), '502 upstream_unreachable');
  const slow = await before(t, { passed: () => {} }, {}, { timeout: { response: '300ms' } });
  t.equal(code(await ask(`${slow.url}/a`)), '504 upstream_timeout');
});

t.test('a target that never answers the challenge request does not delay others for long', async (t) => {
  let isFirst = true;
  const slow = (ready: () => void) => {
    if (!isFirst) ready();
    isFirst = false;
  };
  const scene = await before(t, { slow }, {}, { timeout: { response: '10s' } });
  const never = new AbortController();
  const hangs = ask(`${scene.url}/hangs`, { signal: never.signal }).catch(() => 'given up');
  await until(() => scene.upstream.received.length > 0);
  const began = performance.now();
  const others = await Promise.all(['/a', '/b', '/c'].map((path) => ask(scene.url + path)));
  t.strictSame(
    others.map(({ status }) => status),
    [200, 200, 200],
  );
  t.ok(performance.now() - began < 9_000, 'long before its time is over');
  t.equal(scene.upstream.questions(), 2, 'one of them asks for all');
  never.abort();
  t.equal(await hangs, 'given up');
});

t.test('both attempts share one time limit', async (t) => {
  let answers = 0;
  const slowly = (ready: () => void) => void setTimeout(ready, 1_800);
  const scene = await before(
    t,
    {
      passed: (_, response) => (answers++ === 0 ? response.end() : slowly(() => response.end())),
      slowRefusal: slowly,
      refusalBytes: 10,
    },
    {},
    { timeout: { response: '3s' } },
  );
  t.equal((await ask(`${scene.url}/1`)).status, 200);
  scene.upstream.expire();
  t.equal(code(await ask(`${scene.url}/2`)), '504 upstream_timeout');
  t.strictSame(attempts(scene), [1, 2]);
});

t.test('a request without a body whose connection broke is sent again with its own count', async (t) => {
  let isCut = false;
  const scene = await before(t, {
    passed: (request, response) => {
      isCut = !isCut;
      if (isCut) request.socket.destroy();
      else response.end('served');
    },
  });
  t.match(await ask(`${scene.url}/a`), { status: 200, text: 'served' });
  const [, first, second] = scene.upstream.received;
  t.strictSame([first?.credentials?.protection?.nc, second?.credentials?.protection?.nc], ['00000001', '00000002']);
  t.strictSame(attempts(scene), [2]);
});

t.test('a client that leaves while the challenge is fetched frees its place', async (t) => {
  const waiting: (() => void)[] = [];
  const limits = { max_connections: 1, max_pending: 0 };
  const scene = await before(t, { slow: (ready) => void waiting.push(ready) }, {}, limits);
  const gone = () => scene.log.filter(({ code: said }) => said === 'client_gone').length;
  const uploads = { method: 'POST', headers: [['Content-Length', '4000000']] } as const;
  for (const [index, sent] of [{ target: '/a' }, { target: '/a', ...uploads }].entries()) {
    const client = await open(t, scene.port);
    client.send(requestText(sent));
    t.ok(await until(() => waiting.length === 1));
    t.equal(code(await ask(`${scene.url}/b`)), '503 upstream_saturated');
    client.socket.destroy();
    // A connection that is not read does not report its end. The end of the upload shows once it is sent.
    await until(() => gone() > index, 100);
    for (const ready of waiting.splice(0)) ready();
    let status = 503;
    for (let tries = 0; tries < 200 && status === 503; tries++) status = (await ask(`${scene.url}/c`)).status;
    t.equal(status, 200);
  }
  t.ok(await until(() => gone() === 2));
  const arrived = scene.upstream.received.filter(({ method, url }) => method !== 'HEAD' && url === '/a');
  t.ok(
    arrived.every(({ method, body: sent }) => method === 'POST' && sent.length === 0),
    'no request that is whole',
  );
});

t.test('a client that leaves during a buffered body ends only its own request', async (t) => {
  const scene = await before(t);
  const client = await open(t, scene.port);
  client.send(requestText({ method: 'POST', target: '/a', headers: [['Content-Length', '5']] }));
  client.send('he');
  await until(() => false, 50);
  client.socket.destroy();
  t.ok(await until(() => scene.log.some(({ code: said }) => said === 'client_gone')));
  t.equal(scene.upstream.received.length, 0);
  t.equal((await ask(`${scene.url}/b`)).status, 200);
});

t.test("a reload keeps the challenge if the upstream's block did not change", async (t) => {
  const upstream = await digestUpstream(t);
  const running = await reloadable(t, file(upstream.url));
  t.equal((await ask(`${running.url}/1`)).status, 200);
  t.equal((await running.take({ ...file(upstream.url), realm: 'another' })).ok, true);
  t.equal((await ask(`${running.url}/2`)).status, 200);
  t.equal(upstream.questions(), 1);
  t.equal(upstream.received.at(-1)?.credentials?.protection?.nc, '00000002');
  t.equal((await running.take(file(upstream.url, { cnonce: 'nonce' }))).ok, true);
  t.equal((await ask(`${running.url}/3`)).status, 200);
  t.equal(upstream.questions(), 2);
});

t.test(
  'in shadow mode the upstream gets what the client sent, and the client gets what the upstream answers',
  async (t) => {
    const upstream = await digestUpstream(t);
    const { url } = await gateway(t, { ...file(upstream.url), mode: 'shadow' });
    const got = await ask(`${url}/a`);
    t.equal(got.status, 401);
    t.match(got.headers.get('www-authenticate'), /^Digest/);
  },
);

for (const [kind, credentials] of [
  ['basic', { basic: account }],
  ['header', { header: { name: 'X-Key', value: 'k' } }],
] as const) {
  t.test(`a 401 to \`${kind}\` is an outage of ours too`, async (t) => {
    const upstream = await digestUpstream(t);
    const bearerless = [{ ...routes[0], access: 'optional' }];
    const main = { issuer: 'https://auth.example.com', audience: 'https://api.example.com' };
    const { url } = await gateway(t, {
      ...file(upstream.url, {}, { credentials }),
      routes: bearerless,
      authorization_servers: { main },
    });
    const got = await ask(`${url}/a`);
    t.equal(code(got), '502 upstream_credentials_refused');
    t.equal(got.headers.get('www-authenticate'), null);
  });
}

t.test("if the upstream gets the client's Authorization, its 401 is for the client", async (t) => {
  const upstream = await digestUpstream(t);
  const credentials = { header: { name: 'X-Key', value: 'k' } };
  const { url } = await gateway(t, file(upstream.url, {}, { credentials }));
  t.match(await ask(`${url}/a`), { status: 401 });
});

/** Answers a request with credentials with this, and any other with a challenge. */
async function challenging(t: Test, answer: (challenge: string) => string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const head = String(chunk);
      const challenge = `WWW-Authenticate: Digest realm="r", nonce="${asked.length}", qop="auth", algorithm=SHA-256`;
      const isOurs = /^authorization: digest/im.test(head);
      if (isOurs) asked.push(head.slice(0, head.indexOf('\r\n')));
      socket.write(
        isOurs ? answer(challenge) : `HTTP/1.1 401 Unauthorized\r\n${challenge}\r\nContent-Length: 0\r\n\r\n`,
      );
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

for (const engine of ['undici', 'own'])
  t.test(
    `${engine}: after a stalled stale answer another URL is used, and the client gets that answer once`,
    async (t) => {
      const stalls = await challenging(
        t,
        (challenge) => `HTTP/1.1 401 Unauthorized\r\n${challenge}, stale=true\r\nContent-Length: 10\r\n\r\nab`,
      );
      const answers = await challenging(t, () => 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello');
      const urls = [stalls.url, answers.url];
      const upstream = { urls, url: undefined, engine, retries: 1, timeout: { response: '1s' } };
      const scene = await gateway(t, file('', {}, upstream));
      // In turn: one of them begins at the URL that stalls.
      for (let count = 0; count < 2; count++)
        t.match(await ask(`${scene.url}/${count}`, { signal: AbortSignal.timeout(10_000) }), {
          status: 200,
          text: 'hello',
        });
      t.ok(stalls.asked.length >= 1);
      t.equal(answers.asked.length, 2, 'each once');
    },
  );
