import t from 'tap';
import { authorizationChecks } from '../../../src/config/rules/authorization.ts';
import { tlsFile } from '../../support/tls-file.ts';
import { authorizationProblems, type Loose } from '../base-config.ts';

type Case = readonly [change: (config: Loose) => void, ...expected: RegExp[]];

const top = (more: object) => (config: Loose) => Object.assign(config, more);
const client = (more: object) => (config: Loose) => Object.assign(config.clients[0], more);
const addClient = (added: object) => (config: Loose) => config.clients.push(added);
const secret = 'another-secret-of-tests';
const sha256 = 'a'.repeat(64);
const code = { grant_types: ['authorization_code'], redirect_uris: ['https://app.example.com/callback'] };
const hash = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
const alice = { username: 'alice', password_argon2: hash };
const users = (...list: object[]) => top({ users: list });
const redirect = (uri: string) => client({ ...code, redirect_uris: [uri] });
const openid = (more: object) => top({ openid: { enabled: true, ...more } });
const relyingParty = (more: object) => (config: Loose) => {
  openid({})(config);
  client({ ...code, scope: 'openid', ...more })(config);
};
const twoHosts = ['https://app.example.com/callback', 'https://app.example.org/callback'];
const keys = { encryption_keys: [Buffer.alloc(32).toString('base64')] };

const publicKeys = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }] };
const signing = (more: object) =>
  client({ client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt', ...more });
const documents = (more: object) => top({ registration: { cimd: { enabled: true, scope: 'orders.read', ...more } } });
const receiver = { id: 'crm', url: 'https://crm.example.com/events', audience: 'https://crm.example.com' };
const receivers = (...list: object[]) =>
  top({ security_events: { receivers: list.map((more) => ({ ...receiver, ...more })) } });
const registering = (more: object) => (config: Loose) => {
  config.scopes['clients.register'] = 'Register clients';
  config.registration = { dynamic: { enabled: true, scope: 'orders.read', ...more } };
};

/** For every rule: files that break it with the message, and files that do not (no message expected). */
const cases: Record<string, readonly Case[]> = {
  'issuer elsewhere': [
    [top({ issuer: 'http://localhost:9999' }), /^warning: the URL of the issuer names port 9999/],
    [top({ issuer: 'http://localhost:8081' })],
    [top({ issuer: 'http://127.0.0.1:9999', listen: '127.0.0.1:9999' })],
  ],
  listeners: [
    [top({ admin: '127.0.0.1:8081' }), /the same address as `listen`/],
    [top({ admin: '0.0.0.0:9902' }), /^warning: other machines can reach the admin listener/],
  ],
  'longest wait': [[top({ shutdown: { deadline: '30d' } }), /a wait of more than 24 days/]],
  issuer: [
    [top({ issuer: 'http://auth.example.com' }), /others can read and change http traffic/],
    [top({ issuer: 'https://auth.example.com/?a' }), /an issuer must not have a query/],
    [top({ issuer: 'http://auth.example.com', development: true })],
    [top({ issuer: 'http://[::1]:8081' })],
  ],
  counters: [
    [top({ counters: 'memcached://cache' }), /^error: counters are kept in memory or in Redis/],
    [top({ counters: 'redis://cache:6379/first' }), /only a database number/],
    [top({ counters: 'redis://cache:6379/1' })],
    [top({ counters: { url: 'memcached://cache' } }), /^error: counters are kept in memory or in Redis/],
    [
      top({ counters: { url: 'redis://cache', tls: { ca: tlsFile('authority.crt') } } }),
      /^error: only `rediss:` has TLS/,
    ],
    [top({ counters: { url: 'rediss://cache', tls: { ca: 'nowhere.pem' } } }), /^error: .*nowhere\.pem/],
    [top({ counters: { url: 'rediss://cache', tls: { ca: tlsFile('authority.crt') } } })],
    [top({ counters: { url: 'redis://cache' } })],
  ],
  'window of wrong secrets': [
    [top({ login: { window: '0s' } }), /^error: a window of less than a second/],
    [top({ login: { window: '2d' } }), /^error: a window of more than a day/],
    [top({ login: { window: '1s' } })],
  ],
  resources: [
    [top({ resources: ['/orders'] }), /is not an absolute URI/],
    [top({ resources: ['https://api.example.com#x'] }), /must not have a fragment/],
    [top({ resources: ['urn:example:api', 'https://api.example.com/?a=b'] })],
  ],
  'encryption keys': [
    [top({ encryption_keys: ['AAAA'] }), /the key has 3 bytes/],
    [top({ encryption_keys: ['!'] }), /not base64/],
    [top({ storage: 'postgres://localhost/gatehouse' }), /a postgres database needs `encryption_keys`/],
    [top(keys)],
  ],
  scopes: [[top({ scopes: { 'orders.read': 'x', 'a b': 'x' } }), /a character that no scope contains/]],
  'lifetime of access tokens': [
    [top({ tokens: { access: { ttl: '25h' } } }), /^warning: a thief of such a token/],
    [top({ tokens: { access: { jwt_ttl: '2d' } } }), /^warning: a thief of such a token/],
    [top({ tokens: { access: { ttl: '0s' } } }), /^error: a token that lives less than a second/],
    [top({ tokens: { access: { ttl: '1d' } } })],
  ],
  'trusted proxies': [
    [top({ trusted_proxies: ['10.0.0.0/33'] }), /is not a CIDR/],
    [top({ trusted_proxies: ['0.0.0.0/0'] }), /^warning: `0.0.0.0\/0` trusts every address/],
    [top({ trusted_proxies: ['10.0.0.0/8', '::1'] })],
  ],
  database: [
    [top({ storage: 'postgres://127.0.0.1', ...keys }), /names no database/],
    [top({ storage: 'postgres://127.0.0.1:port/x', ...keys }), /not the URL of a database/],
    [top({ storage: 'postgresql://gatehouse@db.example.com/gatehouse', ...keys }), /^warning: without `sslmode`/],
    [top({ storage: 'postgres:///gatehouse?host=db.example.com', ...keys }), /^warning: without `sslmode`/],
    [top({ storage: 'postgresql://gatehouse@db.example.com/gatehouse?sslmode=verify-full', ...keys })],
    [top({ storage: 'postgresql://gatehouse@db.example.com/gatehouse?sslmode=disable', ...keys })],
    [top({ storage: 'postgresql://gatehouse@db.example.com/gatehouse?sslrootcert=ca.pem', ...keys })],
    ...['u@127.0.0.1', 'u@[::1]:5433', 'u@localhost', 'u@%2Frun%2Fpostgresql', ''].map(
      (host): Case => [top({ storage: `postgres://${host}/gatehouse`, ...keys })],
    ),
    [top({ storage: 'postgres:///gatehouse?host=/run/postgresql', ...keys })],
  ],
  'signing secret': [
    [top({ signing: { alg: 'HS256' } }), /`HS256` needs `secret_base64url`/],
    [
      top({ signing: { alg: 'HS256', secret_base64url: 'AAAA' } }),
      /^warning: anyone who can verify/,
      /the secret has 3 bytes/,
    ],
    [top({ signing: { alg: 'HS256', secret_base64url: '+' } }), /^warning: anyone who can verify/, /not base64url/],
    [top({ signing: { secret_base64url: 'A'.repeat(43) } }), /`ES256` signs with its own key pair/],
    [top({ signing: { alg: 'HS256', secret_base64url: 'A'.repeat(43) } }), /^warning: anyone who can verify/],
  ],
  'keys of users': [
    [
      top({ signing: { alg: 'RS256', user_keys: true }, tokens: { access: { format: 'jwt' } } }),
      /^warning: making an RSA key takes/,
    ],
    [top({ signing: { user_keys: true } }), /^warning: no client of this file gets JWTs/],
    [
      top({
        signing: { alg: 'HS256', secret_base64url: 'A'.repeat(43), user_keys: true },
        tokens: { access: { format: 'jwt' } },
      }),
      /^warning: anyone who can verify/,
      /^warning: with `HS256`, the keys of users are secret/,
    ],
    [top({ signing: { user_keys: true }, tokens: { access: { format: 'jwt' } } })],
    [
      (config) => {
        config.signing = { user_keys: true };
        config.clients[0].access_token_format = 'jwt';
      },
    ],
    [top({ signing: { alg: 'RS256', rotate_on_password_change: false } })],
  ],
  'client that reads keys of users': [
    [client({ client_secret: undefined, grant_types: [], keys: true }), /^error: `keys` needs a client with a secret/],
    [client({ keys: true }), /^warning: `keys` has no effect: users have secret keys only with `alg: HS256`/],
    [
      (config) => {
        config.signing = { alg: 'HS256', secret_base64url: 'A'.repeat(43), user_keys: true };
        config.clients[0].access_token_format = 'jwt';
        config.clients[0].keys = true;
      },
      /^warning: anyone who can verify/,
    ],
  ],
  'lifetime of codes': [
    [top({ tokens: { code: { ttl: '301s' } } }), /^error: a code is valid for at most 5 minutes/],
    [top({ tokens: { code: { ttl: '10ms' } } }), /^error: a code that lives less than a second/],
    [top({ tokens: { code: { ttl: '5m' } } })],
  ],
  'lifetime of refresh tokens': [
    [top({ tokens: { refresh: { ttl: '1h' } } }), /does not outlive the access token \(`tokens.access.ttl`\)/],
    [top({ tokens: { access: { jwt_ttl: '2h' }, refresh: { ttl: '2h' } } }), /`tokens.access.jwt_ttl`/],
    [top({ tokens: { refresh: { absolute_ttl: '6d' } } }), /`absolute_ttl` is shorter than `ttl`/],
    [top({ tokens: { refresh: { ttl: '61m', absolute_ttl: '61m' } } })],
  ],
  'lifetime of session keys': [
    [top({ tokens: { session_key: { ttl: '0s' } } }), /a session key that lives less than a second/],
    [top({ tokens: { session_key: { ttl: '1d' } } })],
  ],
  'retry window and leeway of refresh tokens': [
    [
      top({ tokens: { refresh: { retry_window: '61s' } } }),
      /^warning: a stolen refresh token stays unnoticed for this long/,
    ],
    [
      top({ tokens: { refresh: { reuse_leeway: '1h' } } }),
      /^warning: a stolen refresh token stays unnoticed for this long/,
    ],
    [
      client({ ...code, grant_types: ['authorization_code', 'refresh_token'], retry_window: '2m' }),
      /^warning: a stolen refresh token stays unnoticed for this long/,
    ],
    [client({ ...code, grant_types: ['authorization_code', 'refresh_token'], retry_window: '1m' })],
  ],
  'JWTs that would be extended': [
    [
      top({ tokens: { access: { format: 'jwt' }, refresh: { access_token: 'extend' } } }),
      /^error: `extend` cannot make a JWT last longer/,
    ],
    [
      (config) => {
        top({ tokens: { refresh: { access_token: 'extend' } } })(config);
        client({ ...code, grant_types: ['authorization_code', 'refresh_token'], access_token_format: 'jwt' })(config);
      },
      /^error: `extend` cannot make a JWT last longer.*`tokens.refresh.access_token`/,
    ],
    [
      (config) => {
        top({ tokens: { refresh: { access_token: 'extend' } } })(config);
        client({ access_token_format: 'jwt' })(config);
      },
    ],
  ],
  'claims of access tokens': [
    [top({ tokens: { access: { claims: { iss: 'user.a' } } } }), /`iss` already has a meaning/],
    [top({ tokens: { access: { claims: { gid: 'user.a', app_id: 'client.a' } } } }), /`gid`/, /`app_id`/],
    [top({ tokens: { access: { claims: { tenant: 'users.tenant' } } } }), /is not `user.NAME` or `client.NAME`/],
    [top({ tokens: { access: { claims: { tenant: 'tenant' } } } }), /is not `user.NAME`/],
    [
      (config) => {
        users({ ...alice, claims: { tenant: 'acme' } })(config);
        top({ tokens: { access: { claims: { tenant: 'user.tenent' } } } })(config);
      },
      /^warning: no user in this file has the claim `tenent`/,
    ],
    [
      (config) => {
        client({ claims: { tenant: 'acme' } })(config);
        top({ tokens: { access: { claims: { tenant: 'client.tenent' } } } })(config);
      },
      /^warning: no client in this file has the claim `tenent`/,
    ],
    [top({ tokens: { access: { claims: { tenant: 'user.tenant', env: 'client.env' } } } })],
  ],
  'client names': [
    [
      (config) => {
        delete config.clients[0].client_id;
      },
      /has no `client_id`/,
    ],
    [client({ app_id: 'store' }), /mean the same, but differ here/],
    [client({ client_id: 'sh\u00f6p' }), /plain ASCII text/],
    [client({ client_id: 's'.repeat(256) }), /at most 255 characters/],
    [client({ client_id: 's'.repeat(255) })],
    [client({ app_id: 'shop' })],
  ],
  'client id twice': [[addClient({ app_id: 'shop', app_secret: secret }), /another client has the id `shop`/]],
  'client secret spellings': [
    [client({ app_secret: secret }), /mean the same, but differ here/],
    [client({ client_secret_sha256: sha256 }), /as text and as a digest/],
    [client({ client_secret: 'line\nof more than 16 bytes' }), /plain ASCII text in one line/],
    [client({ app_secret: 'shop-secret-of-tests' })],
  ],
  'client without secret': [
    [client({ client_secret: undefined }), /`client_credentials` needs a client with a secret/],
    [
      client({ client_secret: undefined, grant_types: [], introspect: true }),
      /`introspect` needs a client with a secret/,
    ],
    [client({ client_secret: undefined, client_secret_sha256: sha256 })],
    [client({ client_secret: undefined, grant_types: [] })],
  ],
  'weak client secret': [[client({ client_secret: 'short' }), /^warning: a secret of less than 16 bytes/]],
  'scope of a client': [
    [client({ scope: 'orders.read orders.raed' }), /`orders.raed` is not in `scopes`/],
    [client({ scope: 'orders.read  x' }), /single spaces/, /`x` is not in `scopes`/],
    [client({ scope: 'orders.read' })],
  ],
  'redirect addresses': [
    [redirect('/callback'), /`\/callback` is not an absolute URI/],
    [redirect('https://app.example.com/#top'), /must not have a fragment/],
    [redirect('https://*.example.com/callback'), /must not have a wildcard/],
    [redirect('https://app.example.com/call back'), /a character that no URI contains/],
    [redirect('https:\\\\app.example.com'), /a character that no URI contains/],
    [redirect('https://app.example.com@evil.example/'), /must not have a username and password/],
    [redirect('http://app.example.com/callback'), /others can read what a browser sends over http/],
    [redirect('https:/callback'), /the address has no host/],
    ...['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'myapp:/callback', 'JavaScript:alert(1)'].map(
      (uri): Case => [redirect(uri), /is not a scheme that a redirect may use/],
    ),
    [
      client({ ...code, redirect_uris: ['https://app.example.com/', 'https://app.example.com/'] }),
      /^warning: this address occurs twice/,
    ],
    [redirect('http://127.0.0.1:3000/callback')],
    [redirect('http://[::1]/callback?a=b')],
    [redirect('http://localhost:3000/%7Ealice')],
    [redirect('com.example.app:/callback')],
  ],
  'grant without redirect address': [
    [client({ grant_types: ['authorization_code'] }), /`authorization_code` redirects a browser/],
    [client({ grant_types: ['implicit'] }), /`implicit` redirects a browser/, /^warning: `implicit` is for old/],
    [client(code)],
  ],
  'redirect addresses without use': [
    [client({ redirect_uris: code.redirect_uris }), /^warning: no grant of this client redirects a browser/],
    [
      (config) => {
        top({ session: { enabled: true } })(config);
        client({ redirect_uris: code.redirect_uris, session: true })(config);
      },
    ],
  ],
  'legacy grants': [
    [client({ grant_types: ['password'] }), /^warning: `password` is for old clients only.*RFC 9700 §2\.4/],
    [client({ ...code, grant_types: ['implicit'] }), /^warning: `implicit` is for old.*RFC 9700 §2\.1\.2/],
    [client({ ...code })],
  ],
  'refresh_token without a grant that gives refresh tokens': [
    [
      client({ grant_types: ['client_credentials', 'refresh_token'] }),
      /^warning: no grant of this client gives it a refresh token/,
    ],
    [client({ ...code, grant_types: ['authorization_code', 'refresh_token'] })],
  ],
  'retry window without refresh': [
    [client({ retry_window: '10s' }), /^warning: this client gets no refresh tokens/],
    [client({ ...code, grant_types: ['authorization_code', 'refresh_token'], retry_window: '10s' })],
  ],
  'client without PKCE': [
    [
      client({ ...code, client_secret: undefined, require_pkce: false }),
      /^error: a client without a secret must use PKCE/,
    ],
    [client({ ...code, require_pkce: false }), /^warning: without PKCE/],
    [client({ ...code, client_secret: undefined })],
  ],
  'client of the browserless exchange': [
    [client({ ...code, session: true }), /^warning: the browserless exchange is switched off/],
    [
      client({ ...code, session: true, client_secret: undefined, grant_types: [] }),
      /^error: `session` needs a client with a secret/,
    ],
    [
      (config) => {
        top({ session: { enabled: true } })(config);
        client({ ...code, session: true, client_secret: undefined, client_secret_sha256: sha256 })(config);
      },
    ],
  ],
  'client that gets no code for the browserless exchange': [
    [
      (config) => {
        top({ session: { enabled: true } })(config);
        client({ session: true })(config);
      },
      /^warning: this client cannot get a code to exchange/,
    ],
    [
      (config) => {
        top({ session: { enabled: true } })(config);
        client({ session: true, grant_types: [], redirect_uris: ['com.example.app:/callback'] })(config);
      },
      /^warning: this client cannot get a code to exchange/,
    ],
    [
      (config) => {
        top({ session: { enabled: true } })(config);
        client({ session: true, grant_types: [], redirect_uris: ['http://localhost:5173/'] })(config);
      },
    ],
  ],
  usernames: [
    [users({ ...alice, username: 'ali\u0000ce', subject: 'a' }), /must not contain control or invisible characters/],
    [users({ ...alice, username: ' alice', subject: 'a' }), /must not begin or end with a space/],
    [users({ ...alice, username: 'Alice Ng' })],
  ],
  'username twice': [
    [users(alice, { ...alice, username: 'ALICE', subject: 'b' }), /`ALICE` is the same username as `alice`/],
    [users(alice, alice), /`alice` is the same username as `alice`/],
    [users(alice, { ...alice, username: 'bob' })],
  ],
  'password of a user': [
    [users({ username: 'alice' }), /`alice` has no password/],
    [users({ username: 'alice', password: 'wonderland' }), /requires `development: true`/],
    [users({ ...alice, password: 'wonderland' }), /as text and as a hash/],
    [users({ username: 'alice', password_argon2: 'wonderland' }), /this is not an Argon2id hash/],
    [users({ username: 'alice', password_argon2: '$2b$12$x' }), /`2b` hashes are not supported/],
    [users({ username: 'alice', password_argon2: hash.replace('t=2', 't=1') }), /^warning: a thief of this hash/],
    [
      (config) => {
        users({ username: 'alice', password: 'a\tb' })(config);
        top({ development: true })(config);
      },
      /a control character/,
    ],
    [
      (config) => {
        users({ username: 'alice', password: 'wonderland' })(config);
        top({ development: true })(config);
      },
    ],
    [users(alice)],
  ],
  'subject of a user': [
    [users({ ...alice, username: '\u00e5sa' }), /a subject is ASCII text/],
    [users({ ...alice, subject: 'x'.repeat(256) }), /a subject is ASCII text/],
    [users({ ...alice, username: '\u00e5sa', subject: 'asa' })],
  ],
  'subject twice': [
    [users(alice, { ...alice, username: 'bob', subject: 'alice' }), /another user has the subject `alice`/],
    [users(alice, { ...alice, username: 'bob', subject: 'Alice' })],
  ],
  'subject of a client': [
    [users({ ...alice, username: 'shop' }), /`shop` is the id of a client/],
    [users({ ...alice, username: 'shop', subject: 'u-1' })],
  ],
  'claims of ID tokens': [
    [openid({ claims: { nonce: 'user.nonce' } }), /the service itself writes `nonce`/],
    [openid({ claims: { plan: 'client.plan' } }), /`client.plan` is not `user.NAME`/],
    [openid({ claims: { email: 'user.mail' } })],
  ],
  'lifetime of ID tokens': [
    [openid({ id_token: { ttl: '500ms' } }), /less than a second is useless/],
    [openid({ id_token: { ttl: '1s' } })],
  ],
  'age of a login': [
    [relyingParty({ default_max_age: '0s' }), /no login is recent enough/],
    [relyingParty({ default_max_age: '1s' })],
  ],
  'private addresses of clients': [
    [top({ outbound: { private_addresses: ['10.0.0.0/40'] } }), /`10.0.0.0\/40` is not a CIDR/],
    [top({ outbound: { private_addresses: ['10.0.0.0/8', 'fd00::1'] } })],
  ],
  'openid without a code': [
    [
      relyingParty({ grant_types: ['client_credentials'], redirect_uris: [] }),
      /^warning: a client gets ID tokens only/,
    ],
    [relyingParty({})],
  ],
  'addresses after a logout': [
    [relyingParty({ post_logout_redirect_uris: ['https://app.example.com/#bye'] }), /must not have a fragment/],
    [relyingParty({ post_logout_redirect_uris: ['https://app.example.com/bye?a=b'] })],
  ],
  'back-channel logout': [
    [relyingParty({ backchannel_logout_uri: 'http://app.example.com/logout' }), /others can read and change/],
    [relyingParty({ backchannel_logout_uri: 'https://app.example.com/logout?a=b' })],
  ],
  'sector of a client': [
    [relyingParty({ subject_type: 'pairwise', redirect_uris: twoHosts }), /needs a `sector_identifier_uri`/],
    [
      relyingParty({ subject_type: 'pairwise', redirect_uris: [twoHosts[0], 'com.example.app://app.example.com/cb'] }),
      /needs a `sector_identifier_uri`/,
    ],
    [relyingParty({ subject_type: 'pairwise', redirect_uris: ['com.example.app:/cb', 'http://127.0.0.1/cb'] })],
    [relyingParty({ sector_identifier_uri: 'ftp://app.example.com' }), /not an https URL/],
    [relyingParty({ redirect_uris: twoHosts })],
    [
      relyingParty({
        subject_type: 'pairwise',
        redirect_uris: twoHosts,
        sector_identifier_uri: 'https://app.example.com/uris',
      }),
    ],
  ],
  'signed userinfo for every client': [
    [top({ openid: { userinfo_signed: true } }), /^warning: every client gets a JWT from \/oauth2\/userinfo/],
    [top({ openid: { enabled: true } })],
  ],
  'keys of OpenID Connect without openid': [
    [client({ userinfo_signed_response_alg: 'RS256' }), /^warning: `userinfo_signed_response_alg` has no effect/],
    [client({ subject_type: 'public' }), /^warning: `subject_type` has no effect without `openid: { enabled: true }`/],
    [client({ post_logout_redirect_uris: ['https://app.example.com/bye'] }), /^warning: .* has no effect without/],
    [
      relyingParty({ scope: 'orders.read', subject_type: 'public' }),
      /^warning: `subject_type` has no effect without `openid` in `scope`/,
    ],
    [relyingParty({ scope: 'orders.read', post_logout_redirect_uris: ['https://app.example.com/bye'] })],
    [relyingParty({ subject_type: 'public' })],
    [client({ default_max_age: '1h' })],
  ],
  'variables of the pages': [
    [top({ theme: { css: { '--acent': '#06c' } } }), /the pages have no variable of this name/],
    [top({ theme: { css: { '--accent': 'red; }' } } }), /this is not an opaque color/],
    [top({ theme: { css: { '--accent': '#06c' } } })],
  ],
  'logo of the pages': [
    [top({ theme: { logo: 'logo.gif' } }), /neither an SVG nor a PNG/],
    [top({ theme: { logo: 'missing.svg' } }), /the file missing.svg does not exist/],
  ],
  'addresses of metadata documents': [
    [documents({ allow: ['http://a.example'] }), /^error: `http:\/\/a.example` is not a pattern of URLs/],
    [documents({ allow: ['https://a*.example.com'] }), /is not a pattern/],
    [documents({ allow: ['https://a.*.com'] }), /is not a pattern/],
    [documents({ allow: ['https://a.example/x*'] }), /is not a pattern/],
    [documents({ allow: ['https://a.example/?x'] }), /is not a pattern/],
    [documents({ allow: ['https://u@a.example/'] }), /is not a pattern/],
    [documents({ allow: ['https://'] }), /is not a pattern/],
    [documents({ allow: ['https://*x'] }), /is not a pattern/],
    [documents({ allow: ['*'] }), /is not a pattern/],
    [
      documents({
        allow: [
          'https://*',
          'https://*:8443',
          'https://*/oauth/*',
          'https://*.example.com',
          'https://a.example:8443/x.json',
          'https://[2001:db8::1]/x',
        ],
      }),
    ],
  ],
  'lifetime of metadata documents': [
    [documents({ ttl: '1m' }), /^error: the service keeps a document for at least five minutes/],
    [documents({ ttl: '2h', max_ttl: '1h' }), /^error: `max_ttl` is shorter than `ttl`/],
    [documents({ timeout: '2m' }), /^error: this time must be from 100ms to 1m/],
    [documents({ timeout: '0s' }), /^error: this time must be from 100ms to 1m/],
    [documents({ ttl: '5m', max_ttl: '5m', timeout: '1m' })],
  ],
  'size of metadata documents': [
    [documents({ size: '1MiB' }), /^error: this limit must be from 1KiB to 64KiB/],
    [documents({ size: '1B' }), /^error: this limit must be from 1KiB/],
    [documents({ size: '64KiB' })],
  ],
  'private addresses of metadata documents': [
    [documents({ private_addresses: 'outbound' }), /^warning: `outbound.private_addresses` is empty/],
    [
      (config) => {
        documents({ private_addresses: 'outbound' })(config);
        config.outbound = { private_addresses: ['10.0.0.0/8'] };
      },
      /^warning: strangers can make the service send requests/,
    ],
    [top({ registration: { cimd: { private_addresses: 'outbound' } } })],
  ],
  'scope of clients that register themselves': [
    [
      documents({ scope: undefined }),
      /^warning: without `scope`, clients that register themselves can request no scope/,
    ],
    [
      registering({ scope: undefined }),
      /^warning: without `scope`, clients that register themselves can request no scope/,
    ],
    [documents({ scope: 'orders.write' }), /^error: `orders.write` is not in `scopes`/],
    [registering({ scope: 'orders.read openid' }), /^error: `openid` is not in `scopes`/],
    [registering({ scope: 'orders.read clients.register' }), /^error: a client that registers itself must not have/],
    [documents({})],
    [registering({})],
  ],
  'initial access tokens': [
    [
      top({ registration: { dynamic: { enabled: true, scope: 'orders.read' } } }),
      /^error: no client can get an initial access token: `scopes` has no `clients.register`/,
    ],
    [registering({ initial_access_token: 'none' }), /^warning: anyone may register a client/],
    [top({ registration: { dynamic: { initial_access_token: 'none' } } })],
  ],
  'unused registrations': [
    [registering({ ttl_unused: '5m' }), /^error: a client that is removed so soon/],
    [registering({ ttl_unused: '1h' })],
  ],
  'window of registrations': [
    [registering({ per_address: { per: '2d' } }), /^error: a window of more than a day/],
    [registering({ per_address: { requests: 1, per: '1d' } })],
  ],
  'authorities of clients': [
    [top({ outbound: { tls: { ca: 'nowhere.pem' } } }), /^error: .*nowhere\.pem/],
    [top({ outbound: { tls: { ca: tlsFile('authority.crt') } } })],
  ],
  'authentication method of a client': [
    [client({ token_endpoint_auth_method: 'none' }), /^error: a client with `none` must not have a secret/],
    [client({ token_endpoint_auth_method: 'client_secret_post' })],
    [
      client({ ...code, client_secret: undefined, token_endpoint_auth_method: 'client_secret_basic' }),
      /^error: `client_secret_basic` needs a secret/,
    ],
    [
      client({ token_endpoint_auth_method: 'private_key_jwt', jwks: publicKeys }),
      /^error: a client with `private_key_jwt` must not have a secret/,
    ],
    [client({ ...code, client_secret: undefined, token_endpoint_auth_method: 'none' })],
    [signing({ jwks: publicKeys })],
  ],
  'keys of a client': [
    [client({ jwks: publicKeys }), /^warning: `jwks` has no effect without `private_key_jwt`/],
    [client({ jwks_uri: 'https://a.example/' }), /^warning: `jwks_uri` has no effect/],
    [signing({}), /^error: `private_key_jwt` needs either/],
    [signing({ jwks: publicKeys, jwks_uri: 'https://a.example/' }), /^error: `private_key_jwt` needs either/],
    [signing({ jwks_uri: 'http://a.example/' }), /others can read and change http traffic/],
    [signing({ jwks_uri: 'https://a.example/' })],
  ],
  'key set of a client': [
    [signing({ jwks: [] }), /^error: a JWK Set needs a list of `keys`/],
    [signing({ jwks: { keys: [] } }), /^error: a JWK Set needs a list/],
    [signing({ jwks: { keys: [1] } }), /^error: each key needs a `kty`/],
    [signing({ jwks: { keys: [{ kty: 'EC', d: 'x' }] } }), /^error: each key here must be public/],
    [signing({ jwks: { keys: [{ kty: 'oct', k: 'x' }] } }), /^error: each key here must be public/],
  ],
  'addresses of receivers': [
    [receivers({ url: 'http://crm.example.com/events' }), /others can read and change/],
    [receivers({ url: 'https://user:password@crm.example.com/' }), /must not have a username/],
    [receivers({ url: 'crm.example.com' }), /not an https URL/],
    [receivers({ url: 'http://127.0.0.1:8090/security-events/main' })],
    [receivers({})],
  ],
  'names of receivers': [
    [receivers({}, {}), /^error: the id `crm` is also the id of the receiver at /],
    [receivers({}, { id: 'mail' })],
  ],
  'credentials of receivers': [
    [receivers({ authorization: 'Bearer a\nb' }), /^error: a header cannot have this value/],
    [receivers({ authorization: ' Bearer a' }), /^error: a header cannot have this value/],
    [receivers({ authorization: 'Bearer a' })],
  ],
  'events of receivers': [
    [receivers({ events: [] }), /^error: the receiver would get no event/],
    [receivers({ events: ['session-revoked'] })],
  ],
  '`events` and `keys` of a client without a secret': [
    [signing({ jwks: publicKeys, events: true }), /^error: `events` needs a client that has a secret/],
    [signing({ jwks: publicKeys, introspect: true })],
  ],
};

t.test('every rule of authorization.yaml has its cases here', async (t) => {
  t.strictSame(Object.keys(cases).sort(), Object.keys(authorizationChecks).sort());
});

t.test('the file that the cases change is valid', async (t) => {
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
