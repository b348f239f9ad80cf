import { gzipSync } from 'node:zlib';
import t from 'tap';
import { openTab } from '../browser/walk.ts';
import { asksFor, documentFor, documentHost, redirectUri, runWithDocuments, type Served } from './document-host.ts';

type Hostile = (id: string) => Served;

const members =
  (changes: object): Hostile =>
  (id) => ({ body: JSON.stringify(documentFor(id, changes)) });
const raw =
  (text: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Hostile =>
  () => ({ body: text, headers });
const typed =
  (type: string): Hostile =>
  () => ({ headers: { 'content-type': type } });
const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Hostile =>
  () => ({ status: code, headers });
const redirects = (...uris: unknown[]) => members({ redirect_uris: uris });
const deep = (id: string) => `{"client_id":${JSON.stringify(id)},"x":${'['.repeat(5_00)}${']'.repeat(5_00)}}`;

/** Each with a part of the reason on the page. */
const hostile: Readonly<Record<string, readonly [Hostile, RegExp]>> = {
  'an empty body': [raw(''), /not one JSON object/],
  'no JSON': [raw('<html>'), /not one JSON object/],
  'half of an object': [raw('{"client_id":'), /not one JSON object/],
  'a list': [raw('[]'), /not one JSON object/],
  null: [raw('null'), /not one JSON object/],
  'a number': [raw('1e999'), /not one JSON object/],
  'a text': [raw('"https://localhost/"'), /not one JSON object/],
  'two objects': [raw('{}{}'), /not one JSON object/],
  'a byte order mark': [raw('\ufeff{}'), /not one JSON object/],
  'bytes that are not UTF-8': [raw(Uint8Array.of(0x7b, 0xff, 0x7d)), /not one JSON object/],
  'deep nesting': [(id) => ({ body: deep(id) }), /not one JSON object/],
  'a member twice': [
    (id) => ({ body: JSON.stringify(documentFor(id)).replace('{', `{"client_id":"https://other.example/",`) }),
    /not one JSON object/,
  ],
  'an empty object': [raw('{}'), /client_id is not the URL of the document/],
  'a prototype': [raw('{"__proto__":{"client_id":"x"}}'), /client_id is not the URL of the document/],
  'another client id': [
    members({ client_id: 'https://claude.ai/client.json' }),
    /client_id is not the URL of the document/,
  ],
  'a client id with another case': [
    (id) => members({ client_id: id.toUpperCase() })(id),
    /client_id is not the URL of the document/,
  ],
  'a client id with a slash more': [
    (id) => members({ client_id: `${id}/` })(id),
    /client_id is not the URL of the document/,
  ],
  'a client id with a blank': [
    (id) => members({ client_id: ` ${id}` })(id),
    /client_id is not the URL of the document/,
  ],
  'an encoded client id': [
    (id) => members({ client_id: id.replace('.', '%2e') })(id),
    /client_id is not the URL of the document/,
  ],
  'a list of client ids': [(id) => members({ client_id: [id] })(id), /client_id is not the URL of the document/],
  'a secret': [members({ client_secret: 'cs_x' }), /has a client_secret/],
  'the expiry of a secret': [members({ client_secret_expires_at: 0 }), /has a client_secret_expires_at/],
  'no name': [members({ client_name: undefined }), /client_name is missing/],
  'an empty name': [members({ client_name: ' ' }), /client_name is not a string/],
  'an object as name': [members({ client_name: { toString: 1 } }), /client_name is not a string/],
  'a long name': [members({ client_name: 'x'.repeat(101) }), /more than 100 characters/],
  'a name with a line break': [members({ client_name: 'Shop\nAllow' }), /control character/],
  'a name that turns the text around': [members({ client_name: 'Shop\u202e' }), /control character/],
  'half of a surrogate pair': [members({ client_name: 'Shop\ud800' }), /control character/],
  'no redirect addresses': [members({ redirect_uris: undefined }), /redirect_uris is missing/],
  'an empty list of addresses': [redirects(), /not a list of strings, or is empty/],
  'one address instead of a list': [members({ redirect_uris: redirectUri }), /not a list of strings, or is empty/],
  'a number as address': [redirects(redirectUri, 7), /not a list of strings, or is empty/],
  'too many addresses': [
    redirects(...Array.from({ length: 51 }, (_, at) => `https://a.example/${at}`)),
    /more than 50/,
  ],
  'a very long address': [redirects(`https://a.example/${'x'.repeat(1_024)}`), /address of more than 1024 characters/],
  'a script as address': [redirects('javascript:alert(1)'), /not a scheme that a redirect may use/],
  'data as address': [redirects('data:text/html,x'), /not a scheme that a redirect may use/],
  'an address without TLS': [redirects('http://app.example.com/cb'), /others can read what a browser sends over http/],
  'a pattern as address': [redirects('https://*.example.com/cb'), /must not have a wildcard/],
  'an address with a fragment': [redirects('https://a.example/#x'), /must not have a fragment/],
  'an address with a username': [redirects('https://app.example.com@evil.example/'), /username and password/],
  'a relative address': [redirects('/callback'), /not an absolute URI/],
  'an address with a control character': [redirects('https://a.example/\u0000'), /no URI contains/],
  'an unknown type': [members({ application_type: 'browser' }), /native or web/],
  'a web client on loopback': [
    members({ application_type: 'web', redirect_uris: ['http://127.0.0.1/cb'] }),
    /a web client needs https addresses that are not loopback/,
  ],
  'grants that are no list': [members({ grant_types: 'authorization_code' }), /grant_types is not a list/],
  'grants without a code': [members({ grant_types: ['client_credentials'] }), /must contain authorization_code/],
  'only an implicit answer': [members({ response_types: ['token'] }), /must contain code/],
  'a shared secret': [members({ token_endpoint_auth_method: 'client_secret_basic' }), /must be one of none/],
  'an HMAC': [members({ token_endpoint_auth_method: 'client_secret_jwt' }), /must be one of none/],
  'a method of every object': [members({ token_endpoint_auth_method: 'constructor' }), /must be one of none/],
  'keys that are missing': [members({ token_endpoint_auth_method: 'private_key_jwt' }), /either jwks or jwks_uri/],
  'keys at two places': [
    members({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] }, jwks_uri: 'https://a.example/' }),
    /either jwks or jwks_uri/,
  ],
  'keys without TLS': [
    members({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://127.0.0.1/keys' }),
    /jwks_uri is not an https URL/,
  ],
  'a malformed scope': [members({ scope: 'a\u0000b' }), /scope is malformed/],
  'a foreign scope': [members({ scope: 'admin' }), /no value that this service allows for the client/],
  'a page of HTML': [typed('text/html'), /Content-Type/],
  'a type that only begins like JSON': [typed('application/jsonp'), /Content-Type/],
  'two types': [typed('text/html, application/json'), /Content-Type/],
  'a compressed body': [raw(gzipSync('{}'), { 'content-encoding': 'gzip' }), /not one JSON object/],
  'a redirect': [status(302, { location: '/other.json' }), /status 302/],
  'a permanent redirect': [status(308, { location: '/other.json' }), /status 308/],
  'no content': [status(204), /status 204/],
  'part of the content': [status(206), /status 206/],
  'a missing document': [status(404), /status 404/],
  'a document that is gone': [status(410), /status 410/],
  'a document for members': [status(401, { 'www-authenticate': 'Basic' }), /status 401/],
  'a body above the limit': [raw(`{"x":"${'x'.repeat(6_000)}"}`), /too large/],
};

t.test('64 hostile metadata documents lead to a page that says why, and never to a redirect', async (t) => {
  const entries = Object.entries(hostile);
  t.ok(entries.length >= 64, `${entries.length} documents`);
  const host = await documentHost(t);
  const service = await runWithDocuments(t, { config: { trusted_proxies: ['127.0.0.1'] } });
  const tab = openTab(service);
  for (const [index, [title, [answer, reason]]] of entries.entries()) {
    // 20 requests for documents a minute are allowed from one address.
    const headers = { 'x-forwarded-for': `192.0.2.${index + 1}` };
    const page = await tab.get(asksFor(host.serve(`/${index}.json`, answer)), headers);
    t.equal(page.status, 400, title);
    t.match(page.body, 'invalid_client', title);
    t.match(page.body, reason, title);
    t.equal(page.location, undefined, title);
  }
  t.equal(host.asked.length, entries.length, 'each document is requested once, and no redirect is followed');
  t.notMatch(service.logged(), '"level":"error"');
});

t.test('a name with markup is shown as text', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const names = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "</title><b onclick='x'>", '&lt;b&gt;'];
  for (const [index, client_name] of names.entries()) {
    const page = await openTab(service).get(asksFor(host.publish(`/${index}.json`, { client_name })));
    t.equal(page.status, 200);
    t.notMatch(page.body, client_name);
    t.match(page.headers.get('content-security-policy'), "default-src 'none'");
  }
});

const ids: readonly (readonly [change: (url: string) => string, reason: RegExp])[] = [
  [(url) => url, /no path|canonical/],
  [(url) => `${url}/`, /no path/],
  [(url) => `${url}/client.json#x`, /fragment/],
  [(url) => `${url}/client.json#`, /fragment/],
  [(url) => `${url}/a/../client.json`, /dot segment/],
  [(url) => `${url}/./client.json`, /dot segment/],
  [(url) => `${url}/a/%2e%2e/client.json`, /dot segment/],
  [(url) => `${url}/a/.%2E/client.json`, /dot segment/],
  [(url) => `${url}/a%2f..%2fclient.json`, /dot segment/],
  [(url) => `${url}/a%5c..%5cclient.json`, /dot segment/],
  [(url) => `${url}/client.json/..`, /dot segment/],
  [(url) => `${url}/a/..;x/client.json`, /dot segment/],
  [(url) => `${url}/a/.%2e%3bx/client.json`, /dot segment/],
  [(url) => `${url.replace('//', '//user@')}/client.json`, /username/],
  [(url) => `${url.replace('//', '//user:pass@')}/client.json`, /username/],
  [(url) => `${url.replace('//', '//@')}/client.json`, /username/],
  [(url) => `${url.toUpperCase()}/client.json`, /canonical/],
  [(url) => `${url.replace('localhost', 'LocalHost')}/client.json`, /canonical/],
  [(url) => `${url.replace('localhost', 'localhost.')}/client.json`, /host ends with a dot/],
  [(url) => `${url.replace('localhost', 'loc%61lhost')}/client.json`, /canonical/],
  [(url) => `${url.replace('localhost', 'ｌocalhost')}/client.json`, /no URI contains/],
  [(url) => `${url.replace('localhost', '127.1')}/client.json`, /canonical/],
  [(url) => `${url.replace('localhost', '0x7f000001')}/client.json`, /canonical/],
  [(url) => `${url.replace('localhost', '[0:0:0:0:0:0:0:1]')}/client.json`, /canonical/],
  [(url) => `${url.replace('//', '\\\\')}/client.json`, /no URI contains/],
  [(url) => `${url.replace('//', '/')}/client.json`, /canonical/],
  [() => 'https://localhost:443/client.json', /canonical/],
  [(url) => `${url}/ client.json`, /no URI contains/],
  [(url) => `${url}/cl\tient.json`, /no URI contains/],
  [(url) => `${url}/%zz`, /no URI contains/],
  [(url) => `${url}/ü.json`, /no URI contains/],
  [(url) => `${url}/${'x'.repeat(255)}`, /more than 255/],
  [(url) => `${url.replace('https', 'http')}/client.json`, /not an https URL/],
  [() => 'https://', /not a URL/],
  [() => 'https:client.json', /canonical|no path|not a URL/],
];

t.test('a client id in another form gets a page that says why, and causes no request', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  host.publish('/client.json');
  for (const [change, reason] of ids) {
    const id = change(host.url);
    const page = await openTab(service).get(asksFor(id));
    t.equal(page.status, 400, id);
    t.match(page.body, reason, id);
  }
  const own = `${service.issuer.replace('http:', 'https:')}/oauth2/authorize`;
  t.equal((await openTab(service).get(asksFor(own))).status, 400, 'its own address');
  t.equal(host.connections(), 0);
});
