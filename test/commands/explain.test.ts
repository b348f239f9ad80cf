import { fileURLToPath } from 'node:url';
import t from 'tap';
import { stringify } from 'yaml';
import { command } from '../support/command.ts';
import { behind, gatewayYaml } from '../support/gateway.ts';
import { JWT_BEGINS, jwt } from '../support/tokens.ts';
import { rules, written } from './rules.ts';

/** Starts the program for each command: 12 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const file = rules('explain.yaml', [
  'id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: orders.read, rewrite: { strip_prefix: /orders, add_prefix: /v1 }',
  'id: rest, match: { path: "/orders/{rest*}" }, access: public',
  'id: beta, match: { path: /beta, headers: { x-beta: "1" } }, access: optional',
]);

t.test('a token in a file is really verified', async (t) => {
  const config = written('explain-real.yaml', gatewayYaml(behind('http://127.0.0.1:9')));
  const token = written('token', await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
  const forged = written('forged', `${await jwt({ scope: 'orders.read' }, { alg: 'HS256' })}x`);
  const run = async (name: string) => {
    const { stdout } = await command(t, [
      'explain',
      '--config',
      config,
      '--json',
      'GET',
      '/orders/7',
      '--token-file',
      name,
    ]).ended();
    return JSON.parse(stdout);
  };
  t.match(await run(token), { answer: { kind: 'forward' }, route: 'orders' });
  t.match(await run(forged), { answer: { status: 401, code: 'token_signature' } });
});

t.test('a rejected token is printed beside what the file expects, with marks at the mismatches', async (t) => {
  const config = written('explain-token.yaml', gatewayYaml(behind('http://127.0.0.1:9')));
  const claims = { iss: 'https://auth.example.com/', scope: 'other', jti: 'hidden-word' };
  const token = written('token-refused', await jwt(claims, { alg: 'HS256' }));
  const args = ['explain', '--config', config, 'GET', '/orders/7', '--token-file', token];
  const { stdout, status } = await command(t, args).ended();
  t.equal(status, 0);
  t.match(stdout, /\nToken: a JWT, compared with `main`; its content is not verified\n {4}check +found +expected\n/);
  t.match(stdout, /\n {2}✓ alg +"HS256" +"HS256"\n/);
  t.match(stdout, /\n {2}✗ iss +"https:.*com\/" +"https:.*com" {2}\(differs only by a slash at the end\)\n/);
  t.match(stdout, /\n {2}✓ exp +20.*Z +later than 20.*Z {2}\(in \d+ min/);
  t.match(stdout, /\n {2}\? kid +"key-HS256" +not reached\n/);
  t.match(stdout, /\n {2}✗ scope +other +orders.read {2}\(missing: orders.read\)\n/);
  t.notMatch(stdout, /hidden-word/);
  t.notMatch(stdout, JWT_BEGINS);
});

t.test('an authorization server that is down is an outage, and exit status 0', async (t) => {
  const token = written('token-down', await jwt({ scope: 'orders.read' }));
  const server = {
    main: {
      issuer: 'https://auth.example.com',
      jwks_uri: 'http://127.0.0.1:9/jwks',
      audience: 'https://api.example.com',
    },
  };
  const config = written(
    'explain-down.yaml',
    stringify({ version: 1, ...behind('http://127.0.0.1:9', { authorization_servers: server }) }),
  );
  const args = ['explain', '--config', config, '--json', 'GET', '/orders/7', '--token-file', token];
  const { status, stdout } = await command(t, args).ended();
  t.equal(status, 0);
  t.match(JSON.parse(stdout).answer, { kind: 'unavailable', status: 503, code: 'authorization_server_unavailable' });
});

t.test('a mistyped method, and a scope that no route names, cause a warning and still get an answer', async (t) => {
  const said = async (method: string, ...more: readonly string[]) => {
    const { status, stdout, stderr } = await command(t, [
      'explain',
      '--config',
      file,
      method,
      '/orders/7',
      ...more,
    ]).ended();
    t.equal(status, 0);
    t.match(stdout, `${method} api.example.com/orders/7`);
    return stderr;
  };
  t.match(await said('GTE'), 'warning: `GTE` is an unusual method: did you mean `GET`?');
  t.match(await said('get'), 'warning: `get` is an unusual method: did you mean `GET`?');
  t.match(
    await said('GET', '--scope', 'orders.raed'),
    'warning: no route names the scope `orders.raed`: did you mean `orders.read`?',
  );
  t.equal(await said('GET', '--scope', 'orders.read'), '');
  t.equal(await said('PROPFIND'), '', 'a method of its own');
});

t.test('a mistyped operation, and a question without the message that its route reads, cause a warning', async (t) => {
  const tools = rules('tools.yaml', ['id: tools, match: { path: /mcp }, mcp: { scope: { "*": mcp.use } }']);
  const said = async (...more: readonly string[]) =>
    (await command(t, ['explain', '--config', tools, 'POST', '/mcp', '--scope', 'mcp.use', ...more]).ended()).stderr;
  t.match(
    await said(),
    "warning: this route has `mcp` and reads a message: add --mcp, such as --mcp 'tools/call NAME'",
  );
  t.match(await said('--mcp', 'tools/cal echo'), 'no method `tools/cal`: did you mean `tools/call`?');
  t.equal(await said('--mcp', 'tools/call echo'), '');
});

t.test('text output fits one screen, and contains no control character of the request', async (t) => {
  const args = ['explain', '--config', file, 'GET', '/orders/7', '--claims', '{"sub":"a\\u001b[2J"}'];
  const { stdout } = await command(t, args).ended();
  t.match(stdout, /^GET api\.example\.com\/orders\/7\n/);
  t.match(stdout, /permit +refused/);
  t.notMatch(stdout, '\u001b');
});

t.test('a usage error has exit status 2, a broken file 1', async (t) => {
  const run = (...args: readonly string[]) => command(t, ['explain', ...args]).ended();
  t.match(await run('GET', 'orders', '--config', file), { status: 2 });
  t.match(await run('GET', '/', '--config', file, '--claims', '[]'), { status: 2, stderr: /JSON object/ });
  t.match(await run('GET', '/', '--config', file, '--token', 'abc'), { status: 2, stderr: /standard input/ });
  t.match(await run('GET', '/', '--config', file, '--scope', 'a', '--token-file', file), {
    status: 2,
    stderr: /only one kind of credential: --token/,
  });
  t.match(await run('GET', '/', '--config', `${file}.none`), { status: 1, stderr: /does not exist/ });
});

t.test("a request given only by its path uses the listener's protocol: plain or TLS", async (t) => {
  const protoOf = async (config: string, url: string) => {
    const { stdout } = await command(t, ['explain', '--config', config, '--json', 'GET', url]).ended();
    return Object.fromEntries(JSON.parse(stdout).upstream.headers);
  };
  t.match(await protoOf(file, '/orders/7/x'), { 'x-forwarded-proto': 'http', forwarded: /proto=http(;|$)/ });
  t.match(await protoOf(file, 'https://api.example.com/orders/7/x'), { 'x-forwarded-proto': 'https' });
  const pem = (name: string) => fileURLToPath(new URL(`../vectors/tls/${name}`, import.meta.url));
  const files = `cert: "${pem('server.crt')}", key: "${pem('server.key')}"`;
  const listen = `listen: { host: 127.0.0.1, port: 8443, tls: { ${files} } }\n`;
  const tls = rules('explain-tls.yaml', ['match: { path: "/orders/{rest*}" }, access: public'], listen);
  t.match(await protoOf(tls, '/orders/7/x'), { 'x-forwarded-proto': 'https', forwarded: /proto=https/ });
});

t.test('an upstream with several URLs is shown with all of them, and gets no request', async (t) => {
  const api = { urls: ['http://127.0.0.1:9', 'http://127.0.0.1:10'], host: 'upstream', health: { path: '/healthz' } };
  const config = written('explain-urls.yaml', gatewayYaml(behind('', { upstreams: { api } })));
  const { stdout } = await command(t, ['explain', '--config', config, '--json', 'GET', '/public/a']).ended();
  const { upstream } = JSON.parse(stdout);
  t.equal(upstream.authority, '127.0.0.1:9 or 127.0.0.1:10');
  t.match(upstream.headers.at(0), ['host', '127.0.0.1:9']);
});
