import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import type { Clock } from '../../src/base/clock.ts';
import { makeApiKey } from '../../src/http-auth/api-key.ts';
import { apiKeyFile, apiKeyLine } from '../support/api-key-files.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway } from '../support/gateway.ts';
import { reloadable } from '../support/reloadable.ts';
import { settableClock } from '../support/settable-clock.ts';
import { jwt } from '../support/tokens.ts';

const KEY = makeApiKey();

interface Started {
  readonly block?: object;
  readonly route?: object;
  readonly file?: object;
  readonly clock?: Clock;
}

async function started(t: Test, { block, route, file, clock }: Started = {}) {
  const keys = apiKeyFile(t, apiKeyLine(KEY, 'meter-7', { scopes: ['orders.read', 'orders.write'] }));
  const only = {
    id: 'r',
    match: { path: '/{rest*}' },
    scope: 'orders.read',
    auth: { any_of: ['bearer', 'api_key'] },
    api_key: { in: 'header', name: 'X-API-Key', keys, ...block },
    ...route,
  };
  return gateway(t, behind(await echoUpstream(t), { realm: 'r', routes: [only], ...file }), clock);
}

interface Told {
  readonly status: number;
  readonly code: string | undefined;
  readonly challenge: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
}

async function ask(url: string, headers: Record<string, string> = {}): Promise<Told> {
  const response = await fetch(url, { headers });
  const body = (await response.json()) as Told;
  return { ...body, status: response.status, challenge: response.headers.get('www-authenticate') };
}

/** Of the server that `behind` names. */
const token = () => jwt({ scope: 'orders.read' }, { alg: 'HS256' });

const sending = (key: string) => ({ 'X-API-Key': key });

t.test('the upstream gets client and scopes of the key, and not the key', async (t) => {
  const { url } = await started(t);
  const told = await ask(`${url}/a`, sending(KEY));
  t.match(told, {
    status: 200,
    headers: {
      'x-auth-subject': 'meter-7',
      'x-auth-client': 'meter-7',
      'x-auth-scope': 'orders.read orders.write',
    },
  });
  t.notOk(JSON.stringify(told).includes(KEY));
});

t.test('on a route with bearer tokens both challenges are in the 401, and either credential passes', async (t) => {
  const { url } = await started(t);
  const { status, code, challenge } = await ask(`${url}/a`);
  t.strictSame([status, code], [401, 'credential_missing']);
  t.match(challenge, /^Bearer .*, ApiKey realm="r", header="X-API-Key"$/);
  t.match(await ask(`${url}/a`, { authorization: `Bearer ${await token()}` }), { status: 200 });
});

t.test('a scope that the key does not have is refused', async (t) => {
  const { url } = await started(t, { route: { scope: 'admin' } });
  t.match(await ask(`${url}/a`, sending(KEY)), { status: 403, code: 'scope_insufficient' });
});

t.test('a key that was cut is refused, and the log says so; the answer does not', async (t) => {
  const { url, log } = await started(t);
  t.match(await ask(`${url}/a`, sending(KEY.slice(0, -1))), { status: 401, code: 'api_key_invalid' });
  t.ok(log.some((line) => /checksum/.test(JSON.stringify(line))));
});

t.test('a key is refused from the second of its expiry', async (t) => {
  const clock = settableClock();
  const now = Math.floor(clock.now() / 1000) * 1000;
  const keys = apiKeyFile(t, apiKeyLine(KEY, 'meter-7', { scopes: ['orders.read'], expiresAt: now / 1000 + 60 }));
  const { url } = await started(t, { block: { keys }, clock });
  t.match(await ask(`${url}/a`, sending(KEY)), { status: 200 });
  clock.advance(now + 59_999 - clock.now());
  t.match(await ask(`${url}/a`, sending(KEY)), { status: 200 });
  clock.advance(1);
  const told = await ask(`${url}/a`, sending(KEY));
  t.match(told, { status: 401, code: 'api_key_expired', challenge: /ApiKey realm="r"/ });
});

t.test('a key that is hashed by HMAC passes if the gateway has the secret', async (t) => {
  const secret = randomBytes(32);
  const lines = [apiKeyLine('short-key', 'old', { id: 'old-1', scopes: ['orders.read'], secret })];
  const keys = apiKeyFile(t, ...lines, apiKeyLine(KEY, 'meter-7', { scopes: ['orders.read'] }));
  const { url } = await started(t, { block: { keys, hmac_key: secret.toString('base64') } });
  t.match(await ask(`${url}/a`, sending('short-key')), { status: 200, headers: { 'x-auth-subject': 'old' } });
  t.match(await ask(`${url}/a`, sending(KEY)), { status: 200, headers: { 'x-auth-subject': 'meter-7' } });
  t.match(await ask(`${url}/a`, sending('short-kez')), { status: 401 });
});

t.test('wrong keys count against the address, and then no key from it is checked', async (t) => {
  const { url } = await started(t, { file: { login: { max_failures: 2, window: '30s' } } });
  for (let index = 0; index < 20; index++)
    t.match(await ask(`${url}/a`, sending(`wrong-${index}`)), { status: 401, code: 'api_key_invalid' });
  t.match(await ask(`${url}/a`, sending('wrong-20')), { status: 429, code: 'login_throttled' });
  t.match(await ask(`${url}/a`, sending(KEY)), { status: 429, code: 'login_throttled' });
});

t.test('a repeated wrong key throttles only itself: other clients of the address are not affected', async (t) => {
  const { url } = await started(t, { file: { login: { max_failures: 2, window: '30s' } } });
  const statuses = [];
  for (let index = 0; index < 30; index++) statuses.push((await ask(`${url}/a`, sending('revoked'))).status);
  t.strictSame([...new Set(statuses)], [401, 429]);
  t.match(await ask(`${url}/a`, sending(KEY)), { status: 200 });
});

t.test('a reload ends a key whose line is gone; an invalid file changes nothing', async (t) => {
  const other = makeApiKey();
  const keys = apiKeyFile(t, apiKeyLine(KEY, 'a'), apiKeyLine(other, 'b'));
  const route = { match: { path: '/a' }, auth: 'api_key', api_key: { keys }, access: 'authenticated' };
  const running = await reloadable(t, behind(await echoUpstream(t), { routes: [route] }));
  const statuses = async () =>
    Promise.all([KEY, other].map(async (key) => (await ask(`${running.url}/a`, sending(key))).status));
  t.strictSame(await statuses(), [200, 200]);
  writeFileSync(keys, `${apiKeyLine(other, 'b')}\n`);
  t.match(await running.reload(), { ok: true });
  t.strictSame(await statuses(), [401, 200]);
  writeFileSync(keys, 'nonsense\n');
  t.match(await running.reload(), { ok: false, problems: [{ message: /users:1: this is not a line of an API key/ }] });
  t.strictSame(await statuses(), [401, 200]);
});

t.test('on a route without API keys the field is forwarded like any other', async (t) => {
  const { url } = await started(t, { route: { auth: 'bearer', api_key: undefined } });
  const told = await ask(`${url}/a?key=1`, { ...sending(KEY), authorization: `Bearer ${await token()}` });
  t.match(told, { status: 200, url: '/a?key=1', headers: { 'x-api-key': KEY } });
});

t.test('a key beside a token, or a repeated key, counts as two credentials', async (t) => {
  const { url } = await started(t, { block: { in: 'query', name: 'key' } });
  const authorization = `Bearer ${await token()}`;
  t.match(await ask(`${url}/a?key=${KEY}`, { authorization }), { status: 400, code: 'credential_repeated' });
  t.match(await ask(`${url}/a?key=${KEY}&k%65y=${KEY}`), { status: 400, code: 'credential_repeated' });
});

t.test('a key in the query is removed from the target, and the answer is private', async (t) => {
  const { url } = await started(t, { block: { in: 'query', name: 'key' } });
  const response = await fetch(`${url}/a?x=1&key=${KEY}&y=2`);
  t.match([response.status, await response.json()], [200, { url: '/a?x=1&y=2' }]);
  t.match(response.headers.get('cache-control'), /private/);
  t.match((await ask(`${url}/a`)).challenge, /ApiKey realm="r", query="key"$/);
});

t.test(
  'a key in a spelling that only some upstreams read is refused, and beside another key it counts as a second one',
  async (t) => {
    const { url } = await started(t);
    t.match(await ask(`${url}/a`, { X_API_Key: KEY }), { status: 400, code: 'credential_misspelt' });
    t.match(await ask(`${url}/a`, { X_API_Key: KEY, ...sending(KEY) }), { status: 400, code: 'credential_repeated' });
    const query = await started(t, { block: { in: 'query', name: 'key' } });
    for (const spelt of ['KEY=a', 'key[]=a', 'x=1;key=a', '+key=a', 'x=1%26key=a'])
      t.match(await ask(`${query.url}/a?${spelt}`), { status: 400, code: 'credential_misspelt' }, spelt);
    t.match(await ask(`${query.url}/a%3Fkey=a`), { status: 400, code: 'credential_misspelt' });
    t.match(await ask(`${query.url}/a%3Fother=a?key=${KEY}`), { status: 200 });
    t.match(await ask(`${query.url}/a?k%65y=${KEY}&y=2`), { status: 200, url: '/a?y=2' }, 'as access_token');
    t.match(await ask(`${query.url}/a?key=${KEY}&KEY=${KEY}`), { status: 400, code: 'credential_repeated' });
  },
);

t.test('other fields do not count as a second credential', async (t) => {
  const { url } = await started(t, { block: { in: 'query', name: 'key' } });
  const told = await ask(`${url}/a?keys=1&akey=2&x=key&key=${KEY}`, { key: 'of the client' });
  t.match(told, { status: 200, url: '/a?keys=1&akey=2&x=key', headers: { key: 'of the client' } });
});

t.test('a public route rejects a misspelled key, and does not treat it as no credential', async (t) => {
  const { url } = await started(t, { route: { access: 'optional', scope: undefined } });
  t.match(await ask(`${url}/a`), { status: 200 });
  t.match(await ask(`${url}/a`, { X_API_Key: KEY }), { status: 400, code: 'credential_misspelt' });
});

t.test('no path with an encoded character hides another key, or a misspelled one, in the query', async (t) => {
  const { url } = await started(t, {
    block: { in: 'query', name: 'api_key' },
    route: { access: 'optional', scope: undefined },
  });
  for (const target of [
    `/a%3Fx?Api_Key=${KEY}`,
    `/a%23x?Api_Key=${KEY}`,
    `/a%3fx?api_key[]=${KEY}`,
    `/a%3fapi_key=other?api_key=${KEY}`,
    `/a?x=%26api_key=other%23&api_key=${KEY}`,
  ])
    t.equal((await ask(url + target)).status, 400, target);
  t.equal((await ask(`${url}/a%3Fx?api_key=${KEY}`)).status, 200);
});

t.test('no shared cache keeps the answer to a key in a header', async (t) => {
  const { url } = await started(t);
  const response = await fetch(`${url}/a`, { headers: sending(KEY) });
  t.match(response.headers.get('cache-control'), 'private');
});

t.test('no expression can read the key', async (t) => {
  const when = "!('x-api-key' in request.headers) && !('X-API-Key' in request.headers) && size(request.headers) > 0";
  const header = await started(t, { route: { when } });
  t.match(await ask(`${header.url}/a`, sending(KEY)), { status: 200 });
  const block = { in: 'query', name: 'key' };
  const query = await started(t, { block, route: { when: "!('key' in request.query) && request.query.x == '1'" } });
  t.match(await ask(`${query.url}/a?x=1&key=${KEY}`), { status: 200 });
  const whole = await started(t, { block, route: { when: 'size(request.query) == 1' } });
  t.match(await ask(`${whole.url}/a?x=1&key=${KEY}`), { status: 200 });
});

t.test('no log line, ticket or status contains the key, from the query or the header', async (t) => {
  const file = { admin: '127.0.0.1:0', access_log: { format: 'combined' } };
  const { url, log, adminUrl } = await started(t, { block: { in: 'query', name: 'key' }, file });
  const wrong = makeApiKey();
  for (const key of [KEY, wrong])
    for (const target of [`/a?key=${key}`, `/a?KEY=${key}`, `/a%3Fkey=${key}`, `/a?x;key=${key}`])
      await ask(url + target, { 'user-agent': `old ${key}`, referer: `https://a.example/?key=${key}` });
  const pages = await Promise.all(
    ['/metrics', '/status', '/requests'].map(async (path) => (await fetch(`${adminUrl}${path}`)).text()),
  );
  const told = JSON.stringify([log, pages]);
  for (const key of [KEY, wrong]) t.notOk(told.includes(key));
  t.ok(log.length > 0);
});

t.test('in shadow mode the log says that a request has a key, and the request is forwarded with it', async (t) => {
  const { url, log } = await started(t, { route: { mode: 'shadow' } });
  const wrong = makeApiKey();
  t.match(await ask(`${url}/a`, sending(wrong)), { status: 200, headers: { 'x-api-key': wrong } });
  t.match(await ask(`${url}/a`, sending(KEY)), { status: 200 });
  t.match(log.find(({ credentials_seen }) => credentials_seen !== undefined)?.credentials_seen, ['api_key']);
});
