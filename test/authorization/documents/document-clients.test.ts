import t from 'tap';
import { answered, decide, openTab, signedIn, verifier } from '../browser/walk.ts';
import { gateway } from '../running-service.ts';
import { asksFor, documentHost, redirectUri, runWithDocuments } from './document-host.ts';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

async function codeFor(service: Awaited<ReturnType<typeof runWithDocuments>>, id: string): Promise<string> {
  const tab = await signedIn(service);
  const consent = await tab.get(asksFor(id));
  const answer = answered(await decide(tab, consent, ['orders.read']));
  if (answer.code === undefined) throw new Error(consent.body);
  return answer.code;
}

const redemption = (id: string, code: string) => ({
  grant_type: 'authorization_code',
  code,
  client_id: id,
  redirect_uri: redirectUri,
  code_verifier: verifier,
});

t.test('a client whose id is the URL of its document gets, refreshes and revokes tokens', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const id = host.publish('/client.json');
  const first = await service.post('/oauth2/token', redemption(id, await codeFor(service, id)));
  t.equal(first.status, 200);
  const tokens = (await first.json()) as Tokens;
  t.equal(tokens.scope, 'orders.read');
  t.match(await service.introspect(tokens.access_token, gateway), { active: true, client_id: id, sub: 'alice' });
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: id };
  const second = await service.post('/oauth2/token', refresh);
  t.equal(second.status, 200);
  const { access_token: token } = (await second.json()) as Tokens;
  t.equal((await service.post('/oauth2/revoke', { token, client_id: id })).status, 200);
  t.match(await service.introspect(token, gateway), { active: false });
  t.equal((await service.post('/oauth2/introspect', { token, client_id: id })).status, 401, 'a public client');
  t.strictSame(host.asked, ['/client.json'], 'its document is read once');
});

t.test('the metadata name the documents only where they are switched on', async (t) => {
  const document = async (service: { readonly url: string }) =>
    (await fetch(`${service.url}/.well-known/oauth-authorization-server`)).json() as Promise<Record<string, unknown>>;
  const clients: [] = [];
  const on = await document(await runWithDocuments(t, { config: { clients } }));
  t.match(on, {
    client_id_metadata_document_supported: true,
    authorization_endpoint: String,
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  });
  const off = await document(await runWithDocuments(t, { cimd: { enabled: false }, config: { clients } }));
  t.notOk('client_id_metadata_document_supported' in off);
});

t.test('where documents are switched off, a URL is an unknown client, and nothing is requested', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t, { cimd: { enabled: false } });
  const page = await openTab(service).get(asksFor(host.publish('/client.json')));
  t.equal(page.status, 400);
  t.match(page.body, /is not registered/);
  t.equal(host.connections(), 0);
});

t.test('the pages name the host of the client id and the host of the redirect address', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const id = host.publish('/client.json', { client_name: 'Web Shop' });
  const login = await openTab(service).get(asksFor(id));
  const consent = await (await signedIn(service)).get(asksFor(id));
  for (const { body } of [login, consent]) {
    t.match(body, `<bdi>${new URL(id).host}</bdi>`);
    t.match(body, 'This name comes from');
    t.match(body, '<bdi>app.example.com</bdi>');
    t.notMatch(body, 'Any program on this device');
  }
});

t.test('the account page names the host of a connected client, before and after a restart', async (t) => {
  const host = await documentHost(t);
  const first = await runWithDocuments(t);
  const id = host.publish('/client.json', { client_name: 'Web Shop' });
  t.equal((await first.post('/oauth2/token', redemption(id, await codeFor(first, id)))).status, 200);
  const page = await (await signedIn(first)).get('/oauth2/account');
  t.match(page.body, 'Web Shop');
  t.match(page.body, `This name comes from <strong><bdi>${new URL(id).host}`);
  await first.stop();
  const second = await runWithDocuments(t, { directory: first.directory });
  const again = await (await signedIn(second)).get('/oauth2/account');
  t.match(again.body, id, 'its document is not read for this page');
  t.equal(host.asked.length, 1);
});

t.test('the consent page warns if all redirect addresses are on the device of the user', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const local = 'http://127.0.0.1:3000/callback';
  const tab = await signedIn(service);
  const only = host.publish('/local.json', { redirect_uris: [local, 'http://localhost:3000/callback'] });
  t.match((await tab.get(asksFor(only, { redirect_uri: local }))).body, 'Any program on this device can claim');
  const both = host.publish('/both.json', { redirect_uris: [local, redirectUri] });
  t.notMatch((await tab.get(asksFor(both, { redirect_uri: local }))).body, 'Any program on this device can claim');
});

t.test('the port of `localhost` may differ from the document, and nothing else of the address', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const tab = await signedIn(service);
  const id = host.publish('/local.json', { redirect_uris: ['http://localhost/callback'] });
  const ask = async (redirect_uri: string) => (await tab.get(asksFor(id, { redirect_uri }))).status;
  for (const uri of ['http://localhost:51000/callback', 'http://localhost/callback']) t.equal(await ask(uri), 200, uri);
  for (const uri of [
    'http://localhost:99999/callback',
    'http://localhost:51000/callback?x',
    'https://localhost:51000/callback',
    'http://LOCALHOST:51000/callback',
    'http://a.localhost:51000/callback',
    'http://localhost.evil.example/callback',
    'http://localhost:51000@evil.example/callback',
    'http://127.0.0.1:51000/callback',
  ])
    t.equal(await ask(uri), 400, uri);
});

t.test('the consent page asks each time, because a document may get another address after the consent', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const id = host.publish('/client.json');
  const tab = await signedIn(service);
  t.equal((await decide(tab, await tab.get(asksFor(id)), ['orders.read', 'orders.write'])).status, 303);
  t.match((await tab.get(asksFor(id))).body, 'asks for access');
  const silent = await tab.get(asksFor(id, { prompt: 'none' }));
  t.match([silent.status, silent.location, silent.body], [400, undefined, 'interaction_required']);
});

t.test('a client gets no token until the configuration gives such clients a scope', async (t) => {
  const host = await documentHost(t);
  const id = host.publish('/client.json', { scope: 'admin' });
  const narrow = await runWithDocuments(t, { cimd: { scope: 'orders.read' } });
  const tab = await signedIn(narrow);
  t.equal((await tab.get(asksFor(id))).status, 400, 'a document cannot ask for more');
  const plain = host.publish('/plain.json');
  t.match(await tab.get(asksFor(plain, { scope: 'admin' })), { status: 400, body: 'invalid_scope' });
  const { cimd } = narrow.service.config.registration;
  const { scope: _, ...without } = cimd;
  const none = await runWithDocuments(t, {
    config: { registration: { ...narrow.service.config.registration, cimd: without } },
  });
  const other = await signedIn(none);
  for (const scope of [undefined, 'orders.read'])
    t.match(await other.get(asksFor(plain, { scope })), { status: 400, body: 'invalid_scope' });
});

t.test('a faulty request shows a page, so that no link to this service leads to the site of a stranger', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const local = 'http://127.0.0.1:3000/callback';
  const id = host.publish('/client.json', { redirect_uris: [redirectUri, local, 'com.example.app:/callback'] });
  const faults = [
    { response_type: 'x' },
    { response_type: undefined },
    { scope: 'admin' },
    { resource: 'https://unknown.example.com' },
    { code_challenge: undefined },
    { prompt: 'none' },
    { request: 'x.y.z' },
    { response_mode: 'form_post', scope: 'admin' },
  ];
  for (const tab of [openTab(service), await signedIn(service)])
    for (const fault of faults) {
      const page = await tab.get(asksFor(id, fault));
      t.match([page.status, page.location], [400, undefined], JSON.stringify(fault));
      t.notMatch(page.body, '<form');
      t.notMatch(page.body, '<a ');
      const own = await tab.get(asksFor(id, { ...fault, redirect_uri: local }));
      t.ok(
        own.location?.href.startsWith(local) || own.body.includes(local),
        'a program on the device learns the error',
      );
    }
  const tab = await signedIn(service);
  const denied = await decide(tab, await tab.get(asksFor(id)), [], 'deny');
  t.match(answered(denied), { error: 'access_denied' }, 'the user saw the host, and decided');
});

t.test('the metrics count the requests for documents by their results', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const ids = [
    host.publish('/client.json'),
    host.serve('/hostile.json', { body: '{}' }),
    host.serve('/down.json', { status: 503 }),
  ];
  for (const id of [...ids, ...ids]) await openTab(service).get(asksFor(id));
  const metrics = await (await fetch(`${service.admin}/metrics`)).text();
  for (const result of ['read', 'refused', 'outage'])
    t.match(metrics, `gatehouse_authorization_client_documents_total{document="metadata",result="${result}"} 1\n`);
});

t.test('a client with a document never acts for itself', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const id = host.publish('/client.json', { grant_types: ['authorization_code', 'client_credentials', 'password'] });
  for (const grant_type of ['client_credentials', 'password', 'refresh_token']) {
    const answer = await service.post('/oauth2/token', { grant_type, client_id: id });
    t.match(await answer.json(), { error: 'unauthorized_client' }, grant_type);
  }
});

t.test('a page of another origin may use the token endpoint', async (t) => {
  const service = await runWithDocuments(t);
  const origin = 'https://inspector.example.com';
  const answer = await service.post('/oauth2/token', { grant_type: 'refresh_token' }, { origin });
  t.equal(answer.headers.get('access-control-allow-origin'), origin);
  t.equal(answer.headers.get('access-control-allow-credentials'), null);
});
