// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { command } from '../support/command.ts';
import { behind, gateway, gatewayYaml } from '../support/gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { witness } from '../support/witness.ts';

/** Starts the program for each command: 20 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const directory = temporaryFolder(t);
const file = (name: string, text: string) => {
  const path = join(directory, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};

/** As in production: secrets and files are on another machine. */
const edge = file(
  'gateway.yaml',
  `version: 1
listen: { host: 127.0.0.1, port: 8443, tls: { cert: /run/tls/tls.crt, key: /run/tls/tls.key, client_ca: /run/tls/ca.crt, client_auth: required } }
workers: \${WORKERS}
ticket_keys: ["\${file:/run/secrets/ticket.key}", "\${OLD_TICKET_KEY}"]
nonce_keys: ["\${file:/run/secrets/nonce.key}"]
counters: redis://:\${REDIS_PASSWORD}@redis:6379
authorization_servers:
  main:
    issuer: https://auth.example.com
    audience: \${AUDIENCE}
    client_id: gateway
    client_secret: \${GATEWAY_SECRET}
    token_prefix: main_
  own:
    issuer: https://own.example.com
    audience: https://api.example.com
    client_id: gateway
    client_key: /run/secrets/client.pem
    introspection_endpoint_auth_method: private_key_jwt
    token_prefix: own_
    tls: { ca: /run/tls/ca.crt }
  hmac: { issuer: https://hmac.example.com, audience: https://api.example.com, algorithms: [HS256], secret_base64url: "\${HMAC}" }
  stored: { issuer: https://s.example.com, audience: https://api.example.com, verify: store, storage: "postgres://g:\${PG}@db/g?sslmode=verify-full", token_prefix: at_ }
  pinned: { issuer: https://p.example.com, audience: https://api.example.com, jwks_file: /run/keys.json }
upstreams:
  orders:
    url: \${ORDERS_URL}
    credentials: { basic: { username: legacy, password: "\${LEGACY_PASSWORD}" } }
  meters: { url: "https://\${METERS_HOST}:\${METERS_PORT:-9443}", tls: { cert: /run/tls/c.crt, key: /run/tls/c.key } }
defaults: { upstream: orders }
routes:
  - { id: orders, match: { path: "/orders/{rest*}" }, scope: orders.read, authorization_servers: [main] }
  - id: meters
    match: { path: "/meters/{id}" }
    upstream: meters
    auth: digest
    digest: { realm: meters, users: /run/secrets/meters.htdigest, scopes: { alice: orders.read } }
    scope: orders.read
  - id: hooks
    match: { path: "/hooks/{name}" }
    auth: basic
    basic: { users: hooks.htpasswd, scopes: { bob: orders.read } }
    access: authenticated
tests:
  - { request: GET /orders/7, token: { scope: orders.read }, expect: { forward: true, route: orders } }
  - { request: GET /meters/7, user: alice, expect: { forward: true, route: meters } }
`,
);

const service = file(
  'authorization.yaml',
  `version: 1
issuer: https://auth.example.com
storage: postgres://gatehouse:\${PG_PASSWORD}@db/gatehouse?sslmode=verify-full
encryption_keys: ["\${file:/run/secrets/kek}"]
signing: { alg: HS256, secret_base64url: "\${SIGNING}" }
resources: [https://api.example.com]
scopes: { orders.read: Read your orders }
theme: { logo: /run/logo.svg }
clients:
  - { client_id: gateway, client_secret_sha256: "\${GATEWAY_DIGEST}", grant_types: [], introspect: true, events: true }
  - { client_id: shop, client_secret: "\${SHOP_SECRET}", redirect_uris: ["\${SHOP_CALLBACK}"], scope: orders.read, grant_types: [authorization_code] }
users:
  - { username: alice, password_argon2: "\${ALICE_HASH}" }
`,
);

const sound = (more: object) => gatewayYaml(behind('http://127.0.0.1:9', more));
const run = (...args: readonly string[]) => command(t, args, { cwd: directory }).ended();

t.test(
  'check --no-secrets checks a file whose secrets and files are elsewhere, and lists what it skipped',
  async (t) => {
    const without = await run('check', edge);
    t.equal(without.status, 1);
    const told = await run('check', '--no-secrets', edge);
    t.equal(told.status, 0, `${told.stdout}${told.stderr}`);
    t.match(told.stdout, `${edge}: valid\n`);
    t.equal(told.stderr.trim().split('\n').length, 1, told.stderr);
    for (const each of ['${file:/run/secrets/ticket.key}', '${GATEWAY_SECRET}', '${WORKERS}', '/run/tls/tls.key'])
      t.match(told.stderr, each);
    for (const each of ['hooks.htpasswd', '/run/secrets/meters.htdigest', '/run/keys.json', '/run/secrets/client.pem'])
      t.match(told.stderr, each);
    t.match(told.stderr, /^gatehouse: .*gateway\.yaml: skipped because of --no-secrets: /);
  },
);

t.test("the same for the authorization service's file, and the placeholders of both files match", async (t) => {
  const told = await run('check', '--no-secrets', '--format', 'json', edge, service);
  t.equal(told.status, 0, told.stderr);
  const problems = JSON.parse(told.stdout) as { message: string }[];
  t.notMatch(told.stdout, 'placeholder');
  t.notMatch(told.stdout, /the secret of/);
  t.ok(
    problems.every(({ message }) => /anyone who can verify|the feed/.test(message)),
    told.stdout,
  );
});

t.test('faults outside of secrets are still reported, and fail', async (t) => {
  const wrong = file('wrong.yaml', sound({ ticket_keys: ['${TICKET}', 'short'], routs: [] }));
  const told = await run('check', '--no-secrets', wrong);
  t.equal(told.status, 1);
  t.match(told.stdout, 'routs');
  t.match(told.stdout, 'the key has');
  const place = file('place.yaml', sound({ cors: { origins: ['${ORIGIN}'] }, resource: 'nonsense' }));
  t.match(await run('check', '--no-secrets', place), { status: 1, stdout: /resource/ });
});

t.test('a secret is not read even if it is available, neither a variable nor a file', async (t) => {
  const secret = file('bad.key', 'no key at all');
  const readable = file('readable.yaml', sound({ ticket_keys: [`\${file:${secret}}`, '${BAD_KEY}'] }));
  const env = { BAD_KEY: 'neither' };
  t.match(await command(t, ['check', readable], { env }).ended(), { status: 1, stdout: /not base64/ });
  t.match(await command(t, ['check', '--no-secrets', readable], { env }).ended(), { status: 0 });
});

t.test('a file without secrets is read and checked if it exists', async (t) => {
  const ca = file('ca.pem', 'no certificate');
  const named = file('named.yaml', sound({ upstreams: { api: { url: 'https://127.0.0.1:9', tls: { ca } } } }));
  t.match(await run('check', '--no-secrets', named), { status: 1, stdout: /has no usable certificate/ });
});

t.test('routes, config show, diff and explain work without secrets', async (t) => {
  t.match(await run('routes', '--no-secrets'), { status: 0, stdout: /\/orders\/\{rest\*\}/ });
  const shown = await run('config', 'show', '--no-secrets');
  t.match(shown, { status: 0, stdout: /client_secret +\[not read\]/ });
  t.notMatch(shown.stdout, 'placeholder-');
  t.match(await run('diff', '--no-secrets', edge, edge), { status: 0, stdout: /No request has more or less access/ });
  const explained = await run('explain', '--no-secrets', 'GET', '/orders/7', '--scope', 'orders.read');
  t.match(explained, { status: 0, stdout: /the upstream's answer/ });
});

t.test('explain --no-secrets sends no token to a server, and says so', async (t) => {
  const asked = await witness(t);
  const named = file(
    'asking.yaml',
    gatewayYaml({
      authorization_servers: {
        main: { issuer: asked.url, audience: 'https://a.example', client_id: 'gateway', client_secret: '${SECRET}' },
      },
      upstreams: { api: { url: asked.url } },
      defaults: { upstream: 'api' },
      routes: [{ match: { path: '/{rest*}' }, access: 'authenticated' }],
    }),
  );
  const args = ['explain', '--no-secrets', '-c', named, 'GET', '/x', '-H', 'Authorization: Bearer opaque-token'];
  t.match(await run(...args), {
    status: 0,
    stdout:
      /verify +undecided +not asked because of --no-secrets[^\n]*\n(.*\n)+Answer\n +undecided: authorization_servers\.main: not asked/,
  });
  const { answer } = JSON.parse((await run(...args, '--json')).stdout);
  t.match(answer, { kind: 'undecided', text: /^authorization_servers\.main: not asked because of --no-secrets/ });
  t.equal(asked.seen.length, 0);
});

for (const program of ['gateway', 'authorization', 'doctor'])
  t.test(`${program} --no-secrets is a usage error that lists the commands with this option`, async (t) => {
    t.match(await run(program, '--no-secrets'), { status: 2, stderr: /a program that runs needs its secrets/ });
  });

t.test('why needs no secrets except the ticket keys', async (t) => {
  const key = Buffer.alloc(32, 9).toString('base64');
  const upstream = 'http://127.0.0.1:9';
  const { url } = await gateway(t, {
    upstreams: { api: { url: upstream } },
    defaults: { upstream: 'api' },
    ticket_keys: [key],
    routes: [{ id: 'all', match: { path: '/{rest*}' }, access: 'authenticated' }],
    authorization_servers: { main: { issuer: 'https://auth.example.com', audience: 'https://a.example' } },
  });
  const { ticket } = (await (await fetch(`${url}/x`)).json()) as { ticket: string };
  file('ticket.key', `${key}\n`);
  const lazy = file('lazy.yaml', `${gatewayYaml({ ticket_keys: ['${file:ticket.key}'] })}\nrealm: "\${UNSET}"\n`);
  t.match(await run('why', ticket, '-c', lazy), { status: 0, stdout: /^401 credential_missing/ });
  const env = { GATEHOUSE__TICKET_KEYS: JSON.stringify([key]) };
  const bare = file('bare.yaml', gatewayYaml({ realm: '${UNSET}' }));
  t.match(await command(t, ['why', ticket, '-c', bare], { env }).ended(), { status: 0, stdout: /^401 / });
  t.match(await run('why', ticket, '-c', edge), { status: 1, stderr: /\/run\/secrets\/ticket\.key does not exist/ });
  const broken = file('broken-keys.yaml', 'version: 1\nticket_keys: [short]\nroutes: []\n');
  t.match(await run('why', ticket, '-c', broken), { status: 1, stderr: /broken-keys\.yaml:2:15: .*the key has/s });
});

t.test('a placeholder has the form that its place requires', async (t) => {
  const variable =
    'version: 1\nissuer: "${ISSUER}"\nstorage: "${DATABASE}"\nlisten: "${LISTEN}"\nresources: ["${RESOURCE}"]\n';
  const more =
    'trusted_proxies: ["${PROXY}"]\ncounters: "${COUNTERS}"\ndevelopment: "${DEVELOPMENT}"\nlogin: { window: "${WINDOW}" }\n';
  t.match(await run('check', '--no-secrets', file('forms.yaml', variable + more)), { status: 0, stdout: /valid\n$/ });
  const path = file('path.yaml', sound({ routes: [{ match: { path: '${PATH_OF_ORDERS}' }, access: 'public' }] }));
  t.match(await run('check', '--no-secrets', path), { status: 0, stdout: /valid\n$/ });
  const no = file(
    'no-form.yaml',
    sound({ authorization_servers: { main: { issuer: 'https://a.example', verify: '${V}x' } } }),
  );
  t.match(await run('check', '--no-secrets', no), { status: 1, stderr: '', stdout: /verify/ });
});

t.test('a valid form is found for a method, a name of the file, a scheme, and beside other keys', async (t) => {
  const read = (route: object, more: object = {}) => sound({ routes: [{ match: { path: '/a' }, ...route }], ...more });
  const upstreams = { api: { url: '${SCHEME}://${HOST}:${PORT}' } };
  const digest = { realm: 'a', users: 'a.htdigest' };
  const files = {
    method: read({ match: { path: '/a', methods: ['${M}'] }, access: 'public' }),
    upstream: read({ access: 'public' }, { defaults: { upstream: '${UP}' } }),
    scheme: read({ access: 'public' }, { upstreams, defaults: { upstream: 'api' } }),
    auth: read({ access: '${A}', auth: 'digest', digest }),
    when: read({ access: '${A}', when: 'request.method == "GET"' }),
  };
  for (const [name, text] of Object.entries(files)) {
    const path = file(`form-${name}.yaml`, text);
    const told = await run('check', '--no-secrets', path);
    t.match(told, { status: 0, stdout: /: valid\n/, stderr: /skipped because of --no-secrets: .*\$\{/ }, name);
    t.notMatch(told.stderr, 'cannot be replaced by a placeholder', name);
    t.equal((await run('routes', '--no-secrets', '--config', path)).status, 0, name);
  }
  const wrong = file('form-wrong.yaml', read({ access: '${A}', auth: 'digest', digest, upstream: 'nowhere' }));
  t.match(await run('check', '--no-secrets', wrong), { status: 1, stdout: /1 error/ });
});

t.test('a variable without a possible placeholder is skipped, and what stays unchecked is reported', async (t) => {
  const text = sound({
    routes: [{ match: { path: '/a' }, access: 'authenticated', when: 'hush ${OPERATOR} ${NONE:-hush}' }],
  });
  const path = file('lacking.yaml', text);
  t.match(await run('check', '--no-secrets', path), {
    status: 0,
    stdout: /valid\n$/,
    stderr:
      /skipped because of --no-secrets: \$\{OPERATOR\}\n.*cannot be replaced by a placeholder.*runs no test of the file/,
  });
  const routes = await run('routes', '--no-secrets', '--config', path);
  t.match(routes, { status: 1, stderr: /: \$\{OPERATOR\} cannot be replaced by a placeholder,/ });
  t.notMatch(routes.stderr, 'hush');
  const list = file('list.yaml', sound({ routes: '${ROUTES}' }));
  t.match(await run('check', '--no-secrets', list), { status: 1, stdout: /routes/ }, 'no variable is a list');
});
