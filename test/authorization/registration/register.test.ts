import t from 'tap';
import { answered, decide, openTab, signedIn, verifier } from '../browser/walk.ts';
import { asksFor } from '../documents/document-host.ts';
import { basic, gateway } from '../running-service.ts';
import {
  type Information,
  initialToken,
  metadata,
  redirectUri,
  registered,
  runRegistering,
  send,
} from './registering.ts';

type Service = Awaited<ReturnType<typeof runRegistering>>;

const register = (service: Service, body: unknown, more: object = {}) =>
  send(service, '/oauth2/register', { body, ...more });

async function tokensOf(service: Service, { client_id, client_secret }: Information) {
  const tab = await signedIn(service);
  const { code = '' } = answered(
    await decide(tab, await tab.get(asksFor(client_id, { scope: 'orders.read' })), ['orders.read']),
  );
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  const answer =
    client_secret === undefined
      ? await service.post('/oauth2/token', { ...form, client_id })
      : await service.post('/oauth2/token', form, basic({ id: client_id, secret: client_secret }));
  return { status: answer.status, ...((await answer.json()) as { access_token: string; refresh_token: string }) };
}

t.test('a client registers itself, gets tokens, refreshes them, and is known to introspection', async (t) => {
  const service = await runRegistering(t);
  for (const token_endpoint_auth_method of ['none', 'client_secret_basic', 'client_secret_post']) {
    const answer = await register(service, { ...metadata, token_endpoint_auth_method });
    t.equal(answer.status, 201);
    t.equal(answer.headers.get('cache-control'), 'no-store');
    t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    const own = (await answer.json()) as Information;
    const { client_id } = own;
    t.match(own, {
      ...metadata,
      token_endpoint_auth_method,
      client_id: /^[a-z2-7]{20}$/,
      client_id_issued_at: Number,
      registration_access_token: /^ra_/,
      registration_client_uri: `${service.issuer}/oauth2/register/${client_id}`,
      application_type: 'web',
    });
    t.notOk('public' in own);
    const isPublic = token_endpoint_auth_method === 'none';
    t.equal('client_secret' in own, !isPublic);
    t.equal(own.client_secret_expires_at, isPublic ? undefined : 0);
    const tokens = await tokensOf(service, own);
    t.equal(tokens.status, 200);
    t.match(await service.introspect(tokens.access_token, gateway), { active: true, client_id, sub: 'alice' });
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id };
    const secret = own.client_secret === undefined ? {} : { client_secret: own.client_secret };
    t.equal((await service.post('/oauth2/token', { ...form, ...secret })).status, 200);
  }
});

t.test('absent metadata have the defaults of RFC 7591, and unknown ones are left out', async (t) => {
  const service = await runRegistering(t);
  const own = await registered(service, {
    grant_types: undefined,
    response_types: undefined,
    token_endpoint_auth_method: undefined,
    scope: undefined,
    client_name: undefined,
    client_uri: 'https://app.example.com',
    software_statement: 'x.y.z',
    introspect: true,
    events: true,
    keys: true,
    session: true,
    claims: { admin: true },
    require_pkce: false,
    client_id: 'shop',
    client_secret: 'mine',
    public: true,
  });
  t.strictSame(Object.keys(own).sort(), [
    'application_type',
    'client_id',
    'client_id_issued_at',
    'client_secret',
    'client_secret_expires_at',
    'grant_types',
    'redirect_uris',
    'registration_access_token',
    'registration_client_uri',
    'response_types',
    'scope',
    'token_endpoint_auth_method',
  ]);
  t.match(own, {
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_basic',
    scope: 'orders.read orders.write',
  });
  t.not(own.client_id, 'shop');
  t.not(own.client_secret, 'mine');
  const client = await service.service.clients.find(own.client_id);
  t.match(client, { introspect: false, events: false, keys: false, session: false, claims: {}, source: 'itself' });
  const asked = { grant_type: 'client_credentials' };
  const id = own.client_id;
  const answer = await service.post('/oauth2/token', asked, basic({ id, secret: own.client_secret ?? '' }));
  t.match(await answer.json(), { error: 'unauthorized_client' });
});

t.test('with compat.app_id_claim, an answer also has app_id and app_secret', async (t) => {
  const service = await runRegistering(t, { config: { compat: { app_id_claim: true } } });
  const own = await registered(service, { token_endpoint_auth_method: 'client_secret_post' });
  t.strictSame([own.app_id, own.app_secret], [own.client_id, own.client_secret]);
});

const faults: readonly (readonly [changes: object, error: string, reason: RegExp])[] = [
  [{ redirect_uris: undefined }, 'invalid_redirect_uri', /missing/],
  [{ redirect_uris: [] }, 'invalid_redirect_uri', /not a list/],
  [{ redirect_uris: 'https://a.example/' }, 'invalid_redirect_uri', /not a list/],
  [{ redirect_uris: ['http://a.example/'] }, 'invalid_redirect_uri', /others can read/],
  [{ redirect_uris: ['https://a.example/#'] }, 'invalid_redirect_uri', /fragment/],
  [{ redirect_uris: ['https://*.example/'] }, 'invalid_redirect_uri', /wildcard/],
  [{ redirect_uris: ['javascript:alert(1)//.x'] }, 'invalid_redirect_uri', /not a scheme/],
  [{ redirect_uris: ['vbscript:x'] }, 'invalid_redirect_uri', /not a scheme/],
  [{ redirect_uris: ['myapp:/callback'] }, 'invalid_redirect_uri', /not a scheme/],
  [{ application_type: 'web', redirect_uris: ['http://127.0.0.1/cb'] }, 'invalid_redirect_uri', /web client/],
  [{ application_type: 'web', redirect_uris: ['http://localhost:3000/cb'] }, 'invalid_redirect_uri', /web client/],
  [{ application_type: 'web', redirect_uris: ['https://localhost/cb'] }, 'invalid_redirect_uri', /web client/],
  [{ application_type: 'web', redirect_uris: ['com.example.app:/cb'] }, 'invalid_redirect_uri', /web client/],
  [{ application_type: 'desktop' }, 'invalid_client_metadata', /native or web/],
  [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata', /authorization_code/],
  [{ response_types: ['token'] }, 'invalid_client_metadata', /code/],
  [{ token_endpoint_auth_method: 'tls_client_auth' }, 'invalid_client_metadata', /must be one of/],
  [{ token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata', /jwks/],
  [{ scope: 'admin' }, 'invalid_client_metadata', /no value that this service allows/],
  [{ scope: 'clients.register' }, 'invalid_client_metadata', /no value that this service allows/],
  [{ client_name: 'a\u0000b' }, 'invalid_client_metadata', /control character/],
  [{ client_name: 7 }, 'invalid_client_metadata', /not a string/],
  [
    { redirect_uris: Array.from({ length: 40 }, (_, at) => `https://a.example/${at}/${'x'.repeat(900)}`) },
    'invalid_client_metadata',
    /more than 16384 characters/,
  ],
];

t.test('metadata that are not acceptable get the errors of RFC 7591, and register nothing', async (t) => {
  const service = await runRegistering(t);
  for (const [changes, error, reason] of faults) {
    const answer = await register(service, { ...metadata, ...changes });
    t.equal(answer.status, 400);
    t.match(await answer.json(), { error, error_description: reason });
  }
  for (const body of ['', '[]', 'null', '{', '{"a":1,"a":2}', '\ufeff{}', `{"a":${'['.repeat(99)}${']'.repeat(99)}}`]) {
    const answer = await register(service, body);
    t.equal(answer.status, 400, body.slice(0, 20));
    t.match(await answer.json(), { error: 'invalid_client_metadata' });
  }
  t.equal((await register(service, `{"client_name":"${'x'.repeat(70_000)}"}`)).status, 413);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1']) {
    const answer = await register(service, metadata, { headers: { 'content-type': type } });
    t.match([answer.status, await answer.json()], [400, { error: 'invalid_request' }], type);
  }
  t.strictSame(await service.service.records.listSelfRegistered(0, 10), []);
});

t.test('a native client may have loopback addresses with any port, and an absent type is derived', async (t) => {
  const service = await runRegistering(t);
  const local = ['http://127.0.0.1/callback', 'http://localhost:3000/callback', 'com.example.app:/callback'];
  const said = await registered(service, { application_type: 'native', redirect_uris: local });
  const derived = await registered(service, { redirect_uris: local });
  for (const own of [said, derived]) t.match(own, { application_type: 'native', redirect_uris: local });
  const tab = await signedIn(service);
  const ask = (redirect_uri: string) => tab.get(asksFor(said.client_id, { redirect_uri, scope: 'orders.read' }));
  t.equal((await ask('http://127.0.0.1:51000/callback')).status, 200);
  t.equal((await ask('http://localhost:51000/callback')).status, 200);
  t.equal((await ask('http://localhost:51000/other')).status, 400);
});

t.test(
  'the consent page says that no one checked the name, warns for local addresses, and asks each time',
  async (t) => {
    const service = await runRegistering(t);
    const tab = await signedIn(service);
    const own = await registered(service, { client_name: '<b>Web Shop</b>' });
    const page = await tab.get(asksFor(own.client_id, { scope: 'orders.read' }));
    t.match(page.body, 'The application chose this name itself');
    t.match(page.body, '<bdi>app.example.com</bdi>');
    t.notMatch(page.body, '<b>Web Shop');
    t.notMatch(page.body, 'Any program on this device can claim');
    t.equal((await decide(tab, page, ['orders.read'])).status, 303);
    t.match((await tab.get(asksFor(own.client_id, { scope: 'orders.read' }))).body, 'asks for access');
    const local = await registered(service, { redirect_uris: ['http://127.0.0.1/callback'] });
    const asked = asksFor(local.client_id, { redirect_uri: 'http://127.0.0.1:4000/callback', scope: 'orders.read' });
    t.match((await tab.get(asked)).body, 'Any program on this device can claim');
  },
);

t.test(
  'a registration needs an initial access token with its scope, unless the configuration says otherwise',
  async (t) => {
    const service = await runRegistering(t, { dynamic: { initial_access_token: 'required' } });
    const challenge = async (token: string | undefined) => {
      const answer = await register(service, metadata, { token });
      return [answer.status, answer.headers.get('www-authenticate')];
    };
    const realm = `Bearer realm="${service.issuer}"`;
    t.strictSame(await challenge(undefined), [401, realm]);
    t.strictSame(await challenge('at_wrong'), [401, `${realm}, error="invalid_token"`]);
    t.strictSame(await challenge(await initialToken(service, 'orders.read')), [
      403,
      `${realm}, scope="clients.register", error="insufficient_scope"`,
    ]);
    const token = await initialToken(service);
    t.equal((await challenge(token))[0], 201);
    await service.post(
      '/oauth2/revoke',
      { token },
      basic({ id: 'sponsor', secret: 'cs_sponsor-secret-of-32-bytes-or' }),
    );
    t.strictSame(await challenge(token), [401, `${realm}, error="invalid_token"`], 'a revoked token');
    t.match(service.logged(), /"event":"client_registered"[^\n]*"detail":"by sponsor"/);
  },
);

t.test('one address registers only so many clients, an IPv6 site too, and a mistake does not count', async (t) => {
  const limit = { per_address: { requests: 3, per: 3_600_000 } };
  const service = await runRegistering(t, { dynamic: limit, config: { trusted_proxies: ['127.0.0.1'] } });
  const statusFrom = async (address: string, body: object = metadata) => {
    const answer = await register(service, body, { headers: { 'x-forwarded-for': address } });
    const { status, headers } = answer;
    await answer.body?.cancel();
    if (status === 429) t.ok(Number(headers.get('retry-after')) > 3_000);
    return status;
  };
  for (let index = 0; index < 5; index++) t.equal(await statusFrom('192.0.2.1', {}), 400);
  for (let index = 0; index < 3; index++) t.equal(await statusFrom('192.0.2.1'), 201);
  for (let index = 0; index < 3; index++) t.equal(await statusFrom('192.0.2.1'), 429);
  t.equal(await statusFrom('192.0.2.2'), 201);
  const links = Array.from({ length: 40 }, (_, index) => `2001:db8:0:${index.toString(16)}::1`);
  const statuses = [];
  for (const address of links) statuses.push(await statusFrom(address));
  t.equal(statuses.filter((status) => status === 201).length, 6, 'a /56 has twice the limit');
  t.equal((await service.service.records.listSelfRegistered(0, 100)).length, 10);
});

t.test('all addresses together register a hundred times as many clients', async (t) => {
  const limit = { per_address: { requests: 1, per: 3_600_000 } };
  const service = await runRegistering(t, { dynamic: limit, config: { trusted_proxies: ['127.0.0.1'] } });
  const statuses = [];
  for (let index = 0; index < 120; index++) {
    const answer = await register(service, metadata, { headers: { 'x-forwarded-for': `198.51.100.${index}` } });
    statuses.push(answer.status);
    await answer.body?.cancel();
  }
  t.equal(statuses.filter((status) => status === 201).length, 100);
  t.equal(statuses.at(-1), 429);
});

t.test('pages of other origins may register, and only where registration is on do the metadata name it', async (t) => {
  const on = await runRegistering(t);
  const origin = 'https://inspector.example.com';
  const preflight = await fetch(`${on.url}/oauth2/register`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
  });
  t.match(preflight.headers.get('access-control-allow-methods'), 'POST');
  t.match(preflight.headers.get('access-control-allow-headers'), 'Content-Type');
  t.equal((await register(on, metadata, { headers: { origin } })).headers.get('access-control-allow-origin'), '*');
  const document = async ({ url }: { url: string }) =>
    (await fetch(`${url}/.well-known/oauth-authorization-server`)).json() as Promise<Record<string, unknown>>;
  t.match(await document(on), {
    registration_endpoint: `${on.issuer}/oauth2/register`,
    scopes_supported: ['orders.read', 'orders.write', 'admin'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  });
  const off = await runRegistering(t, { dynamic: { enabled: false } });
  t.notOk('registration_endpoint' in (await document(off)));
  t.equal((await register(off, metadata)).status, 404);
});

t.test('a smaller scope in the configuration applies to registered clients at once', async (t) => {
  const first = await runRegistering(t);
  const own = await registered(first, { scope: 'orders.read orders.write' });
  const { directory } = first;
  await first.stop();
  const second = await runRegistering(t, { directory, dynamic: { scope: 'orders.read' } });
  t.strictSame((await second.service.clients.find(own.client_id))?.scope, ['orders.read']);
});

t.test('wrong secrets of clients that registered themselves count together, and a right one passes', async (t) => {
  const service = await runRegistering(t, { config: { login: { max_failures: 3 } } });
  const own: Information[] = [];
  for (let index = 0; index < 5; index++)
    own.push(await registered(service, { token_endpoint_auth_method: 'client_secret_basic' }));
  const form = { grant_type: 'refresh_token', refresh_token: 'x' };
  const statuses = [];
  for (const { client_id: id } of own)
    statuses.push((await service.post('/oauth2/token', form, basic({ id, secret: 'wrong' }))).status);
  t.strictSame(statuses, [401, 401, 401, 429, 429]);
  const { client_id: id, client_secret: secret = '' } = own[0] as Information;
  t.equal((await service.post('/oauth2/token', form, basic({ id, secret }))).status, 400);
});

t.test('an unknown id has a page at the authorization endpoint, and is 401 invalid_client at the others', async (t) => {
  const service = await runRegistering(t);
  const own = await registered(service);
  await send(service, own.registration_client_uri, { method: 'DELETE', token: own.registration_access_token });
  t.equal((await openTab(service).get(asksFor(own.client_id))).status, 400);
  for (const path of ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect']) {
    const form = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x', client_id: own.client_id };
    const answer = await service.post(path, form);
    t.match([answer.status, await answer.json()], [401, { error: 'invalid_client' }], path);
  }
});
