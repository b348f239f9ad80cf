import type { ServerResponse } from 'node:http';
import t from 'tap';
import { until } from '../../support/until.ts';
import { answered, decide, openTab, signedIn, verifier } from '../browser/walk.ts';
import { asksFor, documentFor, documentHost, redirectUri, runWithDocuments } from './document-host.ts';

const MINUTE = 60_000;

/** A clock whose monotonic time moves only when a test moves it. */
function movable() {
  let passed = 0;
  const clock = { now: () => Date.now(), monotonic: () => passed };
  const pass = (milliseconds: number) => {
    passed += milliseconds;
  };
  return { clock, pass };
}

t.test('a document is read again when its time is over, and not before', async (t) => {
  const { clock, pass } = movable();
  const host = await documentHost(t);
  const service = await runWithDocuments(t, { clock });
  const tab = openTab(service);
  const kinds = [
    ['/short.json', { 'cache-control': 'no-store' }, 5],
    ['/said.json', { 'cache-control': 'max-age=1200' }, 20],
    ['/plain.json', {}, 60],
    ['/long.json', { 'cache-control': 'max-age=31536000' }, 1440],
  ] as const;
  for (const [path, headers, minutes] of kinds) {
    const id = host.publish(path, {}, headers);
    const reads = async () => {
      t.equal((await tab.get(asksFor(id))).status, 200);
      return host.asked.filter((each) => each === path).length;
    };
    t.equal(await reads(), 1, path);
    pass((minutes - 0.1) * MINUTE);
    t.equal(await reads(), 1, path);
    pass(0.2 * MINUTE);
    t.equal(await reads(), 2, path);
  }
});

t.test('a failure is remembered for 60 seconds', async (t) => {
  const { clock, pass } = movable();
  const host = await documentHost(t);
  const service = await runWithDocuments(t, { clock });
  const tab = openTab(service);
  for (const [path, served] of [
    ['/outage.json', { status: 503 }],
    ['/refused.json', { body: '{}' }],
  ] as const) {
    const id = host.serve(path, served);
    for (const _ of [1, 2, 3]) t.equal((await tab.get(asksFor(id))).status, 400);
    host.publish(path);
    pass(59_000);
    t.equal((await tab.get(asksFor(id))).status, 400);
    t.equal(host.asked.filter((each) => each === path).length, 1);
    pass(2_000);
    t.equal((await tab.get(asksFor(id))).status, 200, path);
  }
});

t.test('while its host does not answer, a document stays valid up to the limit', async (t) => {
  const { clock, pass } = movable();
  const host = await documentHost(t);
  const service = await runWithDocuments(t, { clock, cimd: { max_ttl: 120 * MINUTE } });
  const tab = openTab(service);
  const id = host.publish('/client.json');
  t.equal((await tab.get(asksFor(id))).status, 200);
  host.serve('/client.json', { status: 503 });
  pass(61 * MINUTE);
  for (const _ of [1, 2]) t.equal((await tab.get(asksFor(id))).status, 200);
  t.equal(host.asked.length, 2, 'and its host is asked once a minute');
  pass(2 * MINUTE);
  host.serve('/client.json', { status: 403 });
  t.equal((await tab.get(asksFor(id))).status, 200, 'a firewall that has had enough of us');
  pass(60 * MINUTE);
  t.match(await tab.get(asksFor(id)), { status: 400, body: /answers with status 403/ });
});

t.test('a document that its host takes back ends at once, and its tokens cannot be refreshed', async (t) => {
  const { clock, pass } = movable();
  const host = await documentHost(t);
  const service = await runWithDocuments(t, { clock });
  const tab = await signedIn(service);
  const id = host.publish('/client.json');
  const { code = '' } = answered(await decide(tab, await tab.get(asksFor(id)), ['orders.read']));
  const form = { grant_type: 'authorization_code', code, client_id: id, redirect_uri: redirectUri };
  const answer = await service.post('/oauth2/token', { ...form, code_verifier: verifier });
  const { refresh_token } = (await answer.json()) as { refresh_token: string };
  host.serve('/client.json', { status: 410 });
  pass(61 * MINUTE);
  t.match(await tab.get(asksFor(id)), { status: 400, body: /status 410/ });
  const refused = await service.post('/oauth2/token', { grant_type: 'refresh_token', refresh_token, client_id: id });
  t.equal(refused.status, 401);
  t.match(await refused.json(), { error: 'invalid_client', error_description: /status 410/ });
});

t.test('an outage at the token endpoint is 503, so that the client keeps its refresh token', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const id = host.serve('/client.json', { status: 500 });
  const answer = await service.post('/oauth2/token', {
    grant_type: 'refresh_token',
    refresh_token: 'x',
    client_id: id,
  });
  t.equal(answer.status, 503);
  t.equal(answer.headers.get('retry-after'), '60');
  t.match(await answer.json(), { error: 'temporarily_unavailable' });
  t.notMatch(service.logged(), '"level":"warn"', 'a stranger cannot fill the log');
});

t.test('a document that changes its redirect addresses sends no code to the new ones', async (t) => {
  const { clock, pass } = movable();
  const host = await documentHost(t);
  const service = await runWithDocuments(t, { clock });
  const tab = await signedIn(service);
  const id = host.publish('/client.json');
  const shown = await tab.get(asksFor(id));
  const evil = 'https://evil.example/callback';
  host.publish('/client.json', { redirect_uris: [evil] });
  t.equal((await tab.get(asksFor(id, { redirect_uri: evil }))).status, 400, 'not before its time is over');
  pass(61 * MINUTE);
  const late = await decide(tab, shown, ['orders.read']);
  t.equal(late.status, 400, 'the page was for an address that the client no longer has');
  t.equal(late.location, undefined);

  const again = await tab.get(asksFor(id, { redirect_uri: evil }));
  t.match(again.body, '<bdi>evil.example</bdi>');
  const { code = '' } = answered(await decide(tab, again, ['orders.read']));
  host.publish('/client.json');
  pass(61 * MINUTE);
  const form = { grant_type: 'authorization_code', code, client_id: id, code_verifier: verifier };
  const wrong = await service.post('/oauth2/token', { ...form, redirect_uri: redirectUri });
  t.match(await wrong.json(), { error: 'invalid_grant' }, 'a code stays bound to its address');
  const right = await service.post('/oauth2/token', { ...form, redirect_uri: evil });
  t.equal(right.status, 200);
});

t.test('requests at the same time share one request to the host', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const id = host.publish('/client.json');
  const pages = await Promise.all(Array.from({ length: 30 }, () => openTab(service).get(asksFor(id))));
  t.ok(pages.every(({ status }) => status === 200));
  t.equal(host.asked.length, 1);
});

t.test('one address causes at most 20 requests for documents a minute, and known documents stay usable', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t, { config: { trusted_proxies: ['127.0.0.1'] } });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const known = host.publish('/known.json');
  t.equal((await openTab(service).get(asksFor(known), from('192.0.2.1'))).status, 200);
  const invented = Array.from({ length: 60 }, (_, index) => `${host.url}/invented-${index}.json`);
  // The addresses of one IPv6 link count together.
  const pages = [];
  for (const [index, id] of invented.entries())
    pages.push(await openTab(service).get(asksFor(id), from(`2001:db8::${index.toString(16)}`)));
  t.equal(pages.filter(({ status }) => status === 400).length, 20);
  const limited = pages.filter(({ status }) => status === 429);
  t.equal(limited.length, 40);
  t.ok(Number(limited[0]?.headers.get('retry-after')) > 0);
  t.equal(host.asked.length, 21);
  t.equal((await openTab(service).get(asksFor(known), from('2001:db8::1'))).status, 200, 'a known document');
  const fresh = host.publish('/fresh.json');
  t.equal((await openTab(service).get(asksFor(fresh), from('192.0.2.1'))).status, 200, 'another address');
  const answer = await service.post(
    '/oauth2/token',
    { grant_type: 'refresh_token', client_id: `${host.url}/more.json` },
    from('2001:db8::2'),
  );
  t.equal(answer.status, 429, 'the token endpoint has the same limit');
  const before = host.asked.length;
  for (let link = 0; link < 60; link++)
    await openTab(service).get(asksFor(`${host.url}/link-${link}.json`), from(`2001:db8:1:${link.toString(16)}::1`));
  t.equal(host.asked.length - before, 40, 'a /56 has twice the limit');
});

t.test('a host that does not answer occupies only some places', async (t) => {
  const [slow, quick] = [await documentHost(t), await documentHost(t)];
  const service = await runWithDocuments(t, { cimd: { timeout: 20_000 }, config: { trusted_proxies: ['127.0.0.1'] } });
  const held: ServerResponse[] = [];
  const hold = { answer: (_: unknown, response: ServerResponse) => void held.push(response) };
  const ids = Array.from({ length: 40 }, (_, index) => slow.serve(`/${index}.json`, hold));
  const statuses: number[] = [];
  const waiting = ids.map(async (id, index) => {
    const { status } = await openTab(service).get(asksFor(id), { 'x-forwarded-for': `192.0.2.${index + 1}` });
    statuses.push(status);
  });
  t.ok(await until(() => statuses.length === 32 && held.length === 8), 'the others get 429 at once');
  t.ok(statuses.every((status) => status === 429));
  const other = `${quick.url.replace('localhost', '127.0.0.1')}/client.json`;
  quick.serve('/client.json', { body: JSON.stringify(documentFor(other)) });
  t.equal((await openTab(service).get(asksFor(other))).status, 200, 'another host');
  for (const response of held) response.writeHead(503).end();
  await Promise.all(waiting);
  t.equal(statuses.filter((status) => status === 400).length, 8);
  t.equal(slow.connections(), 8);
});

t.test('a secret with a URL as client id causes no request', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const id = host.serve('/client.json', (own) => ({ body: JSON.stringify(documentFor(own)) }));
  const form = { grant_type: 'refresh_token', client_id: id, client_secret: 'x' };
  t.equal((await service.post('/oauth2/token', form)).status, 401);
  t.equal(host.connections(), 0);
});

const patterns: readonly (readonly [allow: string, host: string, isAllowed: boolean])[] = [
  ['https://*', '', true],
  ['https://localhost', '', true],
  ['https://localhost/client.json', '', true],
  ['https://localhost/*', '', true],
  ['https://*.localhost', '', false],
  ['https://local', '', false],
  ['https://localhost/other.json', '', false],
  ['https://localhost/client.json/*', '', false],
  ['https://localhost:443', '', false],
  ['https://*.example.com', '', false],
];

t.test('only a document whose URL matches a pattern is read', async (t) => {
  for (const [allow, , isAllowed] of patterns) {
    const host = await documentHost(t);
    const service = await runWithDocuments(t, { cimd: { allow: [allow] } });
    const page = await openTab(service).get(asksFor(host.publish('/client.json')));
    t.equal(page.status, isAllowed ? 200 : 400, allow);
    t.equal(host.connections(), isAllowed ? 1 : 0, allow);
    if (!isAllowed) t.match(page.body, /it has a host that this service does not allow/);
  }
});
