import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { request } from 'undici';
import { systemClock } from '../../../src/base/clock.ts';
import { endpoint, json } from '../../support/endpoint.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { secret } from '../../support/keys.ts';
import { reloadable } from '../../support/reloadable.ts';
import { active, audience, authorizationServer, hmacServer, jwt } from '../../support/tokens.ts';

/** Counts in many gateways: 12 s beside a whole test run. */
t.setTimeout(120_000);

const token = (claims: object = {}) => jwt({ scope: 'orders.read', ...claims }, { alg: 'HS256' });

const upstream = (t: Test) => endpoint(t, (_request, response) => json(response, 'from the upstream'));

/** One route `/orders/{rest*}` with this limit, unless `more` overrides it. */
const limited = (
  url: string,
  rate_limit: object,
  { route = {}, ...more }: { route?: object; [key: string]: unknown } = {},
) =>
  behind(url, {
    routes: [
      { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read', rate_limit, ...route },
      { id: 'other', match: { path: '/other' }, scope: 'orders.read', rate_limit },
    ],
    ...more,
  });

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

type Headers = Record<string, string>;

async function ask(url: string, headers: Headers = {}, method: 'GET' | 'OPTIONS' | 'HEAD' = 'GET') {
  const answer = await request(url, { method, headers });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
}

async function statuses(url: string, all: readonly Headers[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (const headers of all) found.push((await ask(url, headers)).status);
  return found;
}

const perMinute = (by: string, requests: number) => ({ by, requests, per: '1m' });

t.test('a client above its limit is refused, with what it needs to know, and another client is not', async (t) => {
  const api = await upstream(t);
  const { url } = await gateway(t, limited(api.url, perMinute('client_id', 2)));
  const [shop, store] = [bearer(await token()), bearer(await token({ client_id: 'store' }))];
  t.strictSame(await statuses(`${url}/orders/1`, [shop, shop]), [200, 200]);
  const refused = await ask(`${url}/orders/2`, shop);
  t.equal(refused.status, 429);
  t.match(refused.headers, { 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  t.notOk('www-authenticate' in refused.headers, 'another credential would not help');
  const seconds = Number(refused.headers['retry-after']);
  t.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, String(seconds));
  t.match(JSON.parse(refused.body), { title: 'Too Many Requests', status: 429, code: 'rate_limited', ticket: String });
  t.equal((await ask(`${url}/orders/2`, store)).status, 200);
  t.equal(api.calls.length, 3);
});

t.test('HEAD is counted too, and its refusal has no body', async (t) => {
  const { url } = await gateway(t, limited((await upstream(t)).url, perMinute('client_id', 1)));
  const shop = bearer(await token());
  await ask(`${url}/orders/1`, shop);
  t.match(await ask(`${url}/orders/1`, shop, 'HEAD'), { status: 429, body: '' });
});

const kinds: readonly (readonly [by: string, own: object, same: object, other: object])[] = [
  ['client_id', { client_id: 'a' }, { client_id: 'a', sub: 'x' }, { client_id: 'b' }],
  ['sub', { sub: 'alice' }, { sub: 'alice', client_id: 'x' }, { sub: 'bob' }],
  ['claim:tenant', { tenant: 'acme' }, { tenant: 'acme', sub: 'x' }, { tenant: 'globex' }],
  ['claim:org.unit', { org: { unit: 7 } }, { org: { unit: 7, floor: 1 } }, { org: { unit: '7' } }],
  [
    'claim:https://example.com/plan',
    { 'https://example.com/plan': 'free' },
    { 'https://example.com/plan': 'free' },
    {},
  ],
  ['claim:groups', { groups: ['a', 'b'] }, { groups: ['a', 'b'] }, { groups: ['b', 'a'] }],
];

for (const [by, own, same, other] of kinds) {
  t.test(`by ${by}: requests with the same value share a limit, and no others`, async (t) => {
    const { url } = await gateway(t, limited((await upstream(t)).url, perMinute(by, 1)));
    const tokens = [await token(own), await token(same), await token(other)];
    t.strictSame(await statuses(`${url}/orders/1`, tokens.map(bearer)), [200, 429, 200]);
  });
}

t.test('identities without the claim share one limit, which no value of the claim can use up', async (t) => {
  const { url } = await gateway(t, limited((await upstream(t)).url, perMinute('claim:tenant', 1)));
  const [nameless, empty, nulled] = [await token(), await token({ tenant: '' }), await token({ tenant: null })];
  const others = [await token({ tenant: 'undefined' }), await token({ sub: 'bob' })];
  t.strictSame(await statuses(`${url}/orders/1`, [empty, nulled, ...others].map(bearer)), [200, 200, 200, 200]);
  t.strictSame(await statuses(`${url}/orders/1`, [nameless, empty].map(bearer)), [429, 429]);
});

t.test("one server's client does not count as another server's client with the same name", async (t) => {
  const far = 'https://far.example.com';
  const far_ = { issuer: far, secret, audience, algorithms: ['HS256'] };
  const body = limited((await upstream(t)).url, perMinute('client_id', 1), {
    authorization_servers: { ...hmacServer, far: far_ },
  });
  const { url } = await gateway(t, body);
  const [near, away] = [bearer(await token()), bearer(await token({ iss: far }))];
  t.strictSame(await statuses(`${url}/orders/1`, [near, away, near, away]), [200, 200, 429, 429]);
});

t.test('each route has its own limit, over all its paths', async (t) => {
  const { url } = await gateway(t, limited((await upstream(t)).url, perMinute('client_id', 1)));
  const shop = bearer(await token());
  t.equal((await ask(`${url}/orders/1`, shop)).status, 200);
  t.equal((await ask(`${url}/orders/2`, shop)).status, 429);
  t.equal((await ask(`${url}/other`, shop)).status, 200);
});

/** The system's clock. A test can move its monotonic time forward. */
function movableClock() {
  let ahead = 0;
  return {
    now: systemClock.now,
    monotonic: () => systemClock.monotonic() + ahead,
    advance(by: number) {
      ahead += by;
    },
  };
}

t.test('a client that waits for Retry-After passes, and one that does not is refused', async (t) => {
  const clock = movableClock();
  const { url } = await gateway(t, limited((await upstream(t)).url, perMinute('client_id', 2)), clock);
  const shop = bearer(await token());
  await ask(`${url}/orders/1`, shop);
  clock.advance(30_000);
  await ask(`${url}/orders/1`, shop);
  const first = await ask(`${url}/orders/1`, shop);
  t.equal(first.status, 429);
  clock.advance(20_000);
  t.equal((await ask(`${url}/orders/1`, shop)).status, 429);
  clock.advance((Number(first.headers['retry-after']) - 20) * 1000);
  t.strictSame(
    await statuses(`${url}/orders/1`, [shop, shop]),
    [200, 429],
    'the window slides: only one place is free',
  );
});

t.test('a refusal is not counted, so a client that keeps trying passes as early as one that waits', async (t) => {
  const clock = movableClock();
  const { url } = await gateway(t, limited((await upstream(t)).url, perMinute('client_id', 1)), clock);
  const shop = bearer(await token());
  for (let time = 0; time < 20; time++) {
    await ask(`${url}/orders/1`, shop);
    clock.advance(1000);
  }
  clock.advance(43_000);
  t.equal((await ask(`${url}/orders/1`, shop)).status, 200);
});

t.test('by address: guessing tokens is limited, and the server gets no request for them', async (t) => {
  const server = await authorizationServer(t);
  const body = limited((await upstream(t)).url, perMinute('address', 3), { authorization_servers: server.config });
  const { url } = await gateway(t, body);
  const guesses = Array.from({ length: 6 }, () => bearer(randomBytes(16).toString('hex')));
  t.strictSame(await statuses(`${url}/orders/1`, guesses), [401, 401, 401, 429, 429, 429]);
  t.equal(server.introspection.calls.length, 3);
  server.tokens.set('good', active('orders.read'));
  t.equal((await ask(`${url}/orders/1`, bearer('good'))).status, 429);
  t.equal(server.introspection.calls.length, 3);
});

t.test('a request that is refused before this step is not counted, and one that is refused after it is', async (t) => {
  const url = (await upstream(t)).url;
  const byAddress = await gateway(t, limited(url, perMinute('address', 1)));
  const shop = bearer(await token());
  t.strictSame(await statuses(`${byAddress.url}/orders/1`, [{}, { authorization: 'Bearer a b' }, {}]), [401, 400, 401]);
  t.equal((await ask(`${byAddress.url}/orders/%5c`, shop)).status, 400);
  t.strictSame(await statuses(`${byAddress.url}/orders/1`, [shop, shop]), [200, 429]);
  const byClient = await gateway(t, limited(url, perMinute('client_id', 1)));
  const [forged, scopeless] = [bearer(`${await token()}x`), bearer(await token({ scope: 'other' }))];
  t.strictSame(await statuses(`${byClient.url}/orders/1`, [forged, scopeless, scopeless, shop]), [401, 403, 429, 429]);
});

t.test('on an optional route a request without a token is counted by address', async (t) => {
  const body = limited((await upstream(t)).url, perMinute('client_id', 1), {
    route: { access: 'optional', scope: undefined },
  });
  const { url } = await gateway(t, body);
  const shop = bearer(await token());
  t.strictSame(await statuses(`${url}/orders/1`, [{}, {}, shop, shop, {}]), [200, 429, 200, 429, 429]);
});

const open = { route: { access: 'public', scope: undefined } };

t.test('a public route is limited by address, and a token there changes nothing', async (t) => {
  const { url } = await gateway(t, limited((await upstream(t)).url, perMinute('address', 2), open));
  const attempts = [{}, bearer('x'), bearer('y'), { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.2' }];
  t.strictSame(await statuses(`${url}/orders/1`, attempts), [200, 200, 429, 429]);
});

t.test('behind a trusted proxy the client is counted, with IPv6 by its /64', async (t) => {
  const body = limited((await upstream(t)).url, perMinute('address', 1), { ...open, trusted_proxies: ['127.0.0.0/8'] });
  const { url } = await gateway(t, body);
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const ipv4 = ['198.51.100.1', '198.51.100.2', '198.51.100.1', '203.0.113.9, 198.51.100.2'].map(from);
  t.strictSame(await statuses(`${url}/orders/1`, ipv4), [200, 200, 429, 429]);
  const ipv6 = ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::9', '2001:0db8:0001:0002::', '2001:db8:1:3::1'].map(from);
  t.strictSame(await statuses(`${url}/orders/1`, ipv6), [200, 429, 429, 200]);
});

t.test('preflights are not counted, and a page can read why it was refused', async (t) => {
  const origin = 'https://app.example.com';
  const body = limited((await upstream(t)).url, perMinute('address', 1), { cors: { origins: [origin] } });
  const { url } = await gateway(t, body);
  const preflight = { origin, 'access-control-request-method': 'GET' };
  for (let time = 0; time < 5; time++) t.equal((await ask(`${url}/orders/1`, preflight, 'OPTIONS')).status, 204);
  const shop = { origin, ...bearer(await token()) };
  t.equal((await ask(`${url}/orders/1`, shop)).status, 200);
  const { status, headers } = await ask(`${url}/orders/1`, shop);
  t.equal(status, 429);
  t.equal(headers['access-control-allow-origin'], origin);
  t.match(headers['access-control-expose-headers'], /Retry-After/);
});

t.test('in shadow mode nothing is refused, and would-be refusals are recorded', async (t) => {
  const body = limited((await upstream(t)).url, perMinute('client_id', 1), { route: { mode: 'shadow' } });
  const { url, log } = await gateway(t, body);
  const shop = bearer(await token());
  t.strictSame(await statuses(`${url}/orders/1`, [shop, shop, shop]), [200, 200, 200]);
  const recorded = log.filter(({ route }) => route === 'orders').map(({ shadow, step }) => [shadow, step]);
  t.strictSame(recorded, [
    ['pass', undefined],
    ['rate_limited', 'throttle'],
    ['rate_limited', 'throttle'],
  ]);
});

t.test('a refusal is in the log with its identity, and in the metrics', async (t) => {
  const body = limited((await upstream(t)).url, perMinute('client_id', 1), { admin: '127.0.0.1:0' });
  const { url, log, adminUrl } = await gateway(t, body);
  const shop = bearer(await token());
  await statuses(`${url}/orders/1`, [shop, shop]);
  t.match(
    log.find(({ code }) => code === 'rate_limited'),
    { route: 'orders', step: 'throttle', client: 'shop', subject: 'alice', reason: '1 in 60 s by client_id' },
  );
  const metrics = (await ask(`${adminUrl}/metrics`)).body;
  t.match(
    metrics,
    'gatehouse_requests_total{route="orders",code="rate_limited",reason="",status_class="4xx",method="GET"} 1',
  );
  t.match(metrics, 'gatehouse_counters_reachable 1');
});

t.test('a reload forgets nothing, and applies a changed limit', async (t) => {
  const { url: api } = await upstream(t);
  const running = await reloadable(t, limited(api, perMinute('client_id', 2)));
  const shop = bearer(await token());
  t.strictSame(await statuses(`${running.url}/orders/1`, [shop, shop, shop]), [200, 200, 429]);
  await running.take(limited(api, perMinute('client_id', 2), { realm: 'other' }));
  t.equal((await ask(`${running.url}/orders/1`, shop)).status, 429);
  await running.take(limited(api, perMinute('client_id', 3)));
  t.strictSame(await statuses(`${running.url}/orders/1`, [shop, shop]), [200, 429]);
});

t.test('of many simultaneous requests exactly the limit passes', async (t) => {
  const api = await upstream(t);
  const { url } = await gateway(t, limited(api.url, perMinute('client_id', 10)));
  const shop = bearer(await token());
  const all = await Promise.all(Array.from({ length: 60 }, () => ask(`${url}/orders/1`, shop)));
  t.equal(all.filter(({ status }) => status === 200).length, 10);
  t.equal(all.filter(({ status }) => status === 429).length, 50);
  t.equal(api.calls.length, 10);
});
