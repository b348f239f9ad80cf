import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { decide, logIn, openTab } from '../authorization/browser/walk.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { answerOf, arrive, confidential, runForLogin, startLogin } from './logging-in.ts';

/** Starts a program in each test: 60 s on a busy machine. */
t.setTimeout(120_000);

t.test(
  'standard output has only the token, and standard error says who signed in, for what and for how long',
  async (t) => {
    const service = await runForLogin(t);
    const login = await startLogin(t, service.issuer, ['--scope', 'openid profile orders.read']);
    const page = await arrive(await answerOf(login));
    t.equal(page.status, 200);
    t.match(page.body, 'You are signed in');
    t.match(page.body, 'You can close this tab.');
    t.equal(page.headers.get('cache-control'), 'no-store');
    const { status, stdout, stderr } = await login.ended();
    t.equal(status, 0, stderr);
    t.match(stdout, /^at_\S+\n$/);
    t.match(await service.introspect(stdout.trim()), { active: true, client_id: 'cli', sub: 'alice' });
    t.match(
      stderr,
      'Signed in as Alice Ng (sub alice).\nScope: openid profile orders.read\nThe token is valid for 1 h.\n',
    );
  },
);

t.test('--json prints the whole answer, with verified claims and userinfo', async (t) => {
  const service = await runForLogin(t);
  const args = ['--json', '--scope', 'openid email', '--resource', 'https://api.example.com'];
  const login = await startLogin(t, service.issuer, args);
  await arrive(await answerOf(login));
  const { status, stdout, stderr } = await login.ended();
  t.equal(status, 0, stderr);
  const answer = JSON.parse(stdout);
  t.match(answer, {
    access_token: /^at_/,
    token_type: 'Bearer',
    scope: 'openid email',
    id_token: /^ey/,
    claims: { iss: service.issuer, sub: 'alice', aud: 'cli' },
    userinfo: { email: 'alice@example.com' },
  });
  t.match(await service.introspect(answer.access_token), { aud: 'https://api.example.com' });
});

t.test('a request without openid gives a token, and the summary says why it names no user', async (t) => {
  const service = await runForLogin(t);
  const login = await startLogin(t, service.issuer, ['--scope', 'orders.read']);
  await arrive(await answerOf(login));
  const { status, stdout, stderr } = await login.ended();
  t.strictSame([status, stdout.length > 10], [0, true]);
  t.match(
    stderr,
    'The answer has no ID token, so the command does not know the user. Servers with OpenID Connect send an ID token for the scope `openid`.',
  );
});

t.test('the secret of a client comes from standard input', async (t) => {
  const service = await runForLogin(t);
  const args = ['--client-id', confidential.client_id, '--client-secret'];
  const right = await startLogin(t, service.issuer, args, { input: `${confidential.client_secret}\n` });
  await arrive(await answerOf(right));
  t.match(await right.ended(), { status: 0, stdout: /^at_/ });

  const wrong = await startLogin(t, service.issuer, args, { input: 'another' });
  t.equal((await arrive(await answerOf(wrong))).status, 400);
  t.match(await wrong.ended(), {
    status: 1,
    stdout: '',
    stderr: /answers invalid_client .*: check the secret of the client cli-with-secret\n$/,
  });
  const none = await startLogin(t, service.issuer, args.slice(0, 2));
  await arrive(await answerOf(none));
  t.match(await none.ended(), { status: 1, stderr: /if the client cli-with-secret has a secret, add --client-secret/ });
});

t.test('an answer with another state is ignored, and the command still waits for its own', async (t) => {
  const service = await runForLogin(t);
  const login = await startLogin(t, service.issuer);
  const answer = await answerOf(login);
  for (const state of ['other', '']) {
    const page = await arrive(answer, { state });
    t.equal(page.status, 400);
    t.match(page.body, 'This answer belongs to another sign-in');
  }
  const twice = new URL(answer);
  twice.searchParams.append('state', twice.searchParams.get('state') ?? '');
  t.equal((await arrive(twice)).status, 400, 'the state twice');
  t.ok(await until(() => login.stderr().includes('The command ignored an answer to another sign-in.')));
  t.equal((await arrive(answer)).status, 200);
  t.equal((await login.ended()).status, 0);
  await t.rejects(arrive(answer), 'nothing listens there any more');
});

/** The status of a request that a browser would not send in this form. */
function statusOf(url: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  return new Promise((resolve, reject) => {
    request(url, options, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
}

t.test('the server on loopback answers only GET at its path, and only for its own host', async (t) => {
  const service = await runForLogin(t);
  const port = await freePort();
  const login = await startLogin(t, service.issuer, ['--port', String(port)]);
  t.equal(login.redirectUri, `http://127.0.0.1:${port}/callback`);
  const answer = await answerOf(login);
  const { host } = answer;
  t.equal(await statusOf(`http://${host}/`), 404);
  t.equal(await statusOf(`http://${host}/favicon.ico`), 404);
  t.equal(await statusOf(answer.href, { method: 'POST' }), 405);
  for (const other of ['evil.example', `localhost:${port}`, '127.0.0.1'])
    t.equal(await statusOf(answer.href, { headers: { host: other } }), 421, other);
  t.equal((await arrive(answer)).status, 200);
  t.equal((await login.ended()).status, 0);
});

t.test('a user who denies the access ends the command with the error and a remedy', async (t) => {
  const service = await runForLogin(t);
  const login = await startLogin(t, service.issuer);
  const tab = openTab(service);
  const loggedIn = await logIn(tab, await tab.get(login.address.href));
  const { location } = await decide(tab, await tab.get(loggedIn.location?.href ?? ''), [], 'deny');
  const page = await arrive(location as URL);
  t.equal(page.status, 400);
  t.match(page.body, /The sign-in failed[\s\S]*access_denied[\s\S]*You can close this tab/);
  t.match(await login.ended(), {
    status: 1,
    stdout: '',
    stderr: /access_denied \("The user denied the request."\): run the command again, and allow the access\n$/,
  });
});

t.test('a scope that the client lacks ends the command with the error of the service', async (t) => {
  const service = await runForLogin(t);
  const login = await startLogin(t, service.issuer, ['--scope', 'openid everything']);
  await arrive(await answerOf(login));
  t.match(await login.ended(), { status: 1, stderr: /invalid_scope .*: request fewer scopes with --scope/ });
});

t.test('an answer of another issuer is refused, and its code goes nowhere (RFC 9207)', async (t) => {
  const service = await runForLogin(t);
  const login = await startLogin(t, service.issuer);
  const answer = await answerOf(login);
  const page = await arrive(answer, { iss: 'https://evil.example' });
  t.equal(page.status, 400);
  t.match(await login.ended(), { status: 1, stdout: '', stderr: /from the issuer "https:\/\/evil\.example"/ });
  t.notMatch(service.logged(), /"endpoint":"token"/);

  const without = await startLogin(t, service.issuer);
  const bare = await answerOf(without);
  bare.searchParams.delete('iss');
  await arrive(bare);
  t.match(await without.ended(), { status: 1, stderr: /from the issuer none/ });
});

t.test('text of a stranger controls neither the page nor the terminal', async (t) => {
  const service = await runForLogin(t);
  const login = await startLogin(t, service.issuer);
  const url = new URL(login.redirectUri);
  const state = login.address.searchParams.get('state') ?? '';
  const description = '<script>x</script>\u001b[2J';
  url.search = new URLSearchParams({
    error: '\u001b]0;x',
    error_description: description,
    state,
    iss: service.issuer,
  }).toString();
  const { body } = await arrive(url);
  t.notMatch(body, '<script>');
  const { stderr } = await login.ended();
  t.notOk(stderr.includes('\u001b'));
});

t.test('Ctrl-C ends the command at once, and nothing listens any more', async (t) => {
  const service = await runForLogin(t);
  const login = await startLogin(t, service.issuer);
  login.process.kill('SIGINT');
  t.match(await login.ended(), { status: 1, stdout: '', stderr: /gatehouse: the login was interrupted\n$/ });
  await t.rejects(fetch(login.redirectUri));
});

t.test('without an answer in time, the message says how to register the redirect address', async (t) => {
  const service = await runForLogin(t);
  const login = await startLogin(t, service.issuer, ['--timeout', '10ms']);
  t.match(await login.ended(), {
    status: 1,
    stdout: '',
    stderr: /no answer within 0 s: .*register http:\/\/127\.0\.0\.1\/callback for the client cli/,
  });
});

t.test('an unregistered redirect address shows in the browser, and in the file before the browser opens', async (t) => {
  const service = await runForLogin(t);
  const login = await startLogin(t, service.issuer, ['--client-id', 'web']);
  const page = await openTab(service).get(login.address.href);
  t.equal(page.status, 400);
  t.match(page.body, 'redirect_refused');
  login.process.kill('SIGTERM');
  t.equal((await login.ended()).status, 1);

  const file = `version: 1
issuer: ${service.issuer}
resources: [https://api.example.com]
scopes: { orders.read: Read }
clients:
  - { client_id: page, redirect_uris: ["https://page.example.com/"], scope: orders.read, grant_types: [authorization_code] }
  - { client_id: robot, client_secret: cs_robot-secret-of-32-bytes-or-so, scope: orders.read, grant_types: [client_credentials] }
`;
  const cwd = t.testdir({ 'authorization.yaml': file });
  for (const [client, told] of [
    ['page', /add http:\/\/127\.0\.0\.1\/callback to the `redirect_uris` of the client page\n$/],
    ['robot', /add this grant type to the `grant_types` of the client\n$/],
  ] as const)
    t.match(await command(t, ['login', '--client-id', client], { cwd }).ended(), { status: 1, stderr: told });
});

t.test('the issuer comes from the file, and a client of the store needs no entry there', async (t) => {
  const service = await runForLogin(t);
  const resources = '[https://api.example.com]';
  const cwd = t.testdir({ 'authorization.yaml': `version: 1\nissuer: ${service.issuer}\nresources: ${resources}\n` });
  const login = await startLogin(t, undefined, [], { cwd });
  t.equal((await arrive(await answerOf(login))).status, 200);
  t.equal((await login.ended()).status, 0);
});

t.test('the browser of the system opens the address, and --no-browser opens none', async (t) => {
  const service = await runForLogin(t);
  const folder = t.testdir({
    'xdg-open': '#!/bin/sh\nprintf %s "$1" > "$OPENED.part" && mv "$OPENED.part" "$OPENED"\n',
  });
  const opened = join(folder, 'opened');
  chmodSync(join(folder, 'xdg-open'), 0o755);
  const env = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ':1', OPENED: opened };
  const quiet = await startLogin(t, service.issuer, [], { env });
  quiet.process.kill('SIGINT');
  await quiet.ended();
  t.notOk(existsSync(opened));
  const login = command(t, ['login', '--issuer', service.issuer, '--client-id', 'cli'], { env });
  t.ok(await until(() => existsSync(opened)), login.stderr());
  t.match(login.stderr(), readFileSync(opened, 'utf8'));
});
