import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { command } from '../support/command.ts';
import { written } from './rules.ts';

const HEAD = `version: 1
authorization_servers:
  main: { issuer: "https://a.example", audience: x, jwks_uri: "https://a.example/keys" }
upstreams: { api: { url: "http://127.0.0.1:9" } }
defaults: { upstream: api }
routes:
  - { id: health, match: { path: /health, methods: [GET] }, access: public }
`;
const ORDERS = '  - { id: orders, match: { path: "/orders/{rest*}" }, scope: orders.read }\n';
const plain = written('compiled.yaml', HEAD + ORDERS);
const asked = written(
  'asked.yaml',
  `${HEAD}  - { id: orders, match: { path: "/orders/{rest*}" }, scope: s, when: "true" }
decision: { listen: 127.0.0.1:8082 }
trusted_proxies: [127.0.0.1]
`,
);

t.test('without a folder, the configuration is the only output, with the hash of the file', async (t) => {
  const { status, stdout, stderr } = await command(t, ['compile', 'envoy', '-c', plain]).ended();
  t.equal(status, 0);
  const hash = createHash('sha256').update(readFileSync(plain)).digest('hex');
  t.match(stdout, `source_sha256: ${hash}`);
  t.match(stdout, `# ${plain}:8: orders\n`);
  t.match(stderr, /orders +judged by the proxy +.*:8\n/);
  t.equal((await command(t, ['compile', 'envoy', '-c', plain]).ended()).stdout, stdout, 'the same each time');
});

t.test('a rule that cannot be said is an error with its place, its reason and a remedy', async (t) => {
  const { status, stdout, stderr } = await command(t, ['compile', 'envoy', '-c', asked]).ended();
  t.match({ status, stdout }, { status: 1, stdout: '' });
  t.match(stderr, `${asked}:8: routes.1.when: the expression reads variables`);
  t.match(stderr, 'concerns: orders\n  remedy: leave the route to Gatehouse');
  const json = await command(t, ['compile', 'envoy', '-c', asked, '--json']).ended();
  t.equal(json.status, 1);
  t.match(JSON.parse(json.stdout), { findings: [{ what: 'routes.1.when', routes: ['orders'] }] });
});

t.test('with --out, the command writes the file and prints who judges each route', async (t) => {
  const out = join(dirname(asked), 'out');
  const args = ['compile', 'envoy', '-c', asked, '--out', out, '--on-unsupported'];
  const { status, stdout } = await command(t, [...args, 'ask']).ended();
  t.equal(status, 0);
  t.match(stdout, /health +judged by the proxy/);
  t.match(stdout, /orders +judged by Gatehouse/);
  t.match(readFileSync(join(out, 'envoy.yaml'), 'utf8'), 'ext_authz');
  const omitted = await command(t, [...args, 'omit', '--json']).ended();
  t.match(JSON.parse(omitted.stdout), { routes: [{ judged: 'here' }, { judged: 'omitted' }] });
  t.notMatch(readFileSync(join(out, 'envoy.yaml'), 'utf8'), 'ext_authz');
});

t.test('a file that is not valid is not compiled', async (t) => {
  const broken = written('not-compiled.yaml', HEAD.replace('access: public', 'access: open'));
  t.match(await command(t, ['compile', 'envoy', '-c', broken]).ended(), { status: 1, stdout: '', stderr: /access/ });
  t.match(await command(t, ['compile', 'envoy', '-c', plain, '--on-unsupported', 'pass']).ended(), { status: 2 });
});

t.test('diff --target shows which routes a compiled proxy no longer judges, and why', async (t) => {
  const { status, stdout } = await command(t, ['diff', plain, asked, '--target', 'envoy', '--allow-widening']).ended();
  t.equal(status, 0);
  t.match(stdout, 'Compiled for envoy: the output changes\n  orders: judged by the proxy, now by Gatehouse\n');
  t.match(stdout, `  ${asked}:8: routes.1.when: the expression reads variables`);
  const same = await command(t, ['diff', plain, plain, '--target', 'envoy', '--json']).ended();
  t.match(JSON.parse(same.stdout).compiled, { target: 'envoy', output_changed: false, judges: [], new_findings: [] });
});

t.test('--verify without tests, or with a file that is wrong, is an error', async (t) => {
  const none = await command(t, ['compile', 'envoy', '-c', plain, '--verify', 'http://127.0.0.1:9']).ended();
  t.match(none, { status: 2, stderr: 'the file has no `tests`' });
});

const clustered = written(
  'clustered.yaml',
  (HEAD + ORDERS)
    .replace('/orders/{rest*}', '/orders')
    .replace('keys" }', 'keys", clock_skew: 60s }')
    .replace('127.0.0.1', 'api.shop.svc'),
);

t.test('a difference that a mesh cannot avoid is an error, unless it is accepted by name', async (t) => {
  const compile = (...more: readonly string[]) => command(t, ['compile', 'istio', '-c', clustered, ...more]).ended();
  const refused = await compile();
  t.match(refused, {
    status: 1,
    stdout: '',
    stderr: /:3: authorization_servers.main.typ: .*an ID token would pass/,
  });
  t.match(refused.stderr, '--accept typ');
  const names = ['typ', 'algorithms', 'lifetime', 'header', 'cnf', 'events', 'second-credential'];
  const accepted = await compile('--accept', ...names);
  t.match(accepted, { status: 0, stdout: /because of `--accept typ`/, stderr: /:3: accepted typ: / });
  const json = JSON.parse((await compile('--json', '--accept', ...names)).stdout);
  t.match(json, { findings: [], accepted: names.map(() => ({ accept: String, at: /:3$/ })) });
  t.match(await compile('--accept', 'everything'), { status: 2 });
});
