import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { account, digestUpstream } from '../support/digest-upstream.ts';
import { freePort } from '../support/free-port.ts';
import { gateway, type TestGateway } from '../support/gateway.ts';
import { sample } from '../support/metric-sample.ts';
import { ask, open } from '../support/raw-client.ts';
import { answerText, type RawUpstream, rawUpstream, type Script } from '../support/raw-upstream.ts';
import { reloadable } from '../support/reloadable.ts';
import { requestText } from '../support/request-text.ts';
import { tlsUpstream } from '../support/tls-upstream.ts';
import { until } from '../support/until.ts';

/** Several URLs of one upstream, one rule at a time. */

/** Starts programs: 8 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const routes = [{ match: { path: '/{rest*}' }, access: 'public' }];

function file(api: object): object {
  return { admin: '127.0.0.1:0', upstreams: { api }, defaults: { upstream: 'api' }, routes };
}

interface Scene extends TestGateway {
  readonly upstreams: readonly RawUpstream[];
}

async function before(t: Test, scripts: readonly Script[], more: object = {}): Promise<Scene> {
  const upstreams = await Promise.all(scripts.map((script) => rawUpstream(t, script)));
  return { ...(await gateway(t, file({ urls: upstreams.map(({ url }) => url), ...more }))), upstreams };
}

const says =
  (word: string): Script =>
  ({ socket }) =>
    socket.write(answerText(word));
const cuts: Script = ({ socket }) => socket.destroy();
const silent: Script = () => {};

const heads = ({ upstreams }: Scene) =>
  upstreams.map(({ connections }) => connections.reduce((sum, { heads }) => sum + heads, 0));
const problem = async (response: Response) =>
  `${response.status} ${((await response.json()) as { code: string }).code}`;

async function words(url: string, times: number): Promise<string> {
  const said: string[] = [];
  for (let asked = 0; asked < times; asked++) said.push(await (await fetch(`${url}/a`)).text());
  return said.join(' ');
}

t.test("round_robin: one after the other, each with its own Host if the upstream's Host is configured", async (t) => {
  const scene = await before(t, ['a', 'b', 'c'].map(says), { host: 'upstream' });
  t.equal(await words(scene.url, 6), 'a b c a b c');
  for (const { connections, port } of scene.upstreams) t.match(connections[0]?.received, `host: 127.0.0.1:${port}`);
});

t.test('least_connections: a slow upstream gets less', async (t) => {
  let answer = () => {};
  const slow: Script = ({ socket }) => {
    answer = () => socket.write(answerText('slow'));
  };
  const scene = await before(t, [slow, says('a')], { balance: 'least_connections' });
  const held = fetch(`${scene.url}/a`);
  await until(() => heads(scene)[0] === 1);
  t.equal(await words(scene.url, 5), 'a a a a a');
  answer();
  t.equal(await (await held).text(), 'slow');
});

for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
  t.test(`a ${method} without a body whose connection breaks goes to another url`, async (t) => {
    const scene = await before(t, [cuts, says('ok')]);
    const response = await fetch(`${scene.url}/a`, { method });
    t.equal(response.status, 200);
    t.strictSame(heads(scene), [1, 1]);
    t.equal(await sample(scene.adminUrl as string, 'gatehouse_upstream_retries_total', {}), 1);
    t.ok(
      await until(() => scene.log.some(({ upstream_attempts }) => upstream_attempts === 2)),
      'and the decision says so',
    );
  });
}

for (const [name, init] of Object.entries({
  'a POST without a body': { method: 'POST' },
  'a POST with a body': { method: 'POST', body: 'x' },
  'a PUT with a body': { method: 'PUT', body: 'x' },
})) {
  t.test(`${name} that was sent is not sent elsewhere`, async (t) => {
    const scene = await before(t, [cuts, says('ok')]);
    t.equal(await problem(await fetch(`${scene.url}/a`, init)), '502 upstream_invalid');
    t.strictSame(heads(scene), [1, 0]);
  });
}

t.test(
  'after a refused connection nothing was sent, so any request goes to another URL, with its whole body',
  async (t) => {
    const b = await rawUpstream(t, says('ok'));
    const urls = [`http://127.0.0.1:${await freePort()}`, b.url];
    const { url } = await gateway(t, file({ urls }));
    const response = await fetch(`${url}/a`, { method: 'POST', body: 'x'.repeat(1000) });
    t.equal(response.status, 200);
    t.ok(await until(() => b.connections[0]?.received.endsWith('x'.repeat(1000)) === true));
  },
);

t.test('`retries: 0`: nothing is sent twice', async (t) => {
  const scene = await before(t, [cuts, says('ok')], { retries: 0 });
  t.equal(await problem(await fetch(`${scene.url}/a`)), '502 upstream_invalid');
  t.strictSame(heads(scene), [1, 0]);
});

t.test('a request is never sent more often than `retries` says', async (t) => {
  const scene = await before(t, [cuts, cuts, cuts, cuts], { retries: 2 });
  t.equal(await problem(await fetch(`${scene.url}/a`)), '502 upstream_invalid');
  t.equal(
    heads(scene).reduce((sum, count) => sum + count),
    3,
  );
});

t.test('silence: a repeatable request gets the same time again elsewhere, other requests are 504', async (t) => {
  const scene = await before(t, [silent, says('ok')], { timeout: { response: '1s' } });
  t.equal(await words(scene.url, 1), 'ok');
  await fetch(`${scene.url}/a`);
  t.equal(await problem(await fetch(`${scene.url}/a`, { method: 'POST', body: 'x' })), '504 upstream_timeout');
});

t.test('an answer with any status is an answer: nothing is repeated, and no circuit breaker opens', async (t) => {
  const busy: Script = ({ socket }) => socket.write(answerText('busy', { status: '503 Service Unavailable' }));
  const scene = await before(t, [busy, says('ok')], { circuit_breaker: { failures: 1 } });
  const statuses = [];
  for (let asked = 0; asked < 4; asked++) statuses.push((await fetch(`${scene.url}/a`)).status);
  t.strictSame(statuses, [503, 200, 503, 200]);
});

t.test(
  'circuit breaker of a single URL: 503 without a request, one request after its time, all requests after an answer',
  async (t) => {
    let behaves: Script = cuts;
    const { url, upstreams, ...rest } = await before(t, [(...all) => behaves(...all)], {
      retries: 0,
      circuit_breaker: { failures: 2, open_for: '2s' },
    });
    const scene = { url, upstreams, ...rest };
    for (let failed = 0; failed < 2; failed++) t.equal(await problem(await fetch(`${url}/a`)), '502 upstream_invalid');
    const refused = await fetch(`${url}/a`);
    t.match(refused.headers.get('retry-after'), /^[12]$/);
    t.equal(await problem(refused), '503 upstream_unhealthy');
    t.strictSame(heads(scene), [2], 'it was not asked');
    await pause(2_050);
    const pending: (() => void)[] = [];
    behaves = ({ socket }) => pending.push(() => socket.write(answerText('ok')));
    const tried = fetch(`${url}/a`);
    t.ok(await until(() => pending.length === 1));
    t.equal(await problem(await fetch(`${url}/a`)), '503 upstream_unhealthy', 'one, and no second');
    pending[0]?.();
    t.equal((await tried).status, 200);
    behaves = says('ok');
    t.equal(await words(url, 3), 'ok ok ok');
    const lines = scene.log.filter(({ upstream: name }) => name === 'api').map(({ msg }) => String(msg));
    t.strictSame(
      lines.filter((line) => line.startsWith('an upstream URL')),
      [
        'an upstream URL does not answer; it gets no requests for a while',
        'an upstream URL gets one trial request',
        'an upstream URL answers again',
      ],
      'a line a change',
    );
  },
);

t.test('a 401 to the gateway’s own credentials is an answer too: it closes the circuit breaker', async (t) => {
  let behaves: Script = cuts;
  const scene = await before(t, [(...all) => behaves(...all)], {
    retries: 0,
    circuit_breaker: { failures: 1, open_for: '200ms' },
    credentials: { basic: { username: 'a', password: 'b' } },
  });
  t.equal(await problem(await fetch(`${scene.url}/a`)), '502 upstream_invalid');
  behaves = ({ socket }) => socket.write(answerText('', { status: '401 Unauthorized' }));
  await pause(220);
  t.equal(await problem(await fetch(`${scene.url}/a`)), '502 upstream_credentials_refused');
  t.equal(await sample(scene.adminUrl as string, 'gatehouse_upstream_breaker', {}), 0);
});

t.test('a client that leaves does not count against the upstream', async (t) => {
  const scene = await before(t, [silent], { circuit_breaker: { failures: 2 } });
  for (let left = 1; left <= 4; left++) {
    const client = await open(t, scene.port);
    client.send(requestText({ target: '/a' }));
    await until(() => heads(scene)[0] === left);
    client.destroy();
    await pause(20);
  }
  t.equal(await sample(scene.adminUrl as string, 'gatehouse_upstream_breaker', {}), 0);
});

const health = { path: '/healthz', interval: '100ms', timeout: '2s', unhealthy_after: 2, healthy_after: 2 };

t.test('a health check is a separate request without data of any client', async (t) => {
  const scene = await before(t, [says('ok')], {
    health,
    credentials: { basic: { username: 'legacy', password: 'secret' } },
    host: 'api.internal',
  });
  t.ok(await until(() => (heads(scene)[0] ?? 0) > 2));
  const lines = scene.upstreams[0]?.connections[0]?.received.trim().split('\r\n');
  t.strictSame(lines, ['GET /healthz HTTP/1.1', 'host: api.internal', 'connection: close']);
});

t.test('no URL is healthy: 503 until one is again; readiness does not change', async (t) => {
  let status = '500 Internal Server Error';
  const scene = await before(t, [({ socket }) => socket.write(answerText('', { status }))], { health });
  const unwell = () =>
    scene.log.some(({ msg, detail }) => String(msg).includes('is unhealthy') && detail === 'status 500');
  t.ok(await until(unwell));
  const response = await fetch(`${scene.url}/a`);
  t.equal(response.headers.get('retry-after'), '1');
  t.equal(await problem(response), '503 upstream_unhealthy');
  t.equal((await fetch(`${scene.adminUrl}/readyz`)).status, 200);
  status = '200 OK';
  t.ok(await until(() => scene.log.some(({ msg }) => String(msg).includes('is healthy again'))));
  t.equal((await fetch(`${scene.url}/a`)).status, 200);
});

t.test('the state of a URL survives a reload that does not change it, and its health checks end with it', async (t) => {
  const bad: Script = ({ socket }) => socket.write(answerText('', { status: '500 No' }));
  const upstream = await rawUpstream(t, bad);
  const other = await rawUpstream(t, says('other'));
  const block = { url: upstream.url, health };
  const running = await reloadable(t, file(block));
  t.ok(await until(() => running.log.some(({ msg }) => String(msg).includes('is unhealthy'))));
  await running.take({ ...file(block), realm: 'another' });
  t.equal((await fetch(`${running.url}/a`)).status, 503, 'at once');
  await running.take(file({ url: other.url }));
  t.equal((await fetch(`${running.url}/a`)).status, 200);
  await pause(50);
  const asked = upstream.connections.length;
  await pause(400);
  t.equal(upstream.connections.length, asked);
});

t.test(
  'Digest: each URL has its own nonces, and a request that goes to another URL answers the challenge there',
  async (t) => {
    const [a, b] = [await digestUpstream(t), await digestUpstream(t)];
    const credentials = { digest: account };
    const { url } = await gateway(t, file({ urls: [a.url, b.url], credentials }));
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(`${url}/a`)).status));
    t.strictSame(new Set(statuses), new Set([200]));
    t.ok(a.passed.length >= 9 && b.passed.length >= 9, `${a.passed.length} and ${b.passed.length}`);
    t.ok(a.received.every(({ isStale }) => !isStale) && b.received.every(({ isStale }) => !isStale));
    const gone = `http://127.0.0.1:${await freePort()}`;
    const half = await gateway(t, file({ urls: [gone, a.url], credentials }));
    for (const body of [undefined, 'x'.repeat(1000)]) {
      const response = await fetch(`${half.url}/b`, { method: 'POST', ...(body !== undefined && { body }) });
      t.equal(response.status, 200, 'its body is held, and nothing of it was sent');
    }
  },
);

const vector = (name: string) => fileURLToPath(new URL(`../vectors/tls/${name}`, import.meta.url));
const ca = vector('authority.crt');

t.test('https: the certificate must match the URL, whatever Host a client sends', async (t) => {
  const upstream = await tlsUpstream(t);
  const { port } = await gateway(t, file({ url: upstream.url, tls: { ca } }));
  for (const host of ['api.example.com', 'evil.example', 'localhost']) {
    t.equal((await ask(port, requestText({ target: '/a', host })))?.status, 200, host);
  }
  t.strictSame(new Set(upstream.names), new Set(['localhost']), 'SNI is the url’s');
  t.equal(upstream.connections(), 1, 'and one connection serves them all');
  const address = upstream.url.replace('localhost', '127.0.0.2');
  const other = await gateway(t, file({ url: address, tls: { ca } }));
  t.equal(
    (await ask(other.port, requestText({ target: '/a', host: 'localhost' })))?.status,
    502,
    'a client cannot name it',
  );
});

t.test('`server_name` is the name that the certificate must match', async (t) => {
  const upstream = await tlsUpstream(t);
  const right = await gateway(
    t,
    file({ url: upstream.url.replace('localhost', '127.0.0.1'), tls: { ca, server_name: 'localhost' } }),
  );
  t.equal((await fetch(`${right.url}/a`)).status, 200);
  const wrong = await gateway(t, file({ url: upstream.url, tls: { ca, server_name: 'other.internal' } }));
  t.equal(await problem(await fetch(`${wrong.url}/a`)), '502 upstream_unreachable');
});

t.test('`cert` and `key` are presented, and a reload uses changed files', async (t) => {
  const upstream = await tlsUpstream(t, { requestCert: true, rejectUnauthorized: true });
  const running = await reloadable(
    t,
    file({ url: upstream.url, tls: { ca, cert: vector('client.crt'), key: vector('client.key') } }),
  );
  t.equal((await fetch(`${running.url}/a`)).status, 200);
  const [cert, key] = [join(running.directory, 'c.crt'), join(running.directory, 'c.key')];
  const take = async (name: string) => {
    copyFileSync(vector(`${name}.crt`), cert);
    copyFileSync(vector(`${name}.key`), key);
    const taken = await running.take(file({ url: upstream.url, tls: { ca, cert, key } }));
    t.ok(taken.ok);
    return (await fetch(`${running.url}/a`)).status;
  };
  t.equal(await take('other-client'), 502, 'whom the upstream does not know');
  t.equal(await take('client'), 200);
});
