import t from 'tap';
import { sessionName, signedIn } from '../browser/walk.ts';
import { code as authorizationCode } from '../grant-flow.ts';
import {
  askForCode,
  consented,
  exchangeCode,
  mini,
  openTab,
  origin,
  rival,
  rivalOrigin,
  runSession,
  type SessionAnswer,
} from '../session-flow.ts';

const allowOrigin = 'access-control-allow-origin';
const allowCredentials = 'access-control-allow-credentials';
const path = '/oauth2/session/code';

t.test(
  'the login cookie identifies the user on pages of the client, and only these pages can read the answer',
  async (t) => {
    const service = await runSession(t);
    const tab = await consented(service, ['orders.read']);
    const page = await tab.post(path, { client_id: mini.id }, { origin });
    t.equal(page.status, 200);
    t.strictSame([page.headers.get(allowOrigin), page.headers.get(allowCredentials)], [origin, 'true']);
    t.match(page.headers.get('vary'), /Origin/);
    const { code } = JSON.parse(page.body) as { code: string };
    const answer = (await (await exchangeCode(service, code)).json()) as SessionAnswer;
    t.equal(answer.scope, 'orders.read', 'what the user granted, not what the client registered');
  },
);

t.test('the cookie does not count without the Origin of a page of this client', async (t) => {
  const service = await runSession(t);
  const tab = await signedIn(service);
  const origins = [undefined, 'null', rivalOrigin, 'https://evil.example', 'http://mini.example.com', `${origin}:444`];
  for (const other of [...origins, `${origin}/`, `${origin}.evil.example`, 'com.example.mini:']) {
    const page = await tab.post(path, { client_id: mini.id }, other === undefined ? {} : { origin: other });
    t.strictSame([page.status, JSON.parse(page.body).error], [400, 'invalid_request'], `${other}`);
    t.strictSame([page.headers.get(allowOrigin), page.headers.get(allowCredentials)], [null, null]);
  }
});

t.test("without a signed-in user the answer is login_required, which the client's page can read", async (t) => {
  const service = await runSession(t);
  const name = sessionName(await signedIn(service));
  for (const cookie of [undefined, `${name}=${'A'.repeat(43)}`, `${name}=x`]) {
    const page = await openTab(service).post(path, { client_id: mini.id }, { origin, ...(cookie && { cookie }) });
    t.strictSame([page.status, JSON.parse(page.body).error], [400, 'login_required']);
    t.equal(page.headers.get(allowOrigin), origin);
  }
});

t.test("by cookie, a client without the user's consent gets nothing, not even a name for the user", async (t) => {
  const service = await runSession(t);
  const tab = await signedIn(service);
  for (const form of [{}, { scope: 'orders.read' }]) {
    const page = await tab.post(path, { client_id: mini.id, ...form }, { origin });
    t.strictSame([page.status, JSON.parse(page.body).error], [400, 'consent_required']);
  }
  const disconnected = await consented(service, ['orders.read']);
  const csrf = (await disconnected.get('/oauth2/account')).field('csrf');
  await disconnected.post('/oauth2/account/disconnect', { csrf, client_id: mini.id });
  const page = await disconnected.post(path, { client_id: mini.id }, { origin });
  t.strictSame([page.status, JSON.parse(page.body).error], [400, 'consent_required']);
});

t.test(
  'by cookie, a client gets at most what the user granted, and consent_required if it asks for more',
  async (t) => {
    const service = await runSession(t);
    const agreed = await consented(service, ['orders.read']);
    const ask = async (scope: string) =>
      JSON.parse((await agreed.post(path, { client_id: mini.id, scope }, { origin })).body);
    t.match(await ask('orders.read'), { code: /^ac_/ });
    t.match(await ask('orders.read orders.write'), { error: 'consent_required' });
    t.match(await ask('admin'), { error: 'invalid_scope' });
    t.match(await ask('"'), { error: 'invalid_scope' });
  },
);

t.test('with scope_excess: narrow a scope that was not granted is left out', async (t) => {
  const service = await runSession(t, { config: { scope_excess: 'narrow' } });
  const tab = await consented(service, ['orders.read']);
  const page = await tab.post(path, { client_id: mini.id, scope: 'orders.read orders.write admin' }, { origin });
  const { code } = JSON.parse(page.body) as { code: string };
  t.equal(((await (await exchangeCode(service, code)).json()) as SessionAnswer).scope, 'orders.read');
});

t.test('a password is accepted if the client lists that grant, but not from a page of another site', async (t) => {
  const service = await runSession(t);
  t.equal((await askForCode(service)).status, 200);
  const foreign = await askForCode(service, {}, { origin: 'https://evil.example' });
  t.strictSame([foreign.status, foreign.headers.get(allowOrigin)], [400, null]);
  const own = await askForCode(service, {}, { origin });
  t.strictSame([own.status, own.headers.get(allowOrigin)], [200, origin]);
  t.match(await (await askForCode(service, { client_id: rival.id })).json(), { error: 'unauthorized_client' });
  t.match(await (await askForCode(service, { password: 'wrong' })).json(), { error: 'invalid_grant' });
  t.match(await (await askForCode(service, { username: 'nobody' })).json(), { error: 'invalid_grant' });
  t.match(await (await askForCode(service, { username: '' })).json(), { error: 'invalid_request' });
  t.match(await (await askForCode(service, { scope: 'admin' })).json(), { error: 'invalid_scope' });
});

t.test('T30: password guesses are slowed down here as at the login page', async (t) => {
  const service = await runSession(t, { config: { login: { max_failures: 3, window: 900_000 } } });
  for (let count = 0; count < 3; count++) t.equal((await askForCode(service, { password: `x${count}` })).status, 400);
  const refused = await askForCode(service);
  t.equal(refused.status, 429);
  t.ok(Number(refused.headers.get('retry-after')) > 890);
});

t.test('an unknown client is refused before a password is checked', async (t) => {
  const service = await runSession(t);
  const response = await askForCode(service, { client_id: 'nobody' });
  t.strictSame([response.status, ((await response.json()) as { error: string }).error], [400, 'invalid_request']);
  t.notMatch(service.logged(), /"event":"login/);
  t.match(await (await service.post(path, { username: 'alice', password: 'wonderland' })).json(), {
    error: 'invalid_request',
  });
});

t.test('a preflight from a page of any client of the exchange is allowed, with credentials', async (t) => {
  const service = await runSession(t);
  const ask = (from: string) =>
    fetch(service.url + path, {
      method: 'OPTIONS',
      headers: { origin: from, 'access-control-request-method': 'POST' },
    });
  for (const from of [origin, rivalOrigin]) {
    const { status, headers } = await ask(from);
    t.strictSame([status, headers.get(allowOrigin), headers.get(allowCredentials)], [204, from, 'true']);
    t.equal(headers.get('access-control-allow-methods'), 'POST');
  }
  for (const from of ['https://plain.example.com', 'https://shop.example.com', 'null']) {
    const { status, headers } = await ask(from);
    t.strictSame([status, headers.get(allowOrigin), headers.get(allowCredentials)], [204, null, null], from);
  }
});

t.test('another method is 405', async (t) => {
  const service = await runSession(t);
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const { status, headers } = await fetch(service.url + path, { method });
    t.strictSame([status, headers.get('allow')], [405, 'POST, OPTIONS']);
  }
  const check = await fetch(`${service.url}/oauth2/session/check`);
  t.strictSame([check.status, check.headers.get('allow')], [405, 'POST']);
  const put = await fetch(`${service.url}/oauth2/session`, { method: 'PUT' });
  t.strictSame([put.status, put.headers.get('allow')], [405, 'GET, POST']);
});

t.test("a code of the token endpoint has none of the bindings that this endpoint's codes have", async (t) => {
  const service = await runSession(t);
  const text = await authorizationCode(service, {
    clientId: mini.id,
    redirectUri: undefined,
    redirectUriSent: false,
    challenge: undefined,
  });
  t.match(await (await exchangeCode(service, text)).json(), { error: 'invalid_grant' });
});
