import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { gatewayChecks } from '../../../src/config/rules/gateway.ts';
import { digestLines, userFile } from '../../support/user-files.ts';
import { gatewayProblems, type Loose } from '../base-config.ts';

type Case = readonly [change: (config: Loose) => void, ...expected: RegExp[]];

const route = (more: object) => (config: Loose) => Object.assign(config.routes[0], more);
const match = (more: object) => (config: Loose) => Object.assign(config.routes[0].match, more);
const server = (more: object) => (config: Loose) => Object.assign(config.authorization_servers.main, more);
const upstream = (more: object) => (config: Loose) => Object.assign(config.upstreams.orders, more);
const severalUrls =
  (more: object, ...urls: readonly string[]) =>
  (config: Loose) =>
    (config.upstreams.orders = { ...(urls.length > 0 && { urls }), ...more });
const towards = (digest: object, url = 'http://127.0.0.1:9000') =>
  upstream({ url, credentials: { digest: { username: 'a', password: 'c', ...digest } } });
const top = (more: object) => (config: Loose) => Object.assign(config, more);
const implying = (rules: Readonly<Record<string, readonly string[]>>) =>
  top({ scopes: Object.fromEntries(Object.entries(rules).map(([name, implies]) => [name, { implies }])) });
const chain = (length: number) =>
  Object.fromEntries(Array.from({ length }, (_, at) => [`s${at}`, [at === 0 ? 'orders.read' : `s${at - 1}`]]));
const NO_ROUTE = /^warning: no route requires `orders.raed`, so this has no effect$/;
const addRoute = (added: object) => (config: Loose) => config.routes.push(added);
const test = (more: object) => top({ tests: [{ request: 'GET /orders/7', expect: { refuse: 401 }, ...more }] });
const identity = (more: object) => (config: Loose) => (config.defaults.identity_headers = more);

const limit = (more: object) => route({ rate_limit: { by: 'client_id', requests: 1, per: '1m', ...more } });
const publicLimit = (by: string) => (config: Loose) =>
  (config.routes[0] = { match: { path: '/open' }, access: 'public', rate_limit: { by, requests: 1, per: '1m' } });

const packageFile = fileURLToPath(new URL('../../../package.json', import.meta.url));
const file = (name: string) => fileURLToPath(new URL(`../../vectors/tls/${name}`, import.meta.url));
const sound = { cert: file('server.crt'), key: file('server.key') };
const tls = (more: object) => top({ listen: { host: '127.0.0.1', port: 8443, tls: { ...sound, ...more } } });
const pass = (passes: object) => top({ health: { listen: '127.0.0.1:9900', pass: passes } });

/** The server has a client that may follow its feed. */
const admin = (more: object) =>
  both(top({ admin: { listen: '127.0.0.1:9901', ...more } }), (config) =>
    Object.assign(config.authorization_servers.main, { client_id: 'gateway', client_secret: 'x'.repeat(20) }),
  );
const byServer = { authorization_server: 'main' };
/** A password of bcrypt. */
const byUsers = () => ({ basic: { users: userFile(t, `alice:$2y$05$${'a'.repeat(53)}\n`) } });

const anyone = { audience: undefined };
const hmac = { algorithms: ['HS256'], secret: 'x'.repeat(32) };
const other = {
  issuer: 'https://other.example.com',
  audience: 'https://api.example.com',
  client_id: 'gateway',
  client_secret: 'y'.repeat(20),
};
const asking = { client_id: 'gateway', client_secret: 'x'.repeat(20) };

const keyed = { client_id: 'gateway', introspection_endpoint_auth_method: 'private_key_jwt' };

const both =
  (...changes: readonly Case[0][]): Case[0] =>
  (config) => {
    for (const change of changes) change(config);
  };
const severalWorkers = (workers: number | 'auto', algorithms: readonly string[]) =>
  both(top({ workers }), (config) => {
    const users = userFile(t, digestLines('alice', 'api', 'wonderland'));
    config.routes[0] = {
      match: { path: '/m' },
      auth: 'digest',
      digest: { realm: 'api', users, algorithms },
      access: 'authenticated',
    };
  });

const asked = (more: object = {}) =>
  top({ decision: { listen: '127.0.0.1:8082', ...more }, trusted_proxies: ['127.0.0.1'] });
const digestOf = (qop: readonly string[]) => (config: Loose) => {
  const users = userFile(t, digestLines('alice', 'api', 'wonderland'));
  const digest = { realm: 'api', users, qop };
  config.routes[0] = { match: { path: '/m' }, auth: 'digest', digest, access: 'authenticated' };
};

const heard = (more: object = {}) => top({ receiver: { listen: '127.0.0.1:8090', file: 'received.jsonl', ...more } });
const logout = { audiences: ['shop'] };
const pushed = { audiences: ['https://gateway.example.com'], push: { authorization: 'Bearer x' } };

const twoServers = (first: object, second: object) => (config: Loose) => {
  Object.assign(config.authorization_servers.main, asking, first);
  config.authorization_servers.other = { ...other, ...second };
};

const names = ['first', 'second', 'third'];
/** Routes of one SOAP service, by default each for its own operation. */
const soap =
  (...routes: readonly { scope: string; claims?: object; path?: string; soap_action?: undefined }[]) =>
  (config: Loose) => {
    config.routes = routes.map(({ path = '/service', soap_action, ...more }, index) => ({
      id: names[index],
      match: {
        path,
        methods: ['POST'],
        ...(!('soap_action' in (routes[index] ?? {})) && { soap_action: `urn:${index}` }),
      },
      ...more,
    }));
  };

const passwords = userFile(t, 'alice:{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=\n');
const badPasswords = userFile(t, 'alice:secret\nbob\n');
const hashes = userFile(t, digestLines('alice', 'r', 'wonderland'));
const md5Hashes = userFile(
  t,
  digestLines('bob', 'r', 'wonderland', ['MD5']) +
    digestLines('alice', 'r', 'wonderland') +
    digestLines('eve', 'r', 'x', ['MD5']),
);
const badHashes = userFile(t, 'alice:r:xyz\n');
const groupWrites = userFile(t, 'alice:{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=\n');
chmodSync(groupWrites, 0o660);
const basic = (more: object = {}, beside: object = {}) =>
  route({ auth: 'basic', basic: { users: passwords, ...more }, ...beside });
const digest = (more: object = {}, beside: object = {}) =>
  route({ auth: 'digest', digest: { realm: 'r', users: hashes, ...more }, ...beside });
const keyFile = userFile(t, 'a sha256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA a - orders.raed\n');
const shortKeys = userFile(t, 'old-1 hmac:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA a -\n');
const badKeys = userFile(t, '# meters\nghk_secret\n');
const apiKey = (more: object = {}) => route({ auth: 'api_key', api_key: { keys: keyFile, ...more } });
const whole = (beside: object) => digest({ qop: ['auth', 'auth-int'] }, beside);
const open = (more: object) => (config: Loose) => {
  basic()(config);
  top({ listen: '0.0.0.0:8080', ...more })(config);
};
const key = Buffer.alloc(32, 1).toString('base64');

/** For every rule: files that break it with the message, and files that do not (no message expected). */
const tools =
  (mcp: object, more: object = {}) =>
  (config: Loose) =>
    (config.routes[0] = { match: { path: '/mcp', host: 'tools.example.com' }, access: 'authenticated', mcp, ...more });

const cases: Record<string, readonly Case[]> = {
  listeners: [
    [top({ listen: '127.0.0.1:8080', health: '127.0.0.1:8080' }), /^error: the same address as `listen`/],
    [top({ listen: '127.0.0.1:8080', health: '0.0.0.0:8080' }), /^error: the same address as `listen`/],
    [
      both(asked({ listen: '0.0.0.0:8080' }), top({ listen: '127.0.0.1:8080' })),
      /^error: the same address as `listen`/,
    ],
    [top({ admin: '10.0.0.1:9901' }), /^warning: other machines can reach the admin listener/],
    [top({ listen: '127.0.0.1:0', health: '127.0.0.1:0', admin: '[::1]:9901' })],
    [top({ listen: '127.0.0.1:8080', health: '127.0.0.2:8080' })],
  ],
  'files of TLS for operators': [
    [admin({ tls: { ...sound, cert: 'absent.crt' } }), /the file absent.crt does not exist/],
    [admin({ tls: { ...sound, key: file('client.key') } }), /client.key is not the key of the certificate/],
    [admin({ tls: sound })],
  ],
  'console for everyone': [
    [
      admin({ listen: '10.0.0.1:9901', console: true }),
      /^warning: other machines can reach/,
      /^error: with `access: loopback`, everyone on the network could use the console/,
    ],
    [admin({ listen: '0.0.0.0:9901' }), /^warning: other machines can reach/],
    [admin({ url: 'https://ops.example.com' }), /^error: with `access: loopback`, everyone on the network/],
    [admin({ url: 'http://localhost:9901' })],
    [admin({ listen: '10.0.0.1:9901', url: 'https://ops.example.com', console: true, access: byServer })],
  ],
  'address of the console': [
    [admin({ listen: '10.0.0.1:9901', access: byServer }), /^error: without `url`, the server does not know where/],
    [admin({ listen: '127.0.0.1:9901', access: byServer })],
    [admin({ listen: '10.0.0.1:9901', access: byServer, url: 'ops.example.com' }), /^error: not an origin$/],
    [admin({ access: byServer, url: 'https://ops.example.com/console' }), /^error: not an origin$/],
    [admin({ access: byServer, url: 'https://me:secret@ops.example.com' }), /^error: not an origin$/],
    [admin({ access: byServer, url: 'http://ops.example.com' }), /^error: others can read and change http traffic/],
    [admin({ access: byServer, tls: sound, url: 'http://localhost:9901' }), /^error: the listener has TLS, and this/],
    [admin({ listen: '10.0.0.1:9901', access: byServer, url: 'https://localhost' }), /^error: .* has the address 10.0/],
    [
      admin({ access: byServer, url: 'http://localhost:9902' }),
      /^error: the listener has the port 9901, and this.*9902/,
    ],
    [admin({ access: byServer, tls: sound, url: 'https://localhost' }), /^error: the listener has the port 9901.*443/],
    [admin({ access: byServer, url: 'https://localhost' })],
    [admin({ listen: '127.0.0.1:0', access: byServer, url: 'http://localhost:9902' })],
    [admin({ listen: '0.0.0.0:9901', access: byServer, url: 'http://localhost:19901' })],
  ],
  'other gateways of the console': [
    [admin({ replicas: [{ url: 'https://10.0.0.7:9901', username: 'console', password: 'a' }] })],
    [admin({ replicas: [{ url: 'http://127.0.0.1:9902' }] })],
    [admin({ replicas: [{ url: 'http://10.0.0.7:9901' }] }), /^error: others can read http traffic between machines$/],
    [admin({ replicas: [{ url: 'https://10.0.0.7:9901/console' }] }), /^error: not an origin$/],
    [admin({ replicas: [{ url: 'https://a:b@10.0.0.7:9901' }] }), /^error: not an origin$/],
    [admin({ replicas: [{ url: 'https://10.0.0.7:9901', password: 'a' }] }), /^error: `username` is missing$/],
    [
      admin({ replicas: [{ url: 'https://10.0.0.7:9901', username: 'a:b', password: 'a' }] }),
      /^error: a username for Basic must not contain a colon/,
    ],
    [admin({ replicas: [{ url: 'https://10.0.0.7:9901', tls: { ca: file('authority.crt') } }] })],
    [
      admin({ replicas: [{ url: 'https://10.0.0.7:9901', tls: { ca: 'absent.crt' } }] }),
      /^error: the file absent.crt does not exist/,
    ],
    [
      admin({ replicas: [{ url: 'http://127.0.0.1:9902', tls: { ca: file('authority.crt') } }] }),
      /^error: `tls` has no effect: `url` is an http address$/,
    ],
    [
      admin({ console: false, replicas: [{ url: 'http://127.0.0.1:9902' }] }),
      /^error: only the console shows the decisions of `replicas`, and the console is off$/,
    ],
    [admin({ console: false, replicas: [] })],
  ],
  'server of the console': [
    [admin({ access: { authorization_server: 'mian' } }), /^error: there is no authorization server `mian`$/],
  ],
  'client of the console': [
    [
      top({ admin: { listen: '127.0.0.1:9901', access: { authorization_server: 'main' } } }),
      /^error: the console has no client at `main`$/,
      /^warning: the gateway follows no revocation feed of `main`/,
    ],
    [
      admin({ access: { authorization_server: 'main', client_secret: 'x'.repeat(20) } }),
      /^error: .*belongs to no client/,
    ],
    [admin({ access: { ...byServer, client_id: 'console' } })],
  ],
  'scope of the console': [[admin({ access: { ...byServer, scope: 'a"b' } }), /^error: .*scope/]],
  'revocation feed for sessions of the console': [
    [
      both(admin({ access: byServer }), server({ events: 'none' })),
      /^warning: the gateway follows no revocation feed of `main`, so a session ends only when its token expires$/,
    ],
    [
      admin({ access: { authorization_server: 'main', scope: 'openid profile' } }),
      /^error: every user of the server can get this scope, so every user may use/,
    ],
    [admin({ access: { authorization_server: 'main', scope: 'openid', users: ['alice'] } })],
  ],
  'passwords for the console': [
    [admin({ listen: '10.0.0.1:9901', access: byUsers() }), /^error: passwords would pass in plain text/],
    [admin({ listen: '10.0.0.1:9901', access: byUsers(), tls: sound, console: true })],
    [admin({ access: byUsers() })],
  ],
  'users of the console': [
    [admin({ access: { basic: { users: 'absent.htpasswd' } } }), /^error: the file absent.htpasswd does not exist/],
    [admin({ access: { basic: { users: userFile(t, 'alice') } } }), /^error: /],
  ],
  'files of TLS': [
    [tls({ cert: 'absent.crt' }), /the file absent.crt does not exist/],
    [tls({ cert: file('server.key') }), /has no usable certificate/],
    [tls({ key: file('server.crt') }), /has no usable private key/],
    [tls({ key: file('client.key') }), /is not the key of the certificate/],
    [tls({ client_auth: 'required', client_ca: 'absent.crt' }), /the file absent.crt does not exist/],
    [tls({ client_auth: 'required', client_ca: file('server.key') }), /has no usable certificate/],
    [tls({ client_auth: 'required', client_ca: file('authority.crt') })],
  ],
  'certificates of clients': [
    [tls({ client_ca: file('authority.crt') }), /the gateway requests no certificate from clients/],
    [tls({ client_auth: 'optional' }), /`optional` needs `client_ca`/],
    [tls({})],
  ],
  'HTTP/2 with clients': [
    [
      top({ listen: { host: '127.0.0.1', port: 8080, http2: true } }),
      /^error: clients choose HTTP\/2 during the TLS handshake/,
    ],
    [top({ listen: { host: '127.0.0.1', port: 8080, http2: false } })],
    [top({ listen: { host: '127.0.0.1', port: 8080, tls: sound, http2: true } })],
  ],
  'health passes': [
    [pass({ '/metrics': { upstream: 'orders', path: '/' } }), /`\/metrics` cannot be forwarded to an upstream/],
    [pass({ '/a?b': { upstream: 'orders', path: '/' } }), /cannot be forwarded to an upstream/],
    [pass({ '/ready': { upstream: 'orders', path: '../x' } }), /is not a path/],
    [pass({ '/ready': { upstream: 'other', path: '/x' } }), /no upstream `other`/],
    [pass({ '/app/ready': { upstream: 'orders', path: '/healthz' } })],
  ],
  'path pattern': [
    [match({ path: 'orders' }), /a path begins with `\/`/],
    [match({ path: '/a//b' }), /two slashes in a row/],
    [match({ path: '/{a*}/b' }), /matches the rest of the path/],
  ],
  'path parameter never matches': [
    [match({ path: '/a;v=1' }), /can never match/],
    [
      (config) => {
        match({ path: '/a;v=1' })(config);
        route({ path_parameters: 'keep' })(config);
      },
    ],
  ],
  method: [
    [match({ methods: ['get'] }), /^error: `get` is not a method/],
    [match({ methods: ['GET HEAD'] }), /^error: `GET HEAD` is not a method/],
    [match({ methods: ['CONNECT'] }), /^error: CONNECT requests a tunnel/],
    [match({ methods: ['GET', 'GET'] }), /^error: `GET` occurs twice/],
    [match({ methods: ['GTE'] }), /^warning: `GTE` is an unusual method/],
    [match({ methods: ['PROPFIND', 'M-SEARCH'] })],
  ],
  host: [
    [match({ host: 'https://api.example.com' }), /is not a host/],
    [match({ host: 'api..example.com' }), /is not a host/],
    [match({ host: 'API.example.com.:8443' })],
  ],
  'capture of a claim': [
    [route({ claims: { tenant: { equals: 'host.tenant' } } }), /captures no `host.tenant`/],
    [route({ claims: { owner: { one_of: ['path.ID'] } } }), /captures no `path.ID`/],
    [route({ claims: { owner: { equals: 'path.id' }, tenant: { one_of: ['acme', 7] } } })],
  ],
  expression: [
    [route({ when: 'request.method ==' }), /this is not a condition/],
    [route({ when: '1 + 1' }), /gives a value of type int, not true or false/],
    [route({ when: 'user.name == "x"' }), /this is not a condition/],
    [route({ when: 'request.headers["x-env"] == identity.claims.env' })],
  ],
  'path that does not begin with strip_prefix': [
    [route({ rewrite: { strip_prefix: '/order' } }), /does not begin with `\/order`/],
    [route({ rewrite: { strip_prefix: '/orders/{id}' } }), /a prefix is plain text/],
    [route({ rewrite: { add_prefix: 'v1' } }), /a path begins with `\/`/],
    [route({ rewrite: { strip_prefix: '/orders', add_prefix: '/v1' } })],
    [route({ rewrite: { strip_prefix: '/orders/' } })],
  ],
  'condition header': [
    [match({ headers: { 'x y': '1' } }), /is not a header name/],
    [match({ headers: { Host: 'a' } }), /cannot choose a route/],
    [match({ headers: { 'X-Version': '2' } })],
  ],
  'soap_action with methods other than POST': [
    [match({ soap_action: 'urn:Get' }), /^warning: SOAP uses POST/, /does not protect other operations/],
    [match({ soap_action: 'urn:Get', methods: ['POST'] }), /does not protect other operations/],
  ],
  'trusted proxies': [
    [top({ trusted_proxies: ['10.0.0.0/33', 'proxy'] }), /is not a CIDR/, /is not a CIDR/],
    [top({ trusted_proxies: ['0.0.0.0/0'] }), /^warning: .* trusts every address/],
    [top({ trusted_proxies: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1'] })],
  ],
  'resource identifier': [
    [top({ resource: 'api.example.com' }), /is not a resource identifier/],
    [route({ resource: 'https://api.example.com/#a' }), /is not a resource identifier/],
    [top({ resource: 'https://api.example.com' })],
  ],
  'ticket keys': [
    [top({ ticket_keys: ['c2hvcnQ=', 'no base64!'] }), /the key has 5 bytes; it needs 32/, /not base64/],
    [top({ ticket_keys: [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64url')] })],
  ],
  'nonce keys': [
    [top({ nonce_keys: ['c2hvcnQ=', 'no base64!'] }), /the key has 5 bytes; it needs 32/, /not base64/],
    [top({ nonce_keys: [key] })],
  ],
  'schemes of a route': [
    [route({ auth: { any_of: ['bearer', 'bearer'] } }), /`bearer` occurs twice/],
    [basic({}, { auth: { any_of: ['bearer', 'basic'] } })],
  ],
  'block of a scheme': [
    [route({ auth: 'basic' }), /`basic` needs a `basic:` block in the route/],
    [digest({}, { auth: 'bearer' }), /the route does not accept `digest`/],
    [basic({}, { auth: undefined }), /the route does not accept `basic`/],
    [digest()],
  ],
  'realm of a scheme': [
    [
      digest({ realm: 'a:b' }),
      /a realm of Digest must not contain a colon/,
      /^warning: no line of .* is for the realm/,
    ],
    [basic({ realm: 'Zähler' }), /a realm must be printable ASCII/],
    [basic({ realm: 'a:b' })],
  ],
  'users of Basic': [
    [basic({ users: 'absent' }), /the file absent does not exist/],
    [basic({ users: badPasswords }), /users:1: the password of `alice`: this is /, /users:2: this is not/],
    [basic({ scopes: { alcie: 'orders.read' } }), /^warning: the file of users has no `alcie`/],
    [basic({ scopes: { alice: 'orders.read' } })],
    [basic({ users: groupWrites }), /^warning: the group of the file .* can write to it/],
    [basic({ users: { storage: 'sqlite:a.db' }, scopes: { alice: 'orders.read' } })],
    [basic({ users: { storage: 'sqlite::memory:' } }), /a database in memory is not shared/],
    [basic({ users: { storage: 'postgres://u@127.0.0.1/db' } })],
    [basic({ users: { storage: 'sqlite:a.db' }, scopes: { Alice: 'orders.read' } }), /no account has the name `Alice`/],
    [basic({ users: { storage: 'sqlite:a.db', encryption_keys: [key] } }), /encryption_keys/],
  ],
  'place of API keys': [
    [apiKey()],
    [apiKey({ name: 'Authorization' }), /`Authorization` already has a meaning/],
    [apiKey({ name: 'X_Forwarded_For' }), /`X_Forwarded_For` already has a meaning/],
    [apiKey({ name: 'X Key' }), /`X Key` is not a header name/],
    [apiKey({ in: 'query', name: 'api_key' })],
    [apiKey({ in: 'query', name: 'access_token' }), /for bearer tokens/],
    [apiKey({ in: 'query', name: 'a&b' }), /letters, digits/],
  ],
  'file of API keys': [
    [apiKey()],
    [apiKey({ keys: { storage: 'sqlite:gatehouse.db' } })],
    [apiKey({ keys: { storage: 'sqlite::memory:' } }), /a database in memory is not shared/],
    [apiKey({ keys: { storage: 'postgres://h.example' } }), /names no database/],
    [apiKey({ keys: 'absent' }), /the file absent does not exist/],
    [apiKey({ keys: badKeys }), /users:2: this is not a line of an API key/],
    [apiKey({ keys: shortKeys }), /`old-1`: these keys are hashed with HMAC, and `hmac_key` is missing/],
    [apiKey({ keys: shortKeys, hmac_key: key }), /^warning: `old-1`: these keys have fewer than 128 bits/],
    [apiKey({ hmac_key: 'c2hvcnQ=' }), /the key has 5 bytes; it needs 32/],
    [
      (config) => {
        apiKey()(config);
        top({ scopes_supported: ['orders.read'] })(config);
      },
      /^warning: `orders.raed` of the key `a` is not in scopes_supported/,
    ],
  ],
  'users of Digest': [
    [digest({ users: badHashes }), /users:1: the hash of `alice` is not a hash of a known algorithm/],
    [digest({ realm: 'R' }), /^warning: no line of .* is for the realm `R`/],
    [digest({ scopes: { bob: 'orders.read' } }), /^warning: the file of users has no `bob`/],
    [
      digest({ users: md5Hashes }),
      /^warning: `bob`, `eve` cannot log in: their hashes have the algorithm MD5, and `algorithms` offers SHA-256$/,
    ],
    [digest({ users: md5Hashes, algorithms: ['SHA-256', 'MD5-sess'] })],
    [digest({ users: { storage: 'sqlite:a.db' } })],
    [digest({ users: { storage: 'postgres://u@127.0.0.1/db' } }), /need `encryption_keys`/],
    [digest({ users: { storage: 'postgres://u@127.0.0.1/db', encryption_keys: [key] } })],
    [digest({ users: { storage: 'sqlite:a.db', encryption_keys: ['c2hvcnQ='] } }), /the key has 5 bytes; it needs 32/],
  ],
  'connections that are secure enough for Basic': [
    [open({}), /^error: no request is secure enough for Basic/],
    [open({ trusted_proxies: ['10.0.0.0/8'] })],
    [open({ listen: { host: '0.0.0.0', port: 8443, tls: sound } })],
    [open({ listen: '127.0.0.1:8080' })],
  ],
  'protection of Digest': [
    [digest({ qop: ['auth-int'] }), /with only `auth-int`, browsers fall back/],
    [digest({ algorithms: ['MD5', 'MD5'], qop: ['auth', 'auth'] }), /`MD5` occurs twice/, /`auth` occurs twice/],
    [digest({ legacy_no_qop: true }), /^error: clients of RFC 2069 support only MD5/],
    [
      digest({ legacy_no_qop: true, algorithms: ['SHA-256', 'MD5'] }),
      /^warning: without qop, an attacker who chooses the nonce/,
    ],
    [digest({ qop: ['auth', 'auth-int'], algorithms: ['SHA-256', 'MD5'] })],
  ],
  'protection of streams': [
    [whole({ timeout: { idle: 'none' } }), /`auth-int` needs the whole body, and this route streams: `idle: none`/],
    [
      (config) => {
        whole({})(config);
        upstream({ timeout: { idle: 'none' } })(config);
      },
      /this route streams: `idle: none`/,
    ],
    [whole({ limits: { body: '5GiB' } }), /this route streams: its `limits.body` is above `auth_int.max_body`/],
    [whole({ limits: { body: 'none' } }), /this route streams: its `limits.body`/],
    [whole({ match: { path: '/ws', headers: { Upgrade: 'websocket' } } }), /streams: `match.headers` has `Upgrade`/],
    [whole({ end_with: 'token' }), /this route streams: `end_with: token`/],
    [whole({ limits: { body: '1MiB' } })],
    [digest({}, { timeout: { idle: 'none' } })],
  ],
  'life of a nonce': [
    [digest({ nonce_ttl: '5s' }), /a nonce must live for at least 10s and at most 1d/],
    [digest({ nonce_ttl: '2d' }), /a nonce must live for at least 10s and at most 1d/],
    [digest({ nonce_ttl: '10s' })],
  ],
  'scopes of users': [
    [basic({ scopes: { alice: 'orders."read"' } }), /scope/],
    [
      (config) => {
        basic({ scopes: { alice: 'orders.raed' } })(config);
        top({ scopes_supported: ['orders.read'] })(config);
      },
      /`orders.raed` is not in scopes_supported/,
    ],
  ],
  'nonces of several gateways': [
    [
      (config) => {
        digest()(config);
        top({ counters: 'redis://127.0.0.1:6379' })(config);
      },
      /must share the keys of their nonces too/,
    ],
    [
      (config) => {
        digest()(config);
        top({ counters: 'redis://127.0.0.1:6379', nonce_keys: [key] })(config);
      },
    ],
  ],
  'who asks in a test': [
    [test({ user: 'alice', token: { scope: 'a' } }), /a request has only one credential/],
    [test({ user: 'alice' })],
  ],
  'origins of other pages': [
    [top({ cors: { origins: ['https://app.example.com/'] } }), /is not an origin/],
    [top({ cors: { origins: ['https://app.example.com', 'http://localhost:3000'] } })],
  ],
  'session keys': [
    [top({ session_keys: ['short'] }), /it needs 32/],
    [top({ session_keys: ['YSBrZXkgZm9yIHNlc3Npb25zLCBleGFtcGxlIG9ubHk='] })],
  ],
  'operation of an mcp rule': [
    [tools({ scope: { 'tools/call ': 'a' } }), /lacks a method, or a name after the space/],
    [tools({ deny: ['a*b'] }), /not at the end of a word/],
    [tools({ scope: { 'tools/*': 'a', 'tools/call delete_*': 'b' }, deny: ['*'] })],
  ],
  'scope of a public mcp route': [
    [tools({ scope: { '*': 'a' } }, { access: 'public' }), /a client without a token passes/],
    [tools({ scope: { '*': 'a' } }, { access: 'optional' }), /a client without a token passes/],
    [tools({ deny: ['ping'] }, { access: 'public' })],
  ],
  'methods of an mcp route': [
    [tools({}, { match: { path: '/mcp', host: 'a.example', methods: ['PUT'] } }), /does not use PUT/],
    [
      tools({}, { match: { path: '/mcp', host: 'a.example', methods: ['GET'] } }),
      /without sessions, no client sends GET/,
    ],
    [tools({ sessions: true }, { match: { path: '/mcp', host: 'a.example', methods: ['POST', 'GET'] } })],
  ],
  'place of a token for an mcp route': [
    [tools({}, { bearer_methods_supported: ['header', 'body'] }), /sends its token in the header only/],
    [tools({}, { bearer_methods_supported: ['header'] })],
  ],
  'claims in headers': [
    [route({ claims_to_params: { 'Mcp-Param-A': 'a' } }), /has no effect without `mcp`/],
    [
      tools({ mirror: 'off' }, { claims_to_params: { 'Mcp-Param-A': 'a' } }),
      /no program behind this route may trust/,
      /could differ from the header/,
    ],
    [tools({}, { access: 'public', claims_to_params: { 'Mcp-Param-A': 'a' } }), /has no token with claims/],
    [tools({}, { claims_to_params: { 'X-A': 'a' } }), /not a header that repeats an argument/],
    [tools({}, { claims_to_params: { 'Mcp-Param-A': 'a' } })],
  ],
  'mcp headers that may differ from the body': [[tools({ mirror: 'off' }), /may differ from the body/]],
  'offline_access as a scope of tools': [[tools({ scope: { '*': 'a offline_access' } }), /gives no access to a tool/]],
  'host that an mcp server does not see': [
    [
      both(tools({}, { match: { path: '/mcp' } }), upstream({ host: 'upstream' })),
      /protection from DNS rebinding has no effect/,
    ],
    [both(tools({ origins: [] }, { match: { path: '/mcp' } }), upstream({ host: 'upstream' }))],
    [tools({}, { match: { path: '/mcp' } })],
    [both(tools({}, { match: { path: '/mcp' } }), upstream({ host: 'preserve' }))],
  ],
  'an mcp route that a proxy asks about': [[both(tools({}), asked()), /`decision` answers 403 for this route/]],
  'origins of a route': [
    [route({ origins: ['https://app.example.com', 'http://localhost:3000', 'null', 'chrome-extension://abcdef'] })],
    [route({ origins: ['HTTPS://App.Example.com'] })],
    [route({ origins: [] })],
    [tools({ origins: ['*'] }), /^error: `\*` would let pages of every origin send requests/],
    [tools({ origins: [] }, { origins: [] }), /the route already has `origins`/],
    [route({ origins: ['*'] }), /^error: `\*` would let pages of every origin send requests/],
    [route({ origins: ['https://app.example.com/'] }), /^error: `https:\/\/app.example.com\/` is not an origin/],
    [route({ origins: ['https://app.example.com:443'] }), /is not an origin/],
    [route({ origins: ['https://*.example.com'] }), /is not an origin/],
    [route({ origins: ['app.example.com'] }), /is not an origin/],
    [route({ origins: ['https://büro.example'] }), /is not an origin/],
    [route({ origins: ['https://a.example', 'https://A.example'] }), /^error: `https:\/\/A.example` occurs twice$/],
  ],
  'any origin with credentials': [
    [top({ cors: { origins: ['*'], credentials: true } }), /with the origin `\*`, pages must not send cookies/],
    [top({ cors: { origins: ['*'] } })],
  ],
  'credential towards an upstream': [
    [upstream({ credentials: { basic: { username: 'a:b', password: 'c' } } }), /must not contain a colon/],
    [upstream({ credentials: { header: { name: 'Content-Length', value: '1' } } }), /not a header name/],
    [upstream({ credentials: { header: { name: 'X-Key', value: 'a\nb' } } }), /control character/],
    [upstream({ credentials: { header: { name: 'Authorization', value: 'Key 1' } } })],
    [upstream({ credentials: { digest: { username: 'a:b', password: 'c' } } }), /Digest must not contain a colon/],
    [
      upstream({ credentials: { digest: { username: 'a\tb', password: 'c' } } }),
      /must not contain a control character/,
    ],
    [upstream({ credentials: { digest: { username: 'a', password: 'c:d' } } })],
  ],
  'Digest towards an upstream': [
    [towards({ algorithms: ['MD5', 'SHA-256', 'MD5'] }), /^error: `MD5` occurs twice/],
    [towards({ qop: ['auth', 'auth'] }), /^error: `auth` occurs twice/],
    [towards({ algorithms: ['MD5', 'MD5-sess'] }, 'http://10.0.0.1'), /^warning: with MD5 over plain http/],
    [towards({ algorithms: ['MD5'] }, 'https://10.0.0.1')],
    [towards({ algorithms: ['MD5'] }, 'http://127.0.0.1:9000')],
    [towards({}, 'http://10.0.0.1')],
  ],
  'shadow without an upstream': [
    [
      (config) => {
        config.mode = 'shadow';
        config.routes[0].upstream = 'orders';
        delete config.defaults.upstream;
      },
      /^warning: even in shadow mode, the gateway refuses requests that match no route/,
    ],
    [top({ mode: 'shadow' })],
  ],
  'equal routes': [
    [addRoute({ match: { path: '/orders/{number}' }, access: 'public' }), /this route is equal to the route in line 1/],
    [addRoute({ match: { path: '/%6Frders/{id}', methods: ['GET', 'PUT'] }, access: 'public' }), /this route is equal/],
    [addRoute({ match: { path: '/orders/{id}', methods: ['PUT'] }, scope: 'x' })],
    [
      (config) => {
        addRoute({ match: { path: '/users:purge' }, scope: 'x' })(config);
        addRoute({ match: { path: '/users%3Apurge' }, scope: 'y' })(config);
      },
      /this route is equal/,
    ],
    [
      (config) => {
        Object.assign(config.upstreams.orders ?? {}, { case_sensitive: false });
        addRoute({ match: { path: '/Orders/{number}', methods: ['GET'] }, access: 'public' })(config);
      },
      /this route is equal/,
    ],
    [addRoute({ match: { path: '/Orders/{number}', methods: ['GET'] }, scope: 'x' })],
    [addRoute({ match: { path: '/orders/{id*}', methods: ['GET'] }, scope: 'orders.read' })],
    [addRoute({ match: { path: '/orders/{id}', methods: ['GET'], host: 'a.example.com' }, scope: 'x' })],
    [
      (config) => {
        match({ host: 'a.example.com' })(config);
        addRoute({ match: { path: '/orders/{id}', methods: ['GET'], host: 'A.example.com.:80' }, scope: 'x' })(config);
      },
      /this route is equal/,
    ],
  ],
  'route id twice': [
    [
      (config) => {
        route({ id: 'a' })(config);
        addRoute({ id: 'a', match: { path: '/x' }, scope: 'x' })(config);
      },
      /another route has the id `a`/,
    ],
    [addRoute({ id: 'GET /orders/{id}', match: { path: '/x' }, scope: 'x' }), /another route has the id/],
  ],
  'upstream of a route': [
    [route({ upstream: 'order' }), /there is no upstream `order`/],
    [
      (config) => {
        delete config.defaults;
      },
      /this route has no upstream/,
    ],
  ],
  'default upstream': [[top({ defaults: { upstream: 'ordres' } }), /there is no upstream `ordres`/]],
  'access or scope': [
    [
      (config) => {
        delete config.routes[0].scope;
      },
      /neither `scope` nor `access`/,
    ],
    [route({ access: 'optional' })],
  ],
  'requirements of a public route': [
    [route({ access: 'public' }), /so `scope` would not be checked/],
    [route({ access: 'public', audience: 'x' }), /`scope`/, /`audience`/],
    [route({ access: 'public', scope: undefined, bearer_methods_supported: ['query'] }), /`bearer_methods_supported`/],
    [route({ access: 'public', scope: undefined })],
  ],
  'scope of a route': [
    [route({ scope: 'a  b' }), /separated by single spaces/],
    [route({ scope: 'a"b' }), /a character that no scope contains/],
    [
      (config) => {
        top({ scopes_supported: ['orders.write'] })(config);
      },
      /`orders.read` is not in scopes_supported/,
    ],
    [
      (config) => {
        top({ scopes_supported: ['a', 'b'] })(config);
        route({ scope: { any_of: ['a b', 'c'] } })(config);
      },
      /`c` is not in scopes_supported/,
    ],
    [
      (config) => {
        top({ scopes_supported: ['a', 'b'] })(config);
        route({ scope: { all_of: ['a', 'b'] } })(config);
      },
    ],
  ],
  'scopes supported': [[top({ scopes_supported: ['orders.read', 'a b'] }), /a character that no scope contains/]],
  'names in scopes': [
    [implying({ 'orders.write': ['orders read'] }), /^error: `orders read` has a space/],
    [implying({ 'orders write': ['orders.read'] }), /^error: `orders write` has a space/],
    [implying({ 'orders"': ['orders.read'] }), /^error: `orders"` has a character that no scope contains/],
    [implying({ 'orders.write': ['orders.read'], admin: ['orders.write'] })],
  ],
  'too many scopes': [
    [implying(chain(1_001)), /^error: `scopes` may have at most 1000 entries$/],
    [implying(chain(1_000))],
  ],
  'scope that implies itself': [
    [implying({ 'orders.read': ['orders.read'] }), /^error: `orders.read` implies itself$/],
    [
      implying({ 'orders.read': ['orders.write'], 'orders.write': ['orders.read'] }),
      /^error: `orders.read` already implies `orders.write` \(line 1\)/,
    ],
    [implying({ a: ['b'], b: ['orders.read', 'c'], c: ['a'] }), /^error: `a` already implies `c`/],
    [implying({ a: ['b', 'orders.read'], b: ['orders.read'] })],
  ],
  'implied scope twice': [
    [implying({ 'orders.write': ['orders.read', 'orders.read'] }), /^error: `orders.read` occurs twice$/],
  ],
  'unknown scope in scopes': [
    [
      both(implying({ 'orders.wirte': ['orders.raed'] }), top({ scopes_supported: ['orders.read', 'orders.write'] })),
      /^error: `orders.wirte` is not in scopes_supported/,
      /^error: `orders.raed` is not in scopes_supported/,
    ],
    [both(implying({ 'orders.write': ['orders.read'] }), top({ scopes_supported: ['orders.read', 'orders.write'] }))],
  ],
  'implied scope that no route requires': [
    [implying({ admin: ['orders.raed'] }), NO_ROUTE],
    [implying({ admin: ['orders.write'], 'orders.write': ['orders.read'] })],
    [both(implying({ admin: ['a'] }), top({ scopes_supported: ['orders.read', 'a', 'admin'] }))],
  ],
  'authorization server of a route': [
    [route({ authorization_servers: ['mian'] }), /there is no authorization server `mian`/],
    [route({ authorization_servers: ['main', 'main'] }), /`main` occurs twice/],
  ],
  'no server can verify tokens': [
    [
      (config) => {
        delete config.authorization_servers;
      },
      /no authorization server could verify/,
    ],
  ],
  issuer: [
    [server({ issuer: 'http://auth.example.com' }), /others can read and change http traffic/],
    [server({ issuer: 'auth.example.com' }), /not an https URL/],
    [server({ issuer: 'https://auth.example.com/?a=1' }), /an issuer must not have a query/],
    [server({ issuer: 'https://auth.example.com/#a' }), /must not have a fragment/],
    [server({ issuer: 'https://me:pw@auth.example.com' }), /must not have a username and password/],
    [server({ issuer: 'http://127.0.0.1:8081' })],
    [
      (config) => {
        server({ issuer: 'http://auth.example.com' })(config);
        top({ development: true })(config);
      },
    ],
  ],
  'issuer twice': [
    [
      (config) => {
        config.authorization_servers.twin = { issuer: 'https://auth.example.com', audience: 'any' };
      },
      /`main` \(line 1\) has the same issuer/,
    ],
  ],
  jwks_uri: [[server({ jwks_uri: 'http://auth.example.com/jwks' }), /others can read and change http traffic/]],
  'two places for keys': [
    [server({ jwks_uri: 'https://auth.example.com/jwks', jwks_file: 'base-config.ts' }), /not from both/, /^warning/],
  ],
  'jwks_file exists and is a key set': [
    [server({ jwks_file: 'keys.json' }), /the file does not exist/],
    [server({ jwks_file: 'base-config.ts' }), /^warning/],
    [server({ jwks_file: '/dev/zero' }), /the file cannot be read: it is a pipe or a device/],
    [server({ jwks_file: '.' }), /the file cannot be read \(EISDIR/],
    [server({ jwks_file: file('server.key') }), /^warning: the file is PEM, so no token can be verified with it/],
    [server({ jwks_file: 'base-config.ts' }), /^warning: the file is not JSON/],
    [server({ jwks_file: packageFile }), /^warning: the file has no list of `keys`/],
  ],
  'authorities of a server': [
    [server({ tls: { ca: 'absent.crt' } }), /^error: the file absent.crt does not exist/],
    [server({ tls: { ca: file('server.key') } }), /^error: the file .* has no usable certificate/],
    [server({ tls: { ca: file('authority.crt') } })],
  ],
  algorithms: [
    [server({ algorithms: [] }), /the list is empty/],
    [server({ algorithms: ['HS256', 'RS256'], secret: 'x'.repeat(32) }), /cannot be mixed/],
    [server({ algorithms: ['HS512'] }), /HS512 needs `secret` or `secret_base64url`/],
    [server({ ...asking, algorithms: ['HS256'], user_key_uri_template: 'https://auth.example.com/keys/{kid}' })],
    [server(hmac)],
  ],
  secret: [
    [server({ ...hmac, secret: 'x'.repeat(31) }), /the secret has 31 bytes/],
    [server({ ...hmac, secret_base64url: 'A'.repeat(43) }), /two forms of one value/],
    [server({ secret: 'x'.repeat(32) }), /is never used/],
    [server({ algorithms: ['HS256'], secret_base64url: 'A+'.repeat(30) }), /not base64url/],
    [server({ algorithms: ['HS256'], secret_base64url: 'A'.repeat(42) }), /the secret has 31 bytes/],
    [server({ algorithms: ['HS256'], secret_base64url: 'A'.repeat(43) })],
  ],
  'typ JWT': [
    [
      server({ ...anyone, typ: ['at+jwt', 'application/jwt'] }),
      /with `application\/jwt` in `typ`, the server needs an `audience`/,
    ],
    [server({ ...anyone, typ: ['absent'] }), /with `absent` in `typ`, the server needs an `audience`/],
    [server({ ...anyone, typ: ['absent'], required_claims: { token_use: ['access'] } })],
    [server({ typ: ['JWT'], audience: 'any' }), /^error: with `JWT` in `typ`, the server needs/],
    [server({ typ: ['JWT'], audience: 'https://api.example.com' })],
  ],
  'required claims': [
    [server({ required_claims: { token_use: [] } }), /the list is empty/],
    [
      server({ ...asking, verify: 'introspection', required_claims: { token_use: ['access'] } }),
      /with `verify: introspection`, the gateway reads no JWT/,
    ],
    [server({ required_claims: { token_use: ['access'], client_id: ['a', 'b'] } })],
  ],
  'no audience': [
    [server({ audience: undefined }), /^warning: without an `audience`, tokens for every other API/],
    [server({ audience: 'any' })],
    [server({ audience: undefined, required_claims: { client_id: ['shop'] } })],
    [both(server({ audience: undefined }), route({ audience: 'https://api.example.com' }))],
  ],
  introspection_endpoint: [
    [
      server({ ...asking, introspection_endpoint: 'http://auth.example.com/i' }),
      /others can read and change http traffic/,
    ],
  ],
  'client for introspection': [
    [server({ client_id: 'gateway' }), /`client_id` needs `client_secret`/],
    [server({ client_secret: 'x'.repeat(20) }), /`client_secret` needs `client_id`/],
    [server({ verify: 'introspection' }), /`introspection` needs `client_id` and `client_secret`/],
    [server({ verify: 'both' }), /`both` needs `client_id` and `client_secret`/],
    [server({ verify: 'jwt' })],
    [server({ ...asking, client_key: file('server.key') }), /`client_key` is never used with `client_secret_basic`/],
    [server(keyed), /`client_id` needs `client_key`/],
    [server({ ...keyed, client_id: undefined, client_key: file('server.key') }), /`client_key` needs `client_id`/],
    [server({ ...keyed, client_secret: 'x'.repeat(20) }), /`client_secret` is never used with `private_key_jwt`/],
    [server({ ...keyed, client_id: undefined, verify: 'both' }), /`both` needs `client_id` and `client_key`/],
  ],
  'client_key for introspection': [
    [server({ ...keyed, client_key: 'absent.key' }), /the file absent.key does not exist/],
    [server({ ...keyed, client_key: file('server.crt') }), /has no usable private key/],
    [server({ ...keyed, client_key: '-----BEGIN PRIVATE KEY-----' }), /is a key, and not a filename/],
    [server({ ...keyed, client_key: file('../keys/small-rsa.key') }), /the key fits no algorithm/],
    [server({ ...keyed, client_key: file('server.key') })],
  ],
  'store to look in': [
    [server({ verify: 'store' }), /^error: `store` needs `storage`/],
    [server({ storage: 'sqlite:a.db' }), /^error: `storage` is never read with `verify: auto`/],
    [server({ verify: 'store', storage: 'sqlite::memory:' }), /^error: a database in memory is not shared/],
    [server({ verify: 'store', storage: 'sqlite:a.db' })],
    [server({ verify: 'store', storage: 'postgres://u@db.example.com' }), /^error: the URL names no database/],
    [server({ verify: 'store', storage: 'postgres://u@db.example.com/g' }), /^warning: without `sslmode`/],
    [server({ verify: 'store', storage: 'postgres://u@db.example.com/g?sslmode=require' })],
    [server({ verify: 'store', storage: 'postgres://u@127.0.0.1/g' })],
  ],
  'endpoint beside a store': [
    [
      server({ verify: 'store', storage: 'sqlite:a.db', introspection_endpoint: 'https://a.example.com/x', ...asking }),
      /the gateway asks no endpoint, so `introspection_endpoint` is never used/,
      /so `client_id` is never used/,
      /so `client_secret` is never used/,
    ],
    [server({ verify: 'store', storage: 'sqlite:a.db', token_prefix: 'at_' })],
  ],
  events: [
    [server({ ...asking, events: 'http://auth.example.com/events' }), /others can read and change http traffic/],
    [server({ ...asking, events: 'auth.example.com/events' }), /not an https URL/],
    [server({ ...asking, events: 'https://auth.example.com/oauth2/events' })],
    [server({ ...asking, events: 'none' })],
  ],
  'client for events': [
    [server({ events: 'https://auth.example.com/events' }), /`events` needs `client_id` and `client_secret`/],
    [server({ events: 'none' })],
  ],
  'silence of a feed': [
    [server({ max_staleness: '14s' }), /from 15s to 1h/],
    [server({ max_staleness: '2h' }), /from 15s to 1h/],
    [server({ max_staleness: '15s' })],
  ],
  'a listener for reports': [
    [server({ backchannel_logout: logout }), /^error: there is no `receiver`/],
    [server({ security_events: pushed }), /^error: there is no `receiver`/],
    [both(heard(), server({ backchannel_logout: logout, security_events: pushed }))],
    [both(heard(), server({ security_events: { audiences: ['a'], poll: { url: 'https://a.example/poll' } } }))],
  ],
  'receiver to which no server reports': [
    [heard(), /^warning: no authorization server reports to this listener/],
    [both(heard(), server({ backchannel_logout: logout }))],
  ],
  'security events without push or poll': [
    [both(heard(), server({ security_events: { audiences: ['a'] } })), /^error: security events need `push` or `poll`/],
    [both(heard(), server({ security_events: pushed }))],
  ],
  'names of security events': [
    [
      both(heard(), server({ security_events: { ...pushed, events: { 'session-revoke': 'none' } } })),
      /^error: no known event is called `session-revoke`$/,
    ],
    [both(heard(), server({ security_events: { ...pushed, events: { 'session-revoked': 'none' } } }))],
  ],
  'two claims that name users': [
    [
      both(heard(), server({ backchannel_logout: logout, security_events: { ...pushed, subject_claim: 'uid' } })),
      /^error: logout tokens name users by `sub`/,
    ],
    [both(heard(), server({ security_events: { ...pushed, subject_claim: 'uid' } }))],
    [both(heard(), server({ backchannel_logout: logout, security_events: { ...pushed, subject_claim: 'sub' } }))],
  ],
  'one source of revocations': [
    [
      both(heard(), server({ ...asking, events: 'https://auth.example.com/events', backchannel_logout: logout })),
      /^error: the server would report revocations twice: by the feed in `events`/,
    ],
    [both(heard(), server({ events: 'none', backchannel_logout: logout }))],
  ],
  'replicas that miss reports': [
    [
      both(
        heard(),
        admin({ console: true, replicas: [{ url: 'http://127.0.0.2:9901' }] }),
        server({ backchannel_logout: logout }),
      ),
      /^error: `admin.replicas` names other replicas \(.*\), and they would not hear of these reports/,
    ],
    [
      both(
        top({ receiver: { listen: '127.0.0.1:8090' }, counters: 'redis://127.0.0.1:6379' }),
        admin({ console: true, replicas: [{ url: 'http://127.0.0.2:9901' }] }),
        server({ backchannel_logout: logout }),
      ),
    ],
  ],
  'one place for received events': [
    [
      both(heard(), top({ counters: 'redis://127.0.0.1:6379' }), server({ backchannel_logout: logout })),
      /^error: received events are in the Redis of `counters`, so they need no file/,
    ],
  ],
  'received events after a restart': [
    [
      both(top({ receiver: { listen: '127.0.0.1:8090' } }), server({ backchannel_logout: logout })),
      /^warning: a restart deletes the received reports/,
    ],
    [
      server({ security_events: { audiences: ['a'], poll: { url: 'https://a.example/poll' } } }),
      /^warning: a restart deletes the received reports/,
    ],
  ],
  'addresses of reports': [
    [
      both(heard(), server({ backchannel_logout: { ...logout, relay_to: 'http://shop.example.com/logout' } })),
      /^error: others can read and change http traffic/,
    ],
    [
      both(heard(), server({ security_events: { audiences: ['a'], poll: { url: 'a.example/poll' } } })),
      /^error: not an https URL/,
    ],
    [
      both(heard(), server({ security_events: { ...pushed, jwks_uri: 'ftp://a.example' } })),
      /^error: not an https URL/,
    ],
  ],
  'secrets of pushed events': [
    [
      both(heard({ listen: '0.0.0.0:8090' }), server({ security_events: pushed })),
      /^warning: other machines can reach this listener without TLS/,
    ],
    [both(heard({ listen: '0.0.0.0:8090' }), server({ backchannel_logout: logout }))],
    [both(heard({ listen: { host: '0.0.0.0', port: 8090, tls: sound } }), server({ security_events: pushed }))],
  ],
  'what a silent feed means': [
    [
      server({ ...asking, events: 'https://auth.example.com/events', on_stale: 'allow' }),
      /^warning: if the feed is silent for more than 60 s, revoked JWTs pass until their `exp`/,
    ],
    [server({ ...asking, events: 'https://auth.example.com/events', on_stale: 'deny' })],
    [server({ on_stale: 'allow' })],
  ],
  'address of keys of users': [
    [server({ ...asking, user_key_uri_template: 'https://auth.example.com/keys' }), /needs `{kid}` exactly once/],
    [
      server({ ...asking, user_key_uri_template: 'https://auth.example.com/{kid}/{sub}' }),
      /needs `{kid}` exactly once/,
    ],
    [
      server({ ...asking, user_key_uri_template: 'http://auth.example.com/{kid}' }),
      /others can read and change http traffic/,
    ],
    [server({ ...asking, user_key_uri_template: 'https://auth.example.com/keys/{kid}' })],
  ],
  'revocations without a feed': [
    [
      server({ user_key_uri_template: 'https://auth.example.com/keys/{kid}' }),
      /^warning: the gateway follows no revocation feed: revoked JWTs pass until their `exp`/,
    ],
    [server({ user_key_uri_template: 'https://auth.example.com/keys/{kid}', events: 'none' })],
    [server({ ...asking, user_key_uri_template: 'https://auth.example.com/keys/{kid}', algorithms: ['HS256'] })],
  ],
  'streams that end with their token': [
    [route({ end_with: 'token', access: 'public', scope: undefined }), /`end_with: token` on a public route/],
    [route({ end_with: 'token' })],
  ],
  'token prefixes of a route': [
    [
      (config) => {
        twoServers({}, {})(config);
        config.authorization_servers.third = {
          issuer: 'https://c.example.com',
          audience: 'any',
          verify: 'store',
          storage: 'sqlite:a.db',
        };
      },
      /an opaque token could belong to `main` or `other`/,
      /an opaque token could belong to `main` or `third`/,
      /an opaque token could belong to `other` or `third`/,
    ],
    [twoServers({}, {}), /an opaque token could belong to `main` or `other`/],
    [twoServers({ token_prefix: 'a_' }, {}), /an opaque token could belong to `main` or `other`/],
    [twoServers({ token_prefix: 'a_' }, { token_prefix: 'a_b_' }), /could also belong to `main`/],
    [twoServers({ token_prefix: 'a_' }, { token_prefix: 'b_' })],
    [twoServers({}, { verify: 'jwt' })],
    [
      (config) => {
        twoServers({}, {})(config);
        route({ authorization_servers: ['other'] })(config);
      },
    ],
  ],
  'url of an upstream': [
    [upstream({ url: 'grpcs://127.0.0.1:9000' }), /does not forward gRPC/],
    [upstream({ url: 'ftp://127.0.0.1' }), /not an http or https URL/],
    [upstream({ url: '127.0.0.1:9000' }), /not an http or https URL/],
    [upstream({ url: 'http://a:b@127.0.0.1' }), /must not have a username and password/],
    [upstream({ url: 'http://127.0.0.1?x' }), /must not have a query or a fragment/],
    [upstream({ url: 'http://127.0.0.1/v1' }), /must not have a path/],
    [upstream({ url: 'http://127.0.0.1:9000/' })],
    [severalUrls({}, 'http://127.0.0.1:9001', 'http://127.0.0.1:9002/v1'), /must not have a path/],
    [severalUrls({}, 'http://127.0.0.1:9001', 'http://127.0.0.1:9001/'), /occurs twice/],
    [severalUrls({}, 'http://127.0.0.1:9001', 'http://127.0.0.1:9002')],
  ],
  'one url or several': [
    [severalUrls({}), /an upstream needs a `url`/],
    [upstream({ urls: ['http://127.0.0.1:9001'] }), /two forms of one setting/],
    [severalUrls({}, 'http://127.0.0.1:9001')],
  ],
  'health of an upstream': [
    [upstream({ health: { path: 'healthz' } }), /is not a path/],
    [upstream({ health: { path: '/a b' } }), /is not a path/],
    [upstream({ health: { path: '/healthz', interval: '10ms' } }), /less than 100ms/],
    [upstream({ health: { path: '/healthz', interval: '30d' } }), /more than 24 days/],
    [upstream({ health: { path: '/healthz?deep=1' } })],
  ],
  'circuit breaker of an upstream': [
    [upstream({ circuit_breaker: { open_for: '0ms' } }), /less than 100ms/],
    [upstream({ circuit_breaker: { open_for: '30d' } }), /more than 24 days/],
    [upstream({ circuit_breaker: {} })],
  ],
  'TLS towards an upstream': [
    [severalUrls({ tls: {} }, 'https://a.internal', 'http://b.internal'), /`tls` is for https urls/],
    [severalUrls({ tls: { cert: sound.cert } }, 'https://a.internal'), /`cert` needs `key`/],
    [severalUrls({ tls: { key: sound.key } }, 'https://a.internal'), /`key` needs `cert`/],
    [severalUrls({ tls: { server_name: '10.0.0.1' } }, 'https://a.internal'), /is not the name of a server/],
    [severalUrls({ tls: { ...sound, server_name: 'orders.internal' } }, 'https://10.0.0.1')],
  ],
  'files of TLS towards an upstream': [
    [severalUrls({ tls: { ca: 'missing.crt' } }, 'https://a.internal'), /missing.crt does not exist/],
    [severalUrls({ tls: { ca: sound.key } }, 'https://a.internal'), /has no usable certificate/],
    [severalUrls({ tls: { cert: sound.cert, key: file('client.key') } }, 'https://a.internal'), /is not the key of/],
    [severalUrls({ tls: { ca: file('authority.crt') } }, 'https://a.internal')],
  ],
  'engine beside HTTP/2': [
    [upstream({ http2: true, engine: 'undici' }), /^warning: with `http2`, the gateway does not use this engine/],
    [upstream({ http2: true })],
    [upstream({ engine: 'undici' })],
  ],
  'host of an upstream': [[upstream({ host: 'a b' }), /is not a host/], [upstream({ host: 'api.internal:8080' })]],
  'identity headers': [
    [identity({ set: { Host: 'sub' } }), /`Host` already has a meaning/],
    [identity({ set: { Content_Length: 'sub' } }), /`Content_Length` already has a meaning/],
    [identity({ set: { 'X Sub': 'sub' } }), /`X Sub` is not a header name/],
    [identity({ set: { 'X-Sub': 'sub', x_sub: 'scope' } }), /`x_sub` occurs in two spellings/],
    [identity({ prefix: 'Co' }), /would lose its `content-length` header/],
    [identity({ prefix: 'X:' }), /cannot begin a header name/],
    [route({ identity_headers: { set: { Authorization: 'sub' } } }), /`Authorization` already has a meaning/],
    [route({ identity_headers: { prefix: 'X-Me-', set: { 'X-Me-Id': 'sub' } } })],
  ],
  'request id header': [
    [top({ request_id: { header: 'Transfer-Encoding' } }), /already has a meaning/],
    [top({ request_id: { header: 'a b' } }), /is not a header name/],
  ],
  counters: [
    [top({ counters: 'memcached://cache' }), /^error: counters are kept in memory or in Redis/],
    [top({ counters: 'redis' }), /^error: counters are kept in memory or in Redis/],
    [top({ counters: 'redis://' }), /^error: counters are kept in memory or in Redis/],
    [top({ counters: 'redis://cache:6379/first' }), /only a database number/],
    [top({ counters: 'redis://cache:6379/1?family=6' }), /only a database number/],
    [top({ counters: 'memory' })],
    [top({ counters: 'redis://cache' })],
    [top({ counters: 'rediss://gateway:word@cache:6380/2' })],
    [top({ counters: { url: 'memcached://cache' } }), /^error: counters are kept in memory or in Redis/],
    [top({ counters: { url: 'redis://cache', tls: { ca: file('authority.crt') } } }), /^error: only `rediss:` has TLS/],
    [top({ counters: { url: 'rediss://cache', tls: { ca: 'nowhere.pem' } } }), /^error: .*nowhere\.pem/],
    [top({ counters: { url: 'rediss://cache', tls: { ca: file('authority.crt') } } })],
    [top({ counters: { url: 'redis://cache' } })],
  ],
  'what a rate limit counts by': [
    [limit({ by: 'client' }), /^error: a rate limit cannot count by `client`/],
    [limit({ by: 'claim:' }), /^error: a rate limit cannot count by `claim:`/],
    [publicLimit('client_id'), /^error: a public route reads no credential, so it has no `client_id`/],
    [publicLimit('claim:tenant'), /^error: a public route reads no credential/],
    [publicLimit('address')],
    [limit({ by: 'claim:realm_access.tenant' })],
    [limit({ by: 'sub' })],
  ],
  'window of a rate limit': [
    [limit({ per: '999ms' }), /^error: a window of less than a second/],
    [limit({ per: '25h' }), /^error: a window of more than a day/],
    [limit({ per: '1s' })],
    [limit({ per: '1d' })],
  ],
  'window of wrong passwords': [
    [top({ login: { window: '0s' } }), /^error: a window of less than a second/],
    [top({ login: { window: '2d' } }), /^error: a window of more than a day/],
    [top({ login: { window: '1s' } })],
  ],
  'longest wait': [
    [top({ limits: { idle: '25d', headers_timeout: '10s' } }), /a wait of more than 24 days/],
    [top({ limits: { body_rate: { over: '600h' } } }), /a wait of more than 24 days/],
    [upstream({ timeout: { response: '365d' } }), /a wait of more than 24 days/],
    [route({ timeout: { idle: '100d' } }), /a wait of more than 24 days/],
    [upstream({ timeout: { idle: 'none', response: '24d' } })],
  ],
  realm: [
    [top({ realm: 'caf\u00e9' }), /plain ASCII text/],
    [top({ realm: 'a\nb' }), /plain ASCII text/],
  ],
  'request of a test': [
    [test({ request: '/orders/7' }), /`\/orders\/7` is not a request/],
    [test({ request: 'GET orders' }), /is not a request/],
    [test({ request: 'GET https://api.example.com/orders/7' })],
  ],
  'header of a test': [
    [test({ headers: { 'x y': '1' } }), /is not a header name/],
    [test({ headers: { x: 'a\nb' } }), /control character/],
    [test({ headers: { Authorization: 'Bearer x' } })],
  ],
  'server of a test': [
    [test({ token: { server: 'mian' } }), /there is no authorization server `mian`/],
    [test({ token: { server: 'main' } })],
  ],
  'route of a test': [
    [test({ expect: { forward: true, route: 'GET /orders' } }), /there is no route `GET \/orders`/],
    [test({ expect: { forward: true, route: 'GET /orders/{id}' } })],
  ],
  'header that a route reads and the upstream does not get': [
    [match({ headers: { 'X-Method-Override': 'PUT' } }), /^warning: the route depends on `X-Method-Override`/],
    [route({ when: 'request.headers["x-original-url"] == "/"' }), /^warning: the route depends on `X-Original-URL`/],
    [both(match({ headers: { 'X-Method-Override': 'PUT' } }), route({ pass_headers: ['X-Method-Override'] }))],
    [
      both(match({ headers: { 'X-HTTP-Method': 'PUT' } }), (config) => {
        config.defaults.pass_headers = ['X-HTTP-Method'];
      }),
    ],
    [match({ headers: { 'X-SSL-Client-Verify': 'SUCCESS' } }), /^warning: the route depends on `x-ssl-client-verify`/],
    [route({ when: 'request.headers.all(name, name != "x-method-override")' })],
  ],
  'certificate headers without a trusted proxy': [
    [route({ pass_headers: ['X-SSL'] }), /^warning: `X-SSL` is accepted only from trusted proxies/],
    [
      (config) => {
        config.defaults.pass_headers = ['X-HTTP-Method', 'Client-Cert'];
      },
      /^warning: `Client-Cert` is accepted only from trusted proxies/,
    ],
    [
      both(route({ pass_headers: ['X-SSL'] }), (config) => {
        config.trusted_proxies = ['10.0.0.0/8'];
      }),
    ],
  ],
  '_method that leads to a stricter route': [
    [
      both(
        addRoute({ match: { path: '/orders/{no}', methods: ['POST'] }, scope: 'orders.write' }),
        addRoute({ id: 'gone', match: { path: '/orders/{key}', methods: ['PUT', 'DELETE'] }, scope: 'admin' }),
        addRoute({ match: { path: '/orders/{key}', methods: ['PATCH'] }, scope: 'other' }),
      ),
      /^warning: `POST \/orders\/\{no\}` .* by a weaker rule than `gone`: if the upstream reads `_method` .* request for `gone`; more routes with this fault: 1$/,
    ],
    [
      both(
        addRoute({ match: { path: '/orders/{rest*}', methods: ['POST'] }, scope: 'read' }),
        addRoute({ id: 'gone', match: { path: '/orders/{id}', methods: ['DELETE'] }, scope: 'admin' }),
      ),
      /`POST \/orders\/\{rest\*\}` .* accepts a POST by a weaker rule than `gone`: .* request for `gone`$/,
    ],
    [
      both(
        addRoute({ match: { path: '/x/{rest*}' }, scope: 'read' }),
        addRoute({ id: 'gone', match: { path: '/x/{id}', methods: ['DELETE', 'GET'] }, scope: 'read admin' }),
        addRoute({ match: { path: '/x/{id}/' }, scope: 'read admin' }),
      ),
    ],
    [
      both(
        addRoute({ match: { path: '/x/{id}', methods: ['POST'], query: { a: '1' } }, scope: 'read' }),
        addRoute({ id: 'all', match: { path: '/x/{rest*}' }, scope: 'admin read' }),
        addRoute({ id: 'gone', match: { path: '/x/{id}' }, scope: 'admin read' }),
      ),
      /`POST \/x\/\{id\} \[a=1\]` .* accepts a POST by a weaker rule than `gone`: .* request for `gone`$/,
    ],
    [
      both(
        (config) => Object.assign(config.upstreams.orders, { case_sensitive: false }),
        addRoute({ match: { path: '/Orders/{no}', methods: ['POST'] }, scope: 'orders.write' }),
        addRoute({ id: 'gone', match: { path: '/orders/{no}', methods: ['DELETE'] }, scope: 'admin' }),
      ),
      /request for `gone`$/,
    ],
    [
      both(
        addRoute({ match: { host: 'a_b.example.com', path: '/x', methods: ['POST'] }, scope: 'read' }),
        addRoute({ match: { host: 'a-b.example.com', path: '/x', methods: ['DELETE'] }, scope: 'admin' }),
      ),
    ],
    [
      both(
        addRoute({ match: { path: '/x', methods: ['POST'] }, scope: 'admin' }),
        addRoute({ match: { path: '/x', methods: ['DELETE'] }, scope: 'admin', audience: 'https://admin.example.com' }),
      ),
      /request for `DELETE \/x`$/,
    ],
    [
      both(
        addRoute({ match: { path: '/x', methods: ['POST'] }, scope: 'read admin' }),
        addRoute({ match: { path: '/x', methods: ['DELETE'] }, scope: 'read' }),
      ),
    ],
    [addRoute({ match: { path: '/orders/{id}', methods: ['POST', 'PUT', 'DELETE'] }, scope: 'orders.write' })],
    [
      both(
        addRoute({ match: { path: '/orders', methods: ['POST'] }, scope: 'orders.write' }),
        addRoute({ match: { path: '/orders/{id}', methods: ['DELETE'] }, scope: 'admin' }),
        addRoute({ match: { path: '/orders/{id}', methods: ['PUT'] }, scope: 'orders.write' }),
      ),
    ],
  ],
  'kept spelling in a route that covers a stricter route': [
    [
      addRoute({ match: { path: '/{rest*}', methods: ['PUT'] }, access: 'public', encoded_slashes: 'keep' }),
      /^warning: if the upstream decodes `%2f`, requests can bypass/,
    ],
    [
      addRoute({ match: { path: '/{a}/{b}/c', methods: ['PUT'] }, access: 'public', path_parameters: 'keep' }),
      /^warning: if the upstream ignores the text after `;`, requests can bypass/,
    ],
    [
      addRoute({ match: { path: '/{rest*}' }, access: 'public', encoded_slashes: 'keep', path_parameters: 'keep' }),
      /each path below this one is public because of/,
      /decodes `%2f` or ignores the text after `;`, requests can bypass/,
    ],
    [
      (config) => {
        route({ match: { path: '/admin/{rest*}' }, scope: 'admin' })(config);
        addRoute({ match: { path: '/{rest*}' }, scope: 'read', path_parameters: 'keep' })(config);
      },
      /^warning: if the upstream ignores the text after `;`, requests can bypass/,
    ],
    [
      (config) => {
        route({ match: { path: '/admin/{rest*}' }, scope: 'admin' })(config);
        addRoute({ match: { path: '/{rest*}' }, scope: 'read admin', encoded_slashes: 'keep' })(config);
      },
    ],
    [
      (config) => {
        route({ match: { path: '/admin/{rest*}', methods: ['POST'] }, scope: 'admin' })(config);
        addRoute({ match: { path: '/{rest*}', methods: ['GET'] }, scope: 'read', encoded_slashes: 'keep' })(config);
      },
    ],
    [
      (config) => {
        route({ match: { host: 'a.example', path: '/admin/{rest*}' }, scope: 'admin' })(config);
        const match = { host: 'b.example', path: '/{rest*}' };
        addRoute({ match, scope: 'read', encoded_slashes: 'keep' })(config);
      },
    ],
    [addRoute({ match: { path: '/files/{rest*}' }, access: 'public', encoded_slashes: 'keep' })],
  ],
  'weaker rule around a path': [
    [
      (config) => {
        match({ headers: { 'x-env': 'prod' } })(config);
        route({ audience: 'https://prod.example.com' })(config);
        addRoute({ match: { path: '/orders/{id}' }, scope: 'orders.read' })(config);
      },
      /^warning: if the conditions are not met, a request for this path is judged by the weaker rule of/,
    ],
    [
      both(
        implying({ 'orders.write': ['orders.read'] }),
        match({ headers: { 'x-env': 'prod' } }),
        addRoute({ match: { path: '/orders/{id}' }, scope: 'orders.write' }),
      ),
    ],
    [
      both(
        implying({ 'orders.write': ['orders.read'] }),
        match({ headers: { 'x-env': 'prod' } }),
        route({ scope: 'orders.write' }),
        addRoute({ match: { path: '/orders/{id}' }, scope: 'orders.read' }),
      ),
      /^warning: if the conditions are not met, a request for this path is judged by the weaker rule of/,
    ],
    [
      both(
        match({ headers: { 'x-env': 'prod' } }),
        route({ origins: ['https://app.example.com'] }),
        addRoute({ match: { path: '/orders/{id}' }, scope: 'orders.read' }),
      ),
      /^warning: if the conditions are not met, a request for this path is judged by the weaker rule of/,
    ],
    [
      addRoute({ match: { path: '/orders/{rest*}' }, access: 'public' }),
      /^warning: each path below this one is public because of/,
    ],
    [
      addRoute({ match: { path: '/{rest*}', methods: ['GET'] }, access: 'public' }),
      /^warning: each path below this one/,
    ],
    [
      (config) => {
        match({ headers: { 'x-env': 'prod' } })(config);
        addRoute({ match: { path: '/orders/{id}' }, access: 'public' })(config);
      },
      /^warning: if the conditions are not met, a request for this path is public because of/,
    ],
    [addRoute({ match: { path: '/orders/{rest*}', methods: ['POST'] }, access: 'public' })],
    [
      addRoute({ match: { path: '/orders/{rest*}' }, access: 'authenticated' }),
      /^warning: the path that differs only in the final slash is judged by the weaker rule of/,
    ],
    [addRoute({ match: { path: '/{rest*}' }, scope: 'read' }), /in the final slash is judged by the weaker/],
    [addRoute({ match: { path: '/{rest*}' }, access: 'optional' }), /in the final slash is judged by/],
    [
      addRoute({ match: { path: '/orders/{id}/' }, scope: { any_of: ['orders.read', 'admin'] } }),
      /in the final slash is judged by the weaker rule/,
    ],
    [
      addRoute({ match: { path: '/orders/{id}/' }, scope: 'orders.read admin' }),
      /in the final slash is judged by the weaker rule of `GET \/orders\/{id}`/,
    ],
    [addRoute({ match: { path: '/orders/{id}/' }, scope: { all_of: ['orders.read'] } })],
    [addRoute({ match: { path: '/{rest*}', methods: ['PUT'] }, scope: 'read' })],
    [
      (config) => {
        addRoute({ match: { path: '/orders/{id}/' }, scope: 'orders.read' })(config);
        addRoute({ match: { path: '/{rest*}' }, scope: 'read' })(config);
      },
    ],
    [
      (config) => {
        addRoute({ match: { path: '/secret/' }, scope: 'admin' })(config);
        addRoute({ match: { path: '/secret' }, access: 'authenticated' })(config);
      },
      /in the final slash is judged by the weaker rule of `\* \/secret`/,
    ],
    [
      (config) => {
        match({ query: { mode: 'x' } })(config);
        addRoute({ match: { path: '/orders/{id}' }, scope: 'read' })(config);
        addRoute({ match: { path: '/orders/{id}/' }, scope: 'read orders.read' })(config);
      },
      /^warning: if the conditions are not met, a request for this path is judged by the weaker rule of/,
      /^warning: the path that differs only in the final slash is judged by the weaker rule of/,
    ],
    [
      (config) => {
        route({ claims: { tenant: { equals: 'acme' } } })(config);
        addRoute({ match: { path: '/orders/{rest*}' }, scope: 'orders.read' })(config);
      },
      /only in the final slash/,
    ],
    [
      (config) => {
        route({ when: 'request.method == "GET"' })(config);
        addRoute({ match: { path: '/orders/{rest*}' }, scope: 'orders.read' })(config);
      },
      /only in the final slash/,
    ],
    [
      (config) => {
        addRoute({ match: { path: '/orders/{rest*}' }, scope: 'orders.read' })(config);
        addRoute({ match: { path: '/{rest*}' }, access: 'public' })(config);
      },
    ],
  ],
  'scopes of nearly the same name': [
    [addRoute({ match: { path: '/x' }, scope: 'order.read' }), /^warning: `order.read` and `orders.read` are nearly/],
    [addRoute({ match: { path: '/x' }, scope: { any_of: ['a1234 b', 'a1235'] } })],
    [
      implying({ 'order.read': ['orders.read'] }),
      /^warning: `order.read` and `orders.read` are nearly the same scope$/,
    ],
    [
      (config) => {
        addRoute({ match: { path: '/x' }, scope: 'order.read' })(config);
        top({ scopes_supported: ['orders.read', 'order.read'] })(config);
      },
    ],
  ],
  'route that the gateway answers itself': [
    [
      (config) => {
        top({ resource: 'https://api.example.com/v1' })(config);
        addRoute({ match: { path: '/.well-known/oauth-protected-resource/v1' }, access: 'public' })(config);
      },
      /^warning: the gateway answers this path itself/,
    ],
    [addRoute({ match: { path: '/.well-known/oauth-protected-resource' }, access: 'public' })],
  ],
  'SOAP operation that the caller chooses': [
    [soap({ scope: 'orders.read' }, { scope: 'admin' }), /^warning: `second` .* different requirement for this path/],
    [
      soap({ scope: 'a' }, { scope: 'a', claims: { tenant: { equals: 'acme' } } }),
      /`second` \(line 1\) sets a different requirement/,
    ],
    [soap({ scope: 'a' }, { scope: 'b' }, { scope: 'c' }), /`second` \(line 1\) sets a different requirement/],
    [soap({ scope: 'a' }), /^warning: SOAPAction does not protect other operations/],
    [soap({ scope: 'a' }, { scope: 'a' }), /^warning: SOAPAction does not protect other operations/],
    [soap({ scope: 'a' }, { scope: 'b', soap_action: undefined }), /`second` \(line 1\) sets a different requirement/],
    [
      soap({ scope: 'a' }, { scope: 'b', soap_action: undefined, path: '/{rest*}' }),
      /`second` \(line 1\) sets a different requirement/,
    ],
    [soap({ scope: 'a' }, { scope: 'a', soap_action: undefined })],
    [soap({ scope: 'a' }, { scope: 'a' }, { scope: 'a', soap_action: undefined })],
    [
      soap(
        { scope: 'a' },
        { scope: 'a', soap_action: undefined },
        { scope: 'b', soap_action: undefined, path: '/{rest*}' },
      ),
      /in the final slash is judged by the weaker rule of `third`/,
    ],
    [
      soap({ scope: 'a' }, { scope: 'b', path: '/other' }),
      /does not protect other operations/,
      /does not protect other operations/,
    ],
  ],
  'two values for one header of a match': [
    [match({ headers: { 'X-V': '1', 'x-v': '2' } }), /^warning: this can never match/],
    [match({ headers: { 'X-V': '1', 'X-W': '2' } })],
  ],
  'notation of another file format': [
    [route({ match: { path: '/stock/:id' } }), /^warning: this matches only the literal text `:id`/],
    [route({ match: { path: '/v1/stock:refresh' } })],
    [
      route({ scope: 'stock.read, stock.write' }),
      /^warning: `stock.read,` is one scope, because the comma is part of it/,
    ],
    [route({ scope: { any_of: ['stock.read,stock.write'] } }), /^warning: `stock.read,stock.write` is one scope/],
    [route({ scope: 'stock.read stock.write' })],
  ],
  'token in the query': [
    [top({ bearer_methods_supported: ['header', 'query'] }), /^warning: a token in the query/],
    [route({ bearer_methods_supported: ['query'] }), /^warning: a token in the query/],
    [route({ bearer_methods_supported: ['header', 'body'] })],
  ],
  'weak setting of a server': [
    [server({ clock_skew: '6m' }), /^warning: expired tokens are accepted for this long/],
    [server({ cache: { ttl: '1h' } }), /^warning: revoked tokens are accepted for this long/],
    [server({ clock_skew: '5m' })],
  ],
  'sessions of Digest in several workers': [
    [severalWorkers(4, ['MD5-sess', 'SHA-256']), /^warning: with several `workers`, a session of MD5-sess/],
    [severalWorkers('auto', ['SHA-256-sess']), /^warning: with several `workers`, a session of SHA-256-sess/],
    [severalWorkers(4, ['SHA-256'])],
    [severalWorkers(1, ['MD5-sess'])],
  ],
  'fewer connections than workers': [
    [both(top({ workers: 4 }), upstream({ max_connections: 3 })), /^warning: each of the 4 workers/],
    [both(top({ workers: 4 }), upstream({ max_connections: 4 }))],
    [upstream({ max_connections: 1 })],
  ],
  'no proxy may ask': [
    [top({ decision: {} }), /^error: only proxies in `trusted_proxies` may ask/],
    [top({ decision: {}, trusted_proxies: ['127.0.0.1'] })],
  ],
  'gRPC decision endpoint without TLS': [
    [asked({ grpc: '0.0.0.0:8083' }), /^error: other machines can reach this listener, and it has no TLS/],
    [asked({ grpc: '[::1]:8083' })],
    [asked({ grpc: 'localhost:8083' })],
  ],
  'how long a proxy may cache a decision': [
    [asked({ max_age: '1500ms' }), /^error: caches count in whole seconds/],
    [asked({ max_age: '30s' }), /^warning: for this long, proxies accept revoked tokens/],
    [asked({ max_age: '10s' })],
    [asked({ max_age: '0s' })],
  ],
  'tokens in a body that a proxy does not send': [
    [
      both(asked(), route({ bearer_methods_supported: ['header', 'body'] })),
      /^warning: .* cannot read a token in a form/,
    ],
    [
      both(asked(), top({ bearer_methods_supported: ['header', 'body'] })),
      /^warning: .* cannot read a token in a form/,
    ],
    [route({ bearer_methods_supported: ['header', 'body'] })],
  ],
  'hashes of bodies that a proxy does not send': [
    [both(asked(), digestOf(['auth', 'auth-int'])), /^warning: .* `auth-int` is rejected there/],
    [both(asked(), digestOf(['auth']))],
    [digestOf(['auth', 'auth-int'])],
  ],
  'settings of a route that a proxy does not follow': [
    [
      both(asked(), route({ end_with: 'token' })),
      /^warning: .* the gateway cannot end an open stream when its token ends/,
    ],
    [both(asked(), route({ limits: { body: '1KiB' } })), /^warning: .* cannot check its length/],
    [both(asked(), route({ limits: { body: 'none' } })), /^warning: .* cannot check its length/],
    [both(asked(), route({ limits: { form_body: '1KiB' } }))],
    [both(asked(), route({ end_with: 'request' }))],
    [route({ end_with: 'token', limits: { body: '1KiB' } })],
  ],
  'headers that the cache key of a proxy lacks': [
    [both(asked(), match({ headers: { 'X-Env': 'a' } })), /^warning: the route depends on `x-env`/],
    [both(asked(), route({ when: 'request.headers["x-env"] == "a"' })), /^warning: the route depends on `x-env`/],
    [both(asked(), route({ when: 'request.headers[identity.subject] == "a"' })), /^warning: .* depends on `headers`/],
    [both(asked(), route({ when: 'request.query.a == "b" && request.host == "c"' }))],
    [both(asked(), route({ origins: [] })), /^warning: the route depends on `origin`/],
    [both(asked({ max_age: '0s' }), match({ headers: { 'X-Env': 'a' } }))],
    [match({ headers: { 'X-Env': 'a' } })],
  ],
};

t.test('every rule of gateway.yaml has its cases here', async (t) => {
  t.strictSame(Object.keys(cases).sort(), Object.keys(gatewayChecks).sort());
});

t.test('the file that the cases change is valid', async (t) => {
  t.strictSame(
    gatewayProblems(() => {}),
    [],
  );
});

for (const [rule, rows] of Object.entries(cases)) {
  t.test(`rule: ${rule}`, async (t) => {
    for (const [change, ...expected] of rows) {
      const told = gatewayProblems(change);
      t.equal(told.length, expected.length, JSON.stringify(told));
      for (const [index, words] of expected.entries()) t.match(told[index], words);
    }
  });
}
