import t from 'tap';
import { settableClock } from '../../support/settable-clock.ts';
import { authorizePath } from '../browser/walk.ts';
import { code, redeem, verifier } from '../grant-flow.ts';
import { basic, callback, configuration, type Running, run, shop, web } from '../running-service.ts';
import { mini, origin as miniOrigin, queryOf, runSession } from '../session-flow.ts';

const shopOrigin = 'https://shop.example.com';
const local = 'http://localhost:5173';
const forms = ['/oauth2/token', '/oauth2/revoke'];
const documents = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration', '/oauth2/jwks'];
const fields = ['origin', 'credentials', 'methods', 'headers', 'max-age'];

/** What the answer tells a browser, without absent fields. */
function cors({ headers }: Response): Record<string, string> {
  const read = (name: string) => headers.get(name) ?? undefined;
  const said = [
    ...fields.map((name) => [name, read(`access-control-${/^(o|c|m.t|h)/.test(name) ? 'allow-' : ''}${name}`)]),
    ['vary', read('vary')],
  ];
  return Object.fromEntries(said.filter(([, value]) => value !== undefined));
}

/** One page in development and one app, in addition to the usual clients. */
function runOpen(t: Parameters<typeof run>[0], options: Parameters<typeof run>[1] = {}): Promise<Running> {
  const redirect_uris = [`${local}/callback`, 'com.example.app:/callback', 'https://shop.example.com:8443/x'];
  const page = { client_id: 'page', grant_types: ['authorization_code' as const], redirect_uris };
  return run(t, { ...options, config: { clients: [...configuration().clients, page], ...options.config } });
}

function preflight({ url }: Running, path: string, origin?: string): Promise<Response> {
  const headers = { 'access-control-request-method': 'POST', ...(origin !== undefined && { origin }) };
  return fetch(url + path, { method: 'OPTIONS', headers });
}

t.test('pages at the origins of redirect addresses can read the answers of token and revoke, errors too', async (t) => {
  const service = await runOpen(t);
  for (const origin of [shopOrigin, 'https://shop.example.com:8443', local]) {
    for (const path of forms) {
      const response = await service.post(path, {}, { origin });
      t.equal(response.status, 401);
      t.strictSame(cors(response), { origin, vary: 'Origin' });
      t.match(response.headers.get('access-control-expose-headers'), /Retry-After/);
      const tooMuch = await service.post(path, 'x'.repeat(65_537), { origin });
      t.strictSame([tooMuch.status, cors(tooMuch)], [413, { origin, vary: 'Origin' }]);
      const noForm = await service.post(path, {}, { origin, 'content-type': 'text/plain' });
      t.strictSame([noForm.status, cors(noForm)], [400, { origin, vary: 'Origin' }]);
    }
  }
  const form = { grant_type: 'authorization_code', code: await code(service), redirect_uri: callback };
  const headers = { ...basic(web), origin: shopOrigin };
  const good = await service.post('/oauth2/token', { ...form, code_verifier: verifier }, headers);
  t.strictSame([good.status, cors(good)], [200, { origin: shopOrigin, vary: 'Origin' }]);
  t.equal((await redeem(service, await code(service))).headers.get('vary'), 'Origin', 'without an Origin too');
});

t.test("no other origin can read them: not a similar one, not null, not an app's", async (t) => {
  const service = await runOpen(t);
  const strangers = [
    'https://evil.example',
    'null',
    '*',
    'http://shop.example.com',
    'https://shop.example.com:444',
    'https://shop.example.com.evil.example',
    'https://SHOP.example.com',
    `${shopOrigin}/`,
    `${shopOrigin} ${shopOrigin}`,
    'com.example.app:',
    'com.example.app://',
    'http://localhost:5174',
    'http://127.0.0.1:5173',
  ];
  for (const origin of strangers)
    for (const path of forms) {
      t.strictSame(cors(await service.post(path, {}, { origin })), { vary: 'Origin' }, `${origin} ${path}`);
      const asked = await preflight(service, path, origin);
      t.strictSame([asked.status, cors(asked)], [204, { vary: 'Origin' }]);
    }
});

t.test('a preflight of such a page lists what it may send, and has Allow', async (t) => {
  const service = await runOpen(t);
  for (const path of forms) {
    const response = await preflight(service, path, shopOrigin);
    t.strictSame([response.status, await response.text()], [204, '']);
    t.equal(response.headers.get('allow'), 'POST, OPTIONS');
    t.strictSame(cors(response), {
      origin: shopOrigin,
      methods: 'POST',
      headers: 'Authorization, Content-Type',
      'max-age': '600',
      vary: 'Origin',
    });
    t.equal((await preflight(service, path)).status, 204, 'and OPTIONS without an Origin');
  }
});

t.test('metadata and keys are public: any page can read them, whatever header it sends', async (t) => {
  const service = await runOpen(t);
  for (const path of documents) {
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      const response = await fetch(service.url + path, { headers });
      t.strictSame([response.status, cors(response)], [200, { origin: '*' }], path);
      const etag = response.headers.get('etag') ?? '';
      const same = await fetch(service.url + path, { headers: { ...headers, 'if-none-match': etag } });
      t.strictSame([same.status, cors(same)], [304, { origin: '*' }]);
    }
    const asked = await preflight(service, path, 'https://evil.example');
    t.equal(asked.status, 204);
    t.strictSame(cors(asked), { origin: '*', methods: 'GET, HEAD', headers: '*', 'max-age': '600' });
  }
});

t.test('T38: no other endpoint allows other origins, and none allows credentials', async (t) => {
  const service = await runSession(t);
  const paths = ['authorize', 'login', 'consent', 'switch', 'account', 'account/disconnect', 'account/end-session'];
  const closed = [...paths, 'sign-out', 'introspect', 'session', 'session/check', 'nothing'].map(
    (path) => `/oauth2/${path}`,
  );
  for (const origin of [miniOrigin, 'https://evil.example', 'null']) {
    for (const path of [...closed, queryOf('x'), authorizePath({ client_id: mini.id })])
      for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD']) {
        const response = await fetch(service.url + path, { method, headers: { origin }, redirect: 'manual' });
        t.strictSame(
          [...response.headers.keys()].filter((name) => /^access-control/.test(name)),
          [],
          `${method} ${path}`,
        );
      }
    for (const path of [...forms, ...documents])
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const response = await fetch(service.url + path, { method, headers: { origin } });
        t.equal(response.headers.get('access-control-allow-credentials'), null, `${method} ${path}`);
      }
  }
});

t.test('a client that is registered while the service runs is known some seconds later', async (t) => {
  const clock = settableClock();
  const service = await runOpen(t, { clock });
  const late = 'https://late.example.com';
  const ask = async () => cors(await service.post('/oauth2/token', {}, { origin: late })).origin;
  t.equal(await ask(), undefined);
  const metadata = { redirect_uris: [`${late}/x`], public: true };
  await service.service.records.addClient({ id: 'late', metadata, createdAt: 0, secrets: [] });
  t.equal(await ask(), undefined, 'not at once: the store is not asked for every page');
  clock.advance(5_000);
  t.equal(await ask(), late);
});

t.test('while the store is down, pages can still read the error', async (t) => {
  const clock = settableClock();
  const service = await runOpen(t, { clock });
  await service.post('/oauth2/token', {}, { origin: shopOrigin });
  await service.service.records.close();
  clock.advance(60_000);
  const response = await service.post(
    '/oauth2/token',
    { grant_type: 'client_credentials' },
    { ...basic(shop), origin: shopOrigin },
  );
  t.strictSame([response.status, cors(response)], [503, { origin: shopOrigin, vary: 'Origin' }]);
});
