import t, { type Test } from 'tap';
import { stringify } from 'yaml';
import { command } from '../support/command.ts';
import { behind, gatewayYaml } from '../support/gateway.ts';
import { jwt } from '../support/tokens.ts';
import { rules, written } from './rules.ts';

const file = rules('explain.yaml', [
  'id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: orders.read, rewrite: { strip_prefix: /orders, add_prefix: /v1 }',
  'id: rest, match: { path: "/orders/{rest*}" }, access: public',
  'id: beta, match: { path: /beta, headers: { x-beta: "1" } }, access: optional',
]);

async function explained(t: Test, ...args: readonly string[]) {
  const { status, stdout, stderr } = await command(t, ['explain', '--config', file, '--json', ...args]).ended();
  t.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

t.test('explain tells the route and its line, each step, and what the upstream would get', async (t) => {
  const told = await explained(
    t,
    'GET',
    '/orders/7',
    '--scope',
    'orders.read',
    '--claims',
    '{"sub":"alice"}',
    '-H',
    'X-Auth-Subject: mallory',
  );
  t.match(told, { route: 'read', answer: { kind: 'forward' }, upstream: { upstream: 'api', target: '/v1/7' } });
  t.match(told.candidates, [
    { route: 'read', at: `${file}:7`, misfits: [] },
    { route: 'rest', misfits: ['less specific than read'] },
  ]);
  const headers = Object.fromEntries(told.upstream.headers);
  t.match(headers, { 'x-auth-subject': 'alice', authorization: '[redacted]', host: 'api.example.com' });
  t.strictSame(
    told.steps.map(({ verdict }: { verdict: string }) => verdict),
    Array(9).fill('passed'),
  );
});

t.test('a refusal names its step, the code, the challenge and the line of what was asked', async (t) => {
  const told = await explained(t, 'GET', '/orders/7', '--scope', 'other');
  t.match(told.answer, { status: 403, code: 'scope_insufficient', challenges: [/scope="orders.read"/] });
  const permit = told.steps.find(({ step }: { step: string }) => step === 'permit');
  t.match(permit, { verdict: 'refused', detail: /missing: orders.read; held: other/, at: `${file}:7` });
  t.equal(told.upstream, undefined);
});

t.test('what did not fit is said of every candidate, and a narrower route is not opened by a wider one', async (t) => {
  const told = await explained(t, 'POST', '/orders/7');
  t.match(told.answer, { status: 405, allow: ['GET'] });
  t.match(told.candidates, [
    { route: 'read', misfits: ['method: POST is not among GET'] },
    { route: 'rest', misfits: ['it is public, and the more specific read does not take POST'] },
  ]);
  t.match((await explained(t, 'GET', '/beta')).candidates, [
    { route: 'beta', misfits: ['header x-beta: 1: it is not so'] },
  ]);
  t.match((await explained(t, 'GET', '/beta', '-H', 'X-Beta: 1')).answer, { kind: 'forward' });
});

t.test('the target is judged as it stands', async (t) => {
  const told = await explained(t, 'GET', 'https://api.example.com/orders/../7');
  t.match(told.answer, { status: 400, code: 'target_dot_segment' });
});

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

t.test('in words it is one screen, and no control character of the request reaches the terminal', async (t) => {
  const args = ['explain', '--config', file, 'GET', '/orders/7', '--claims', '{"sub":"a\\u001b[2J"}'];
  const { stdout } = await command(t, args).ended();
  t.match(stdout, /^GET api\.example\.com\/orders\/7\n/);
  t.match(stdout, /permit +refused/);
  t.notMatch(stdout, '\u001b');
});

t.test('usage is told with exit status 2, a broken file with 1', async (t) => {
  const run = (...args: readonly string[]) => command(t, ['explain', ...args]).ended();
  t.match(await run('GET', 'orders', '--config', file), { status: 2 });
  t.match(await run('GET', '/', '--config', file, '--claims', '[]'), { status: 2, stderr: /JSON object/ });
  t.match(await run('GET', '/', '--config', file, '--token', 'abc'), { status: 2, stderr: /standard input/ });
  t.match(await run('GET', '/', '--config', file, '--scope', 'a', '--token-file', file), {
    status: 2,
    stderr: /one of/,
  });
  t.match(await run('GET', '/', '--config', `${file}.none`), { status: 1, stderr: /does not exist/ });
});
