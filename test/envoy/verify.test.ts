import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { parse, stringify } from 'yaml';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { serving } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { witness } from '../support/witness.ts';
import { runEnvoy } from './support/compiled-envoy.ts';

/** Starts an Envoy and several commands. */
t.setTimeout(120_000);

const options = { skip: skipWithoutPeer('envoy-1.40.0') };

const tests = [
  {
    request: 'GET /orders/7',
    token: { scope: 'orders.read', sub: 'alice' },
    expect: { forward: true, route: 'orders' },
  },
  { request: 'GET /orders/7', expect: { refuse: 401 } },
  { request: 'GET /orders/7', token: { scope: 'orders.reader' }, expect: { refuse: 403 } },
  { request: 'GET /orders/7', token: { scope: 'orders.read', aud: 'https://other.example' }, expect: { refuse: 401 } },
  { request: 'GET /open/../orders/7', expect: { refuse: 400 } },
  { request: 'GET /open/1', expect: { forward: true } },
];

async function place(t: Test) {
  const directory = temporaryFolder(t);
  const upstream = await witness(t);
  const file = join(directory, 'gateway.yaml');
  const port = await freePort();
  const server = {
    issuer: 'https://a.example',
    audience: 'https://api.example.com',
    jwks_uri: 'https://a.example/keys',
  };
  const rules = {
    version: 1,
    listen: `127.0.0.1:${port}`,
    resource: 'https://api.example.com',
    authorization_servers: { main: { ...server, algorithms: ['ES256'], events: 'none' } },
    upstreams: { api: { url: upstream.url } },
    defaults: { upstream: 'api' },
    routes: [
      { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
      { id: 'open', match: { path: '/open/{rest*}' }, access: 'public' },
    ],
    tests,
  };
  writeFileSync(file, stringify(rules));
  return { file, directory, upstream, port, keys: join(directory, 'test-keys.json'), url: `http://127.0.0.1:${port}` };
}

const compile = (t: Test, ...args: readonly string[]) => command(t, ['compile', 'envoy', ...args]).ended();

t.test(
  "--verify sends the file's tests to the proxy, with tokens of keys that only this output knows",
  options,
  async (t) => {
    const { file, directory, port, keys, url, upstream } = await place(t);
    const written = await compile(t, '-c', file, '--out', directory, '--test-keys', keys);
    t.match(written, { status: 0, stderr: '' });
    const text = readFileSync(join(directory, 'envoy.yaml'), 'utf8');
    t.match(text, `FOR TESTS ONLY: Envoy accepts every token that is signed with ${keys}.`);
    t.notMatch(text, '"d"', 'no private key');
    await runEnvoy(t, port, join(directory, 'envoy.yaml'));
    const verified = await compile(t, '-c', file, '--verify', url, '--test-keys', keys);
    t.equal(verified.status, 0, verified.stdout + verified.stderr);
    t.match(verified.stdout, '6 passed, 0 failed, 0 skipped\n');
    t.equal(upstream.seen.length, 2);
  },
);

t.test('--verify fails for a proxy that forwards too much, and names the line of the test', options, async (t) => {
  const { file, directory, port, keys, url } = await place(t);
  await compile(t, '-c', file, '--out', directory, '--test-keys', keys);
  const configuration = parse(readFileSync(join(directory, 'envoy.yaml'), 'utf8'));
  const [manager] = configuration.static_resources.listeners[0].filter_chains[0].filters;
  const isRouter = ({ name }: { readonly name: string }) => name === 'envoy.filters.http.router';
  manager.typed_config.http_filters = manager.typed_config.http_filters.filter(isRouter);
  for (const host of manager.typed_config.route_config.virtual_hosts)
    for (const route of host.routes) delete route.typed_per_filter_config;
  const open = join(directory, 'open.yaml');
  writeFileSync(open, stringify(configuration, { aliasDuplicateObjects: false }));
  await runEnvoy(t, port, open);
  const { status, stdout } = await compile(t, '-c', file, '--verify', url, '--test-keys', keys, '--json');
  t.equal(status, 1);
  const said = JSON.parse(stdout);
  t.ok(said.failed >= 3);
  const [first] = said.tests.filter(({ result }: { readonly result: string }) => result === 'failed');
  t.match(first, { at: /gateway\.yaml:\d+$/, detail: /^forwarded, .* but the file expects a refusal with 401$/ });
});

t.test('an outage of the proxy is no refusal', options, async (t) => {
  const { file, directory, keys } = await place(t);
  await compile(t, '-c', file, '--out', directory, '--test-keys', keys);
  const url = await serving(
    t,
    createServer((_request, response) => response.writeHead(503).end()),
  );
  const { status, stdout } = await compile(t, '-c', file, '--verify', url, '--test-keys', keys);
  t.equal(status, 1);
  t.match(stdout, '0 passed, 6 failed, 0 skipped\n');
});

t.test('--verify needs the test keys of the output', options, async (t) => {
  const { file, url, directory } = await place(t);
  const missing = join(directory, 'typo.json');
  const { status, stderr } = await compile(t, '-c', file, '--verify', url, '--test-keys', missing);
  t.equal(status, 1);
  t.match(stderr, 'typo.json does not exist: name the file of test keys with which the output was compiled');
  t.notOk(existsSync(missing));
});

t.test('--verify passes with the tokens of a command', options, async (t) => {
  const { file, directory, port, keys, url, upstream } = await place(t);
  await compile(t, '-c', file, '--out', directory, '--test-keys', keys);
  await runEnvoy(t, port, join(directory, 'envoy.yaml'));
  const signer = fileURLToPath(new URL('support/sign-token.ts', import.meta.url));
  const commanded = `${process.execPath} --disable-warning=ExperimentalWarning ${signer} ${keys}`;
  const verified = await compile(t, '-c', file, '--verify', url, '--token-command', commanded);
  t.equal(verified.status, 0, verified.stdout + verified.stderr);
  t.match(verified.stdout, '6 passed, 0 failed, 0 skipped\n');
  t.strictSame(
    upstream.seen.map(({ target }) => target),
    ['/orders/7', '/open/1'],
  );
});

t.test('the command for tokens gets the claims, and its failure is a failure', options, async (t) => {
  const { file, directory, port, keys, url } = await place(t);
  await compile(t, '-c', file, '--out', directory, '--test-keys', keys);
  await runEnvoy(t, port, join(directory, 'envoy.yaml'));
  const claims = join(directory, 'claims.json');
  const other = await compile(t, '-c', file, '--verify', url, '--token-command', `cat > ${claims}; echo not-a-token`);
  t.equal(other.status, 1);
  t.match(other.stdout, 'refused with 403, but the file expects forwarding');
  t.match(JSON.parse(readFileSync(claims, 'utf8')), { iss: 'https://a.example', aud: 'https://other.example' });
  const broken = await compile(t, '-c', file, '--verify', url, '--token-command', 'echo no >&2; exit 3');
  t.match(broken, { status: 1, stderr: 'the command for tokens failed: no' });
});
