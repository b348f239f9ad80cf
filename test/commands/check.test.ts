import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { checkFile } from '../../src/commands/common/check-file.ts';
import { command } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Starts programs: 10 s in .ci/run on a busy machine. */
t.setTimeout(180_000);

const directory = temporaryFolder(t);
const file = (name: string, text: string) => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};
const gateway = file(
  'edge.yaml',
  'version: 1\nupstreams: { a: { url: "http://127.0.0.1:9000" } }\nroutes: [{ match: { path: / }, upstream: a, access: public }]\n',
);
const authorization = file(
  'service.yaml',
  'version: 1\nissuer: https://a.example.com\nresources: ["https://b.example.com"]\n',
);
const broken = file('broken.yaml', 'version: 1\nroutes: [{ match: { path: / }, acess: public }]\n');

function check(...args: readonly string[]) {
  const program = `
    const { Command } = await import('commander');
    const { register } = await import(${JSON.stringify(new URL('../../src/commands/check.ts', import.meta.url).href)});
    const program = new Command();
    register(program);
    await program.parseAsync(process.argv.slice(1), { from: 'user' });`;
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  return spawnSync(process.execPath, ['--input-type=module', '-e', program, '--', 'check', ...args], {
    cwd,
    encoding: 'utf8',
  });
}

t.test('the kind of file is recognized from its keys', async (t) => {
  t.strictSame(await checkFile(gateway, {}), []);
  t.strictSame(await checkFile(authorization, {}), []);
  t.match(await checkFile(file('other.yaml', 'hello: world\n'), {}), [
    { message: 'neither a gateway file nor an authorization file' },
  ]);
  t.match(await checkFile(join(directory, 'none.yaml'), {}), [{ message: 'the file does not exist' }]);
});

t.test('a valid JSON file is valid, on one line and with indentation', async (t) => {
  const upstreams = { a: { url: 'http://127.0.0.1:9000' } };
  const edge = { version: 1, upstreams, routes: [{ match: { path: '/' }, upstream: 'a', access: 'public' }] };
  const service = { version: 1, issuer: 'https://a.example.com', resources: ['https://b.example.com'] };
  for (const [name, values] of Object.entries({ edge, service }))
    for (const space of [0, 2])
      t.strictSame(await checkFile(file(`${name}.json`, JSON.stringify(values, undefined, space)), {}), []);
});

t.test('valid files: exit status 0, a line for each', async (t) => {
  const { status, stdout } = check(gateway, authorization);
  t.equal(status, 0);
  t.equal(stdout, `${gateway}: valid\n${authorization}: valid\n`);
});

t.test('both files together: a mismatch is a warning with its place, in every format', async (t) => {
  const server = '{ main: { issuer: "https://a.example.com/", audience: "https://b.example.com" } }';
  const edge = file(
    'misfit.yaml',
    `version: 1\nauthorization_servers: ${server}\nupstreams: { a: { url: "http://127.0.0.1:9000" } }\n` +
      'routes: [{ match: { path: / }, upstream: a, scope: a }]\n',
  );
  t.strictSame(await checkFile(edge, {}), [], 'by itself it is sound');
  const { status, stdout } = check(edge, authorization);
  t.equal(status, 0);
  t.match(stdout, `${edge}:2:42: warning: \`https://a.example.com/\` is not the issuer of ${authorization}:2`);
  t.match(stdout, 'did you mean `https://a.example.com`?');
  t.match(stdout, `${edge}: valid, with 1 warning\n${authorization}: valid\n`);
  t.match(JSON.parse(check('--format', 'json', authorization, edge).stdout), [
    { file: edge, line: 2, severity: 'warning' },
  ]);
});

t.test(
  'both files together: opaque tokens that the gateway cannot read, with both places and the remedy',
  async (t) => {
    const edge = file(
      'reads-jwts.yaml',
      'version: 1\nauthorization_servers:\n  main: { issuer: "https://a.example.com", audience: "https://b.example.com" }\n' +
        'upstreams: { a: { url: "http://127.0.0.1:9000" } }\nroutes: [{ match: { path: / }, upstream: a, scope: a }]\n',
    );
    const service = file(
      'opaque.yaml',
      'version: 1\nissuer: https://a.example.com\nresources: ["https://b.example.com"]\nscopes: { a: A }\nclients:\n' +
        `  - { client_id: shop, client_secret: ${'s'.repeat(32)}, scope: a, grant_types: [client_credentials] }\n`,
    );
    const message = `the service issues opaque tokens to the client \`shop\` (${service}:6)`;
    const { stdout } = check(edge, service);
    t.match(stdout, `${edge}:3:9: warning: ${message}, but the gateway cannot introspect them without \`client_id\``);
    t.match(stdout, 'write `client_id` and `client_secret` of a client that has `introspect: true` in');
    const [problem, ...others] = JSON.parse(check('--format', 'json', edge, service).stdout);
    t.match(problem, { file: edge, line: 3, severity: 'warning', hint: /introspect: true/ });
    t.match(problem.message, message);
    t.strictSame(others, []);
  },
);

t.test('--strict: a file with a warning fails, and a file without warnings passes', async (t) => {
  const other = `{ main: { issuer: "https://a.example.com/", audience: "https://api.example.com" } }`;
  const routes =
    'upstreams: { a: { url: "http://127.0.0.1:9000" } }\nroutes: [{ match: { path: / }, upstream: a, scope: a }]\n';
  const edge = file('strict.yaml', `version: 1\nauthorization_servers: ${other}\n${routes}`);
  t.match(check('--strict', edge), { status: 0, stderr: '' });
  const { status, stdout, stderr } = check('--strict', edge, authorization);
  t.equal(status, 1);
  t.match(stdout, `${edge}: valid, with 1 warning\n`);
  t.equal(stderr, 'gatehouse check: 1 warning fails under --strict\n');
});

t.test(
  'SOAP operations that only the header distinguishes are valid, with a warning that names a remedy',
  async (t) => {
    const head =
      'version: 1\nauthorization_servers: { main: { issuer: "https://a.example.com", audience: any } }\n' +
      'upstreams: { a: { url: "http://127.0.0.1:9000" } }\ndefaults: { upstream: a }\nroutes:\n';
    const operation = (id: string, scope: string) =>
      `  - { id: ${id}, match: { path: /service, methods: [POST], soap_action: "urn:${id}" }, scope: ${scope} }\n`;
    const soap = file('soap.yaml', head + operation('get', 'orders.read') + operation('delete', 'orders.admin'));
    const { status, stdout } = check(soap);
    t.equal(status, 0);
    t.match(stdout, `${soap}:6:71: warning: \`delete\` (line 7) sets a different requirement for this path`);
    t.match(stdout, 'refuses a request whose SOAPAction and body name different operations');
    t.equal(stdout.match(/: warning: /g)?.length, 1);
  },
);

t.test('a broken file: exit status 1, the place and the hint', async (t) => {
  const { status, stdout } = check(gateway, broken);
  t.equal(status, 1);
  t.match(stdout, `${broken}:2:32: error: unknown key \`acess\``);
  t.match(stdout, 'did you mean `access`?');
});

t.test('--format json prints the problems, --format github the commands that GitHub reads', async (t) => {
  t.match(JSON.parse(check('--format', 'json', broken).stdout), [
    { file: broken, line: 2, column: 32, severity: 'error' },
  ]);
  t.match(check('--format', 'github', broken).stdout, /^::error file=.*broken\.yaml,line=2,col=32::unknown key/);
  t.equal(JSON.parse(check('--format', 'json', gateway).stdout).length, 0);
});

t.test('check runs the tests of a file, and a failed test is a problem at its place', async (t) => {
  const tested = file(
    'tested.yaml',
    `version: 1
resource: https://api.example.com
authorization_servers: { main: { issuer: "https://auth.example.com", audience: "https://api.example.com" } }
upstreams: { a: { url: "http://127.0.0.1:9000" } }
defaults: { upstream: a }
routes:
  - { id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: orders.read }
tests:
  - { request: GET /orders/7, token: { scope: orders.read }, expect: { forward: true, route: read } }
  - { request: GET /orders/7, token: { scope: orders.write }, expect: { forward: true } }
`,
  );
  t.match(await checkFile(tested), [
    {
      severity: 'error',
      line: 10,
      column: 5,
      message:
        'GET /orders/7: expected forwarded, but it is refused with 403 scope_insufficient (insufficient_scope, missing `orders.read`)',
      hint: `the route is \`read\` (${tested}:7)`,
    },
  ]);
  t.equal(check(tested).status, 1);
});

t.test('the gateway does not start with a file whose tests fail', async (t) => {
  const failing = file(
    'failing.yaml',
    `version: 1
listen: 127.0.0.1:0
upstreams: { a: { url: "http://127.0.0.1:9000" } }
routes: [{ match: { path: / }, upstream: a, access: public }]
tests: [{ request: GET /, expect: { refuse: 401 } }]
`,
  );
  const { status, stderr } = await command(t, ['gateway', '--config', failing]).ended();
  t.equal(status, 1);
  t.match(stderr, `${failing}:5:9: error: GET /: expected refused with 401, but it is forwarded by`);
});

t.test('each policy for a silent revocation feed is explained in a sentence', async (t) => {
  const sentences = {
    introspect:
      'the gateway also introspects each JWT of this server, 64 at a time, and answers 503 if the introspection fails.',
    deny: 'the gateway answers 503 to each JWT of this server that it verifies locally.',
    allow: 'JWTs of this server pass until their `exp`, even revoked JWTs.',
  };
  for (const [policy, sentence] of Object.entries(sentences)) {
    const path = file(
      `feed-${policy}.yaml`,
      `version: 1\nauthorization_servers: { main: { issuer: "https://a.example.com", client_id: gateway, client_secret: secret-of-the-tests, events: "https://a.example.com/events", on_stale: ${policy} } }\nupstreams: { a: { url: "http://127.0.0.1:9000" } }\nroutes: [{ match: { path: / }, upstream: a, scope: x }]\n`,
    );
    const { status, stdout } = check(path);
    t.equal(status, 0);
    t.ok(stdout.endsWith(`When the revocation feed of \`main\` is silent for more than 60 s, ${sentence}\n`), stdout);
  }
});

t.test('for a file in shadow mode, check warns that the upstream cannot trust fields about callers', async (t) => {
  const text = (mode: string) =>
    `version: 1\nupstreams: { a: { url: "http://127.0.0.1:9000" } }\nroutes: [{ match: { path: / }, upstream: a, access: public, mode: ${mode} }]\n`;
  const told = /In shadow mode, X-Auth-User, X-Forwarded-For and similar fields reach the API as callers write them/;
  const shadow = check(file('shadow.yaml', text('shadow')));
  t.match(shadow.stdout, told);
  t.equal(shadow.status, 0);
  t.notMatch(check(file('enforced.yaml', text('enforce'))).stdout, told);
});
