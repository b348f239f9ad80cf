import { hash } from 'node:crypto';
import t from 'tap';
import { loadAuthorizationText, loadGatewayText } from '../../../src/config/load/load.ts';
import { misfits } from '../../../src/config/rules/cross-file-rules.ts';
import { authorizationBase, gatewayBase, type Loose } from '../base-config.ts';

const secret = 'cs_gateway-secret-of-32-bytes-or-more';
const other = 'cs_another-secret-of-32-bytes-or-more';
const gatewayClient = { client_id: 'gateway', client_secret: secret, introspect: true, events: true };

/** `FILE:LINE message (hint)` of each, for two files that match except for the change. */
function found(change: (gateway: Loose, service: Loose) => void): readonly string[] {
  const [gateway, service] = [gatewayBase(), authorizationBase()];
  Object.assign(gateway.authorization_servers.main, { client_id: 'gateway', client_secret: secret });
  service.clients[0].scope = 'orders.read';
  service.clients.push({ ...gatewayClient });
  change(gateway, service);
  const sound = loadGatewayText(JSON.stringify(gateway, null, 1), { file: 'gateway.yaml' });
  const also = loadAuthorizationText(JSON.stringify(service, null, 1), { file: 'authorization.yaml' });
  if (!sound.ok || !also.ok) throw new Error(JSON.stringify([sound, also]));
  return misfits(sound, also).map(({ severity, file, line, message, hint }) => {
    if (severity !== 'warning') throw new Error(severity);
    return `${file}:${line} ${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
}

const main = (more: object) => (gateway: Loose) => Object.assign(gateway.authorization_servers.main, more);
const route = (more: object) => (gateway: Loose) => Object.assign(gateway.routes[0], more);
const client = (more: object) => (_gateway: Loose, service: Loose) => Object.assign(service.clients[1], more);
/** 32 bytes in base64url. */
const key = (letter: string) => Buffer.from(letter.repeat(32)).toString('base64url');
const jwts = (server: object, more: object) => (gateway: Loose, service: Loose) => {
  Object.assign(gateway.authorization_servers.main, server);
  Object.assign(service, { tokens: { access: { format: 'jwt' } } }, more);
};
const operators = (access: object, more: object) => (gateway: Loose, service: Loose) => {
  const rules = { authorization_server: 'main', client_id: 'console', client_secret: secret, users: ['alice'] };
  gateway.admin = { listen: '127.0.0.1:9901', access: { ...rules, ...access } };
  service.scopes['gatehouse.admin'] = 'Use the console';
  service.clients.push({
    client_id: 'console',
    client_secret: secret,
    scope: 'gatehouse.admin',
    grant_types: ['authorization_code'],
    redirect_uris: ['http://127.0.0.1/console/callback'],
    ...more,
  });
};
const second = { issuer: 'https://second.example.com', audience: 'https://api.example.com' };

const rows: Readonly<Record<string, readonly [change: Parameters<typeof found>[0], ...expected: RegExp[]]>> = {
  'files that fit': [() => {}],
  'another issuer': [
    main({ issuer: 'https://auth.example.com/' }),
    /^gateway\.yaml:\d+ `https:\/\/auth\.example\.com\/` is not the issuer of authorization\.yaml:3 \(did you mean `https:\/\/auth\.example\.com`\?\)$/,
  ],
  'no server of several': [
    (gateway) => {
      gateway.authorization_servers.main.issuer = 'https://third.example.com';
      gateway.authorization_servers.second = second;
    },
    /none of the authorization servers is the issuer of authorization\.yaml:3/,
  ],
  'one server of several': [(gateway) => (gateway.authorization_servers.second = second)],
  'an audience that is no resource': [
    main({ audience: 'https://api.example.org' }),
    /is not in `resources` of authorization\.yaml:\d+.*did you mean `https:\/\/api\.example\.com`\?/,
  ],
  'no audience, and any': [main({ audience: 'any' })],
  'any audience for a route': [route({ audience: 'any' })],
  'an audience of a route': [route({ audience: 'https://api.example.org' }), /is not in `resources`/],
  'a scope that nobody gives': [
    route({ scope: 'orders.raed' }),
    /^gateway\.yaml:\d+ `orders\.raed` is not in `scopes` of authorization\.yaml:\d+.*did you mean `orders\.read`\?/,
  ],
  'a scope that a known one implies': [
    (gateway, service) => {
      gateway.scopes = { 'orders.write': { implies: ['orders.list'] } };
      gateway.routes[0].scope = 'orders.list';
      service.scopes['orders.write'] = 'Change orders';
      service.clients[0].scope = 'orders.write';
    },
  ],
  'a stronger scope that nobody gives': [
    (gateway) => (gateway.scopes = { 'orders.wirte': { implies: ['orders.read'] } }),
    /^gateway\.yaml:\d+ `orders\.wirte` is not in `scopes` of authorization\.yaml:\d+/,
  ],
  'a scope of any of several servers': [
    (gateway) => {
      gateway.authorization_servers.second = second;
      gateway.routes[0].scope = 'admin';
    },
  ],
  'a scope of OpenID Connect': [
    (gateway, service) => {
      gateway.routes[0].scope = 'email';
      Object.assign(service, { openid: { enabled: true } });
      service.clients[0].scope = 'orders.read openid email';
    },
  ],
  'a scope that no client may request': [
    (_gateway, service) => (service.clients[0].scope = undefined),
    /^gateway\.yaml:\d+ no client in authorization\.yaml:\d+ may request `orders\.read`: .* get 403 \(add the scope to `scope` of a client there, unless a client in the database has it/,
  ],
  'scopes that no client has together': [
    (gateway, service) => {
      gateway.routes[0].scope = 'orders.read orders.write';
      service.scopes['orders.write'] = 'Change orders';
      service.clients.push({ ...service.clients[0], client_id: 'writer', scope: 'orders.write' });
    },
    /may request `orders\.read orders\.write`/,
  ],
  'alternatives of which one is possible': [
    (gateway, service) => {
      gateway.routes[0].scope = { any_of: ['orders.write', 'orders.read'] };
      service.scopes['orders.write'] = 'Change orders';
    },
  ],
  'alternatives of which none is possible': [
    (gateway, service) => {
      gateway.routes[0].scope = { any_of: ['orders.write'] };
      service.scopes['orders.write'] = 'Change orders';
    },
    /may request what this `scope` requires/,
  ],
  'a scope of clients that register themselves': [
    (_gateway, service) => {
      service.clients[0].scope = undefined;
      service.registration = { cimd: { enabled: true, scope: 'orders.read' } };
    },
  ],
  'clients only in the database': [(_gateway, service) => service.clients.shift()],
  'scopes of alternatives': [
    route({ scope: { any_of: ['orders.read', 'orders.read admin'] } }),
    /`admin` is not in `scopes`/,
  ],
  'a scope of another server': [
    (gateway) => {
      gateway.authorization_servers.second = second;
      Object.assign(gateway.routes[0], { scope: 'admin', authorization_servers: ['second'] });
    },
  ],
  'a client that is not there': [
    main({ client_id: 'gatewya' }),
    /has no client `gatewya` \(did you mean `gateway`\?\)/,
  ],
  'no client of that kind at all': [
    (_gateway, service) => service.clients.pop(),
    /has no client `gateway` \(add it there with `introspect: true`/,
  ],
  'a client that may not ask': [
    client({ introspect: false, grant_types: ['client_credentials'] }),
    /the client `gateway` \(authorization\.yaml:\d+\) may not introspect tokens \(write `introspect: true` there\)/,
  ],
  'which need not, where only JWTs are taken': [
    (gateway, service) => {
      Object.assign(gateway.authorization_servers.main, { verify: 'jwt' });
      Object.assign(service.clients[1], { introspect: false, grant_types: ['client_credentials'] });
      service.tokens = { access: { format: 'jwt' } };
    },
  ],
  'a feed that is followed': [
    (gateway, service) => {
      Object.assign(gateway.authorization_servers.main, { events: 'https://auth.example.com/oauth2/events' });
      Object.assign(service.clients[1], { events: false });
    },
    /may not follow the revocation feed \(write `events: true` there\)/,
  ],
  'no feed': [main({ events: 'none' })],
  'JWTs, and a client that may not follow the feed': [
    (_gateway, service) => {
      Object.assign(service, { tokens: { access: { format: 'jwt' } } });
      Object.assign(service.clients[1], { events: false });
    },
    /^gateway\.yaml:\d+ the gateway does not follow the revocation feed of the service \(authorization\.yaml:\d+\): revoked JWTs pass until their `exp`/,
  ],
  'opaque tokens, and a client that may not follow the feed': [
    client({ events: false }),
    /^gateway\.yaml:\d+ the gateway does not follow the revocation feed of the service \(authorization\.yaml:\d+\): revoked tokens pass for up to `cache\.ttl` \(60 s\) \(write `client_id` and `client_secret` of a client that has `events: true`/,
  ],
  'opaque tokens that are not kept, and a client that may not follow the feed': [
    (gateway, service) => {
      Object.assign(gateway.authorization_servers.main, { cache: { ttl: '0s' } });
      Object.assign(service.clients[1], { events: false });
    },
  ],
  'JWTs, and no client at all': [
    (gateway, service) => {
      Object.assign(service, { tokens: { access: { format: 'jwt' } } });
      Object.assign(gateway.authorization_servers.main, { client_id: undefined, client_secret: undefined });
    },
    /the gateway does not follow the revocation feed of the service \(authorization\.yaml:\d+\): revoked JWTs pass until their `exp` \(write `client_id` and `client_secret`/,
  ],
  'JWTs, and a client that follows': [
    (_gateway, service) => {
      Object.assign(service, { tokens: { access: { format: 'jwt' } } });
      Object.assign(service.clients[1], { events: true });
    },
  ],
  'JWTs, and no feed on purpose': [
    (gateway, service) => {
      Object.assign(service, { tokens: { access: { format: 'jwt' } } });
      Object.assign(gateway.authorization_servers.main, { events: 'none' });
    },
  ],
  'another secret': [
    main({ client_secret: other }),
    /the secret of `gateway` differs from the secret in authorization\.yaml:\d+$/,
  ],
  'opaque tokens, and no client at all': [
    main({ client_id: undefined, client_secret: undefined }),
    /^gateway\.yaml:\d+ the service issues opaque tokens to the client `shop` \(authorization\.yaml:\d+\), but the gateway cannot introspect them without `client_id`: each request with such a token gets 401 \(write `client_id: gateway` and its `client_secret` \(authorization\.yaml:\d+\); or write `access_token_format: jwt` for these clients in the service's file, or `tokens\.access\.format: jwt` for all clients\)$/,
  ],
  'opaque tokens, no client, and none to write': [
    (gateway, service) => {
      Object.assign(gateway.authorization_servers.main, { client_id: undefined, client_secret: undefined });
      service.clients[1] = { ...service.clients[0], client_id: 'other' };
    },
    /to the client `shop` \(authorization\.yaml:\d+\) and 1 more, .*\(write `client_id` and `client_secret` of a client that has `introspect: true` in the service's file/,
  ],
  'opaque tokens of clients that register themselves': [
    (gateway, service) => {
      Object.assign(gateway.authorization_servers.main, { client_id: undefined, client_secret: undefined });
      service.clients[0].access_token_format = 'jwt';
      service.registration = { cimd: { enabled: true, scope: 'orders.read' } };
    },
    /to clients that register themselves \(authorization\.yaml:\d+\)/,
    /follow the revocation feed/,
  ],
  'opaque tokens, where only JWTs are taken': [
    main({ verify: 'jwt' }),
    /^gateway\.yaml:\d+ .* `verify: jwt` accepts only JWTs: each request with such a token gets 401 \(remove `verify: jwt`, and write `client_id: gateway`/,
  ],
  'opaque tokens of one client, perhaps for another resource': [
    (gateway, service) => {
      Object.assign(gateway.authorization_servers.main, { verify: 'jwt' });
      service.resources.push('https://other.example.com');
      service.clients.push({ ...service.clients[0], client_id: 'warehouse', access_token_format: 'jwt' });
    },
  ],
  'opaque tokens of the console only': [
    (gateway, service) => {
      operators({ client_id: 'console' }, {})(gateway, service);
      Object.assign(gateway.authorization_servers.main, { verify: 'jwt' });
      service.clients[0].access_token_format = 'jwt';
    },
  ],
  'opaque tokens in the store': [
    main({ verify: 'store', storage: 'sqlite:gatehouse.db', client_id: undefined, client_secret: undefined }),
  ],
  'JWTs of another algorithm': [
    jwts({ algorithms: ['RS256'] }, {}),
    /^gateway\.yaml:\d+ the service signs JWTs with `ES256` \(authorization\.yaml(?::\d+)?\), and the gateway accepts no such JWT: each request with such a JWT gets 401 \(write `algorithms: \[ES256\]`\)$/,
  ],
  'JWTs of another algorithm, which the server itself reads': [
    jwts({ algorithms: ['RS256'], verify: 'introspection' }, {}),
  ],
  'opaque tokens, and another algorithm': [main({ algorithms: ['RS256'] })],
  'JWTs with a secret, and a gateway without': [
    jwts({}, { signing: { alg: 'HS256', secret_base64url: key('a') } }),
    /signs JWTs with `HS256` \(authorization\.yaml:\d+\).*\(write `algorithms: \[HS256\]` and the same `secret_base64url`\)$/,
  ],
  'JWTs with one secret': [
    jwts(
      { algorithms: ['HS256'], secret_base64url: key('a') },
      { signing: { alg: 'HS256', secret_base64url: key('a') } },
    ),
  ],
  'JWTs with the same secret as text': [
    jwts({ algorithms: ['HS256'], secret: 'a'.repeat(32) }, { signing: { alg: 'HS256', secret_base64url: key('a') } }),
  ],
  'JWTs with another secret': [
    jwts(
      { algorithms: ['HS256'], secret_base64url: key('b') },
      { signing: { alg: 'HS256', secret_base64url: key('a') } },
    ),
    /signs JWTs with another secret \(authorization\.yaml:\d+\)/,
  ],
  'JWTs of users with their own secrets': [
    jwts(
      { algorithms: ['HS256'], secret_base64url: key('a') },
      { signing: { alg: 'HS256', secret_base64url: key('a'), user_keys: true } },
    ),
    /with a key of this user \(authorization\.yaml:\d+\).*\(copy `user_key_uri_template` from the metadata of the service\)$/,
    /the client `gateway` \(authorization\.yaml:\d+\) may not fetch the secret keys of users \(write `keys: true` there\)/,
  ],
  'JWTs of another type': [
    jwts({}, { compat: { jwt_typ: 'JWT' } }),
    /the service writes `typ: JWT` into JWTs \(authorization\.yaml:\d+\).*\(write `typ: \[JWT\]`\)$/,
  ],
  'JWTs of the full name of the type': [jwts({ typ: ['application/at+jwt'] }, {})],
  'opaque tokens that live too long': [
    main({ max_token_lifetime: '30m' }),
    /^gateway\.yaml:\d+ tokens of the service may live for 1 h \(authorization\.yaml(?::\d+)?\), and the gateway rejects a token that lives for more than 30 min \(raise `max_token_lifetime`/,
  ],
  'JWTs that live long enough': [jwts({ max_token_lifetime: '15m' }, {})],
  'opaque tokens that a refresh extends': [
    (_gateway, service) => (service.tokens = { refresh: { access_token: 'extend' } }),
    /may live for 30 d \(authorization\.yaml:\d+\)/,
  ],
  'operators who can log in': [operators({}, {})],
  'operators without a list': [
    operators({ users: undefined }, {}),
    /^gateway\.yaml:\d+ the service gives this scope to every user who allows it .*\(name the operators: `users/,
  ],
  'operators, a scope that the service does not have': [
    operators({ scope: 'gatehouse.admn' }, {}),
    /^gateway\.yaml:\d+ `gatehouse\.admn` is not in `scopes` .*did you mean `gatehouse\.admin`/,
    /operators cannot log in with the client `console` .*\(write `scope: gatehouse\.admn` there\)$/,
  ],
  'operators, and a client without rights': [
    operators({}, { grant_types: ['client_credentials'], redirect_uris: [] }),
    /\(write `grant_types: \[authorization_code\]` there\)$/,
    /\(write `redirect_uris: \["http:\/\/127\.0\.0\.1:9901\/console\/callback"\]` there\)$/,
  ],
  'operators, and another redirect address': [
    operators({}, { redirect_uris: ['http://localhost:9901/console/callback'] }),
    /redirect_uris/,
  ],
  'operators at another server': [
    (gateway, service) => {
      gateway.authorization_servers.second = { ...second, verify: 'jwt', client_id: 'x', client_secret: other };
      operators({ authorization_server: 'second', users: undefined }, { grant_types: ['client_credentials'] })(
        gateway,
        service,
      );
    },
  ],
  'the digest of the secret': [
    client({ client_secret: undefined, client_secret_sha256: hash('sha256', secret, 'hex') }),
  ],
  'the digest of another secret': [
    client({ client_secret: undefined, client_secret_sha256: hash('sha256', other, 'hex') }),
    /differs from the secret/,
  ],
};

for (const [title, [change, ...expected]] of Object.entries(rows))
  t.test(`both files together: ${title}`, async (t) => {
    const told = found(change);
    t.equal(told.length, expected.length, told.join('\n'));
    for (const [index, words] of expected.entries()) t.match(told[index], words);
    t.notMatch(told.join(), secret, 'no secret is told');
    t.notMatch(told.join(), other);
  });
