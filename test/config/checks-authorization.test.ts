import t from 'tap';
import { authorizationChecks } from '../../src/config/checks-authorization.ts';
import { authorizationProblems, type Loose } from './base-config.ts';

type Case = readonly [change: (config: Loose) => void, ...expected: RegExp[]];

const top = (more: object) => (config: Loose) => Object.assign(config, more);
const client = (more: object) => (config: Loose) => Object.assign(config.clients[0], more);
const addClient = (added: object) => (config: Loose) => config.clients.push(added);
const secret = 'another-secret-of-tests';

/** For every rule: files that break it with what is said, and files that do not (nothing is expected). */
const cases: Record<string, readonly Case[]> = {
  'issuer elsewhere': [
    [top({ issuer: 'http://localhost:9999' }), /^warning: the issuer is port 9999/],
    [top({ issuer: 'http://localhost:8081' })],
    [top({ issuer: 'http://127.0.0.1:9999', listen: '127.0.0.1:9999' })],
  ],
  listeners: [
    [top({ admin: '127.0.0.1:8081' }), /the same address as `listen`/],
    [top({ admin: '0.0.0.0:9902' }), /^warning: the management listener/],
  ],
  'longest wait': [[top({ shutdown: { deadline: '30d' } }), /a wait of more than 24 days/]],
  issuer: [
    [top({ issuer: 'http://auth.example.com' }), /http beyond this machine/],
    [top({ issuer: 'https://auth.example.com/?a' }), /an issuer has no query/],
    [top({ issuer: 'http://auth.example.com', development: true })],
    [top({ issuer: 'http://[::1]:8081' })],
  ],
  resources: [
    [top({ resources: ['/orders'] }), /is not an absolute URI/],
    [top({ resources: ['https://api.example.com#x'] }), /has no fragment/],
    [top({ resources: ['urn:example:api', 'https://api.example.com/?a=b'] })],
  ],
  'encryption keys': [
    [top({ encryption_keys: ['AAAA'] }), /the key has 3 bytes/],
    [top({ encryption_keys: ['!'] }), /not base64/],
    [top({ encryption_keys: [Buffer.alloc(32).toString('base64')] })],
  ],
  scopes: [[top({ scopes: { 'orders.read': 'x', 'a b': 'x' } }), /a character that no scope contains/]],
  'lifetime of access tokens': [
    [top({ tokens: { access: { ttl: '25h' } } }), /^warning: whoever finds such a token/],
    [top({ tokens: { access: { jwt_ttl: '2d' } } }), /^warning: whoever finds such a token/],
    [top({ tokens: { access: { ttl: '0s' } } }), /^error: a token that lives less than a second/],
    [top({ tokens: { access: { ttl: '1d' } } })],
  ],
  'client names': [
    [
      (config) => {
        delete config.clients[0].client_id;
      },
      /has no `client_id`/,
    ],
    [client({ app_id: 'store' }), /are one thing, and differ here/],
    [client({ client_id: 'sh\u00f6p' }), /plain ASCII text/],
    [client({ app_id: 'shop' })],
  ],
  'client id twice': [[addClient({ app_id: 'shop', app_secret: secret }), /another client has the id `shop`/]],
  'client secret spellings': [
    [client({ app_secret: secret }), /are one thing, and differ here/],
    [client({ client_secret_sha256: 'a'.repeat(64) }), /as text and as a digest/],
    [client({ client_secret: 'line\nof more than 16 bytes' }), /plain ASCII text in one line/],
    [client({ app_secret: 'shop-secret-of-tests' })],
  ],
  'client without secret': [
    [client({ client_secret: undefined }), /`client_credentials` needs a client with a secret/],
    [
      client({ client_secret: undefined, grant_types: [], introspect: true }),
      /`introspect` needs a client with a secret/,
    ],
    [client({ client_secret: undefined, client_secret_sha256: 'a'.repeat(64) })],
    [client({ client_secret: undefined, grant_types: [] })],
  ],
  'weak client secret': [[client({ client_secret: 'short' }), /^warning: a secret of less than 16 bytes/]],
  'scope of a client': [
    [client({ scope: 'orders.read orders.raed' }), /`orders.raed` is not in `scopes`/],
    [client({ scope: 'orders.read  x' }), /single spaces/, /`x` is not in `scopes`/],
    [client({ scope: 'orders.read' })],
  ],
};

t.test('every rule of authorization.yaml has its cases here', async (t) => {
  t.strictSame(Object.keys(cases).sort(), Object.keys(authorizationChecks).sort());
});

t.test('the file that the cases change is sound', async (t) => {
  t.strictSame(
    authorizationProblems(() => {}),
    [],
  );
});

for (const [rule, rows] of Object.entries(cases)) {
  t.test(`rule: ${rule}`, async (t) => {
    for (const [change, ...expected] of rows) {
      const told = authorizationProblems(change);
      t.equal(told.length, expected.length, JSON.stringify(told));
      for (const [index, words] of expected.entries()) t.match(told[index], words);
    }
  });
}
