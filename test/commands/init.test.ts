import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import t, { type Test } from 'tap';
import { programName } from '../../src/commands/common/program-name.ts';
import { command, commandReading } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { launcher } from '../support/launcher.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Starts the program for each command, and both programs: 25 s in .ci/run on a busy machine. */
t.setTimeout(180_000);

const AUDIENCE = 'https://api.example.com';

const init = (t: Test, ...args: readonly string[]) => command(t, ['init', ...args]).ended();
const own = (folder: string, api: string) => [folder, '--api', api, '--authorization', '--audience', AUDIENCE];

/** An authorization server that only has metadata. */
async function issuer(t: Test, named?: string): Promise<string> {
  const server = createServer((request, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const known = request.url === '/.well-known/oauth-authorization-server';
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    const about = { jwks_uri: `${url}/keys`, introspection_endpoint: `${url}/introspect` };
    response.end(JSON.stringify(known ? { issuer: named ?? url, ...about } : {}));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function isValid(t: Test, folder: string, ...names: readonly string[]): Promise<void> {
  const files = names.map((name) => join(folder, name));
  const { status, stdout, stderr } = await command(t, ['check', '--strict', ...files]).ended();
  t.equal(status, 0, `${stdout}${stderr}`);
}

t.test(
  'with flags: both files pass check --strict and contain no secret, and only their owner can read secrets',
  async (t) => {
    const folder = join(t.testdir(), 'new/setup');
    const { status, stdout, stderr } = await init(
      t,
      ...own(folder, 'http://127.0.0.1:9000/v1'),
      '--scope',
      'orders.read',
    );
    t.equal(status, 0, stderr);
    await isValid(t, folder, 'gateway.yaml', 'authorization.yaml');
    const secrets = readdirSync(join(folder, 'secrets')).filter((name) => !name.startsWith('.'));
    t.strictSame(secrets.sort(), ['first-client', 'gateway', 'ticket.key']);
    const yaml = ['gateway.yaml', 'authorization.yaml']
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
    for (const name of secrets) {
      const file = join(folder, 'secrets', name);
      t.equal(statSync(file).mode & 0o777, 0o600, name);
      const secret = readFileSync(file, 'utf8').trim();
      t.ok(secret.length >= 43, name);
      t.notMatch(`${yaml}${stdout}${stderr}`, secret);
    }
    t.match(yaml, /^tests:/m);
    t.match(yaml, 'rewrite: { add_prefix: /v1 }'.replace('/v1', '"/v1"'));
  },
);

t.test('with several --scope both files have all of the scopes, and they are valid', async (t) => {
  const folder = t.testdir();
  const scopes = ['--scope', 'orders.read', '--scope', 'orders.write stock.read'];
  const { status, stderr } = await init(t, ...own(folder, 'http://127.0.0.1:9000'), ...scopes);
  t.equal(status, 0, stderr);
  await isValid(t, folder, 'gateway.yaml', 'authorization.yaml');
  for (const name of ['gateway.yaml', 'authorization.yaml'])
    t.match(readFileSync(join(folder, name), 'utf8'), 'scope: "orders.read orders.write stock.read"', name);
});

t.test('both programs start with the files: 401, and 200 with a token of the service', async (t) => {
  const api = await witness(t);
  const folder = t.testdir();
  t.equal((await init(t, ...own(folder, api.url), '--listen', `127.0.0.1:${await freePort()}`)).status, 0);
  const [port, service] = [await freePort(), await freePort()];
  // The ports of the files may be in use on the test machine.
  for (const name of ['gateway.yaml', 'authorization.yaml']) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('localhost:8081', `localhost:${service}`));
  }
  const env = { GATEHOUSE__HEALTH: '127.0.0.1:0' };
  const listen = (at: number) => ({ ...env, GATEHOUSE__LISTEN: `127.0.0.1:${at}` });
  const issuing = command(t, ['authorization'], { cwd: folder, env: listen(service) });
  t.ok(await issuing.prints('is ready'), issuing.stderr());
  const gateway = command(t, ['gateway'], { cwd: folder, env: { ...listen(port), GATEHOUSE__ADMIN: '127.0.0.1:0' } });
  t.ok(await gateway.prints('gateway is listening'), gateway.stderr());
  const orders = `http://127.0.0.1:${port}/orders`;
  t.equal((await fetch(orders)).status, 401);
  const secret = readFileSync(join(folder, 'secrets/first-client'), 'utf8').trim();
  const answer = await fetch(`http://localhost:${service}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`first-client:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  t.equal((await fetch(orders, { headers: { authorization: `Bearer ${access_token}` } })).status, 200);
});

t.test('without a terminal it lists the missing flags, and writes nothing', async (t) => {
  const folder = t.testdir();
  const bare = await init(t, folder);
  t.match(bare, {
    status: 2,
    stderr: /missing, and there is no terminal .*: --api URL, --issuer URL or --authorization, --audience URI\n/,
  });
  t.match(await init(t, folder, '--api', 'http://127.0.0.1:9', '--authorization'), {
    status: 2,
    stderr: /missing, and there is no terminal .*: --audience URI\n/,
  });
  t.strictSame(readdirSync(folder), []);
});

t.test('a value that no file can have is reported by its flag, and nothing is written', async (t) => {
  const folder = t.testdir();
  const wrong: readonly (readonly [string[], RegExp])[] = [
    [['--api', 'localhost:9000'], /--api: .*Write http:\/\/localhost:9000/],
    [['--api', 'ftp://a.example'], /--api: .*http: or https:/],
    [['--api', 'http://a.example?x'], /--api: .*query/],
    [['--issuer', 'http://auth.example.com'], /--issuer: others can read and change http traffic/],
    [['--audience', 'orders'], /--audience: .*URI/],
    [['--scope', 'a "b"'], /--scope: /],
    [['--listen', '8080'], /--listen: write host and port/],
    [['--client-id', 'x'], /--client-id needs --issuer/],
    [['--authorization', '--issuer', 'https://a.example'], /either --issuer or --authorization/],
  ];
  for (const [args, told] of wrong)
    t.match(await init(t, folder, ...args), { status: 2, stderr: told }, args.join(' '));
  t.match(await init(t, ...own(folder, 'http://user:pw@a.example')), { status: 1, stderr: /nothing is written/ });
  t.strictSame(readdirSync(folder), []);
});

t.test('an existing file is not overwritten without --force', async (t) => {
  const folder = t.testdir({ 'gateway.yaml': 'mine\n' });
  const args = own(folder, 'http://127.0.0.1:9000');
  t.match(await init(t, ...args), {
    status: 1,
    stderr: /these files exist: gateway\.yaml\. Nothing is written; --force/,
  });
  t.equal(readFileSync(join(folder, 'gateway.yaml'), 'utf8'), 'mine\n');
  t.notOk(existsSync(join(folder, 'secrets')));
  t.equal((await init(t, ...args, '--force')).status, 0);
  await isValid(t, folder, 'gateway.yaml', 'authorization.yaml');
  mkdirSync(join(folder, 'file'));
  writeFileSync(join(folder, 'file/secrets'), '');
  t.match(await init(t, ...own(join(folder, 'file'), 'http://127.0.0.1:9000')), {
    status: 1,
    stderr: /cannot be written/,
  });
});

/** Each file below a folder, with its contents. */
function contentsOf(folder: string): object {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  return Object.fromEntries(
    names.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]),
  );
}

t.test('--force writes all files or none, and leaves no other files', async (t) => {
  const folder = t.testdir();
  const args = own(folder, 'http://127.0.0.1:9000');
  t.equal((await init(t, ...args)).status, 0);
  rmSync(join(folder, 'data'), { recursive: true });
  writeFileSync(join(folder, 'data'), 'a file');
  const before = contentsOf(folder);
  const forced = [...own(folder, 'http://127.0.0.1:9999'), '--force', '--new-secrets'];
  t.match(await init(t, ...forced), { status: 1, stderr: /data\/\.gitignore cannot be written \(E/ });
  t.strictSame(contentsOf(folder), before);
  rmSync(join(folder, 'data'));
  mkdirSync(join(folder, 'data/.gitignore'), { recursive: true });
  const rest = contentsOf(folder);
  t.match(await init(t, ...forced), { status: 1, stderr: /data\/\.gitignore cannot be written \(EISDIR\)/ });
  t.strictSame(contentsOf(folder), rest, 'those that were in place already are taken back');
});

t.test('--force keeps the secrets, which running programs may use; --new-secrets creates new ones', async (t) => {
  const folder = t.testdir();
  const args = own(folder, 'http://127.0.0.1:9000');
  await init(t, ...args);
  const names = ['ticket.key', 'gateway', 'first-client'].map((name) => join(folder, 'secrets', name));
  const secrets = () => names.map((name) => readFileSync(name, 'utf8'));
  const first = secrets();
  const forced = await init(t, ...own(folder, 'http://127.0.0.1:9999'), '--force');
  t.match(forced, { status: 0, stdout: /Kept unchanged.*:\n(?:.*secrets\/.*\n){3}/ });
  t.strictSame(secrets(), first);
  t.match(readFileSync(join(folder, 'gateway.yaml'), 'utf8'), 'http://127.0.0.1:9999');
  t.equal((await init(t, ...args, '--force', '--new-secrets')).status, 0);
  for (const secret of secrets()) t.notOk(first.includes(secret));
  for (const name of names) t.equal(statSync(name).mode & 0o777, 0o600, name);
  t.match(await init(t, ...args, '--new-secrets'), { status: 2, stderr: /--new-secrets needs --force/ });
});

t.test('--force replaces a link, and does not write to its target', async (t) => {
  const folder = t.testdir({ elsewhere: 'mine', 'gateway.yaml': t.fixture('symlink', 'elsewhere') });
  t.equal((await init(t, ...own(folder, 'http://127.0.0.1:9000'), '--force')).status, 0);
  t.equal(readFileSync(join(folder, 'elsewhere'), 'utf8'), 'mine');
  t.notOk(lstatSync(join(folder, 'gateway.yaml')).isSymbolicLink());
});

t.test('the secrets, the database and its key are ignored by git', async (t) => {
  const folder = t.testdir();
  await init(t, ...own(folder, 'http://127.0.0.1:9000'));
  for (const name of ['secrets', 'data']) {
    t.match(readFileSync(join(folder, name, '.gitignore'), 'utf8'), /^\*$/m);
    t.equal(statSync(join(folder, name)).mode & 0o777, 0o700, name);
  }
});

t.test('--json lists the written files, and the next steps', async (t) => {
  const folder = t.testdir();
  const { stdout } = await init(t, ...own(folder, 'http://127.0.0.1:9000'), '--json');
  const { written, next } = JSON.parse(stdout) as { written: { path: string; secret: boolean }[]; next: string[] };
  t.strictSame(
    written.filter(({ secret }) => secret).map(({ path }) => path),
    ['ticket.key', 'gateway', 'first-client'].map((name) => join(folder, 'secrets', name)),
  );
  for (const { path } of written) t.ok(existsSync(path), path);
  t.ok(next.some((step) => step.startsWith(`${programName(launcher)} gateway `)));
  // Pasted as they are, the last step still gets its token: the others run in the background.
  t.match(next, [/ check .*[^&]$/, / authorization .* &$/, / gateway .* &$/, /^curl .*--retry-connrefused/]);
});

t.test('for another issuer, its metadata are read, and an issuer with another name is rejected', async (t) => {
  const folder = t.testdir();
  const there = await issuer(t);
  const args = [folder, '--api', 'http://127.0.0.1:9000', '--audience', AUDIENCE, '--issuer'];
  const wrong = await issuer(t, 'https://other.example');
  t.match(await init(t, ...args, wrong), {
    status: 1,
    stderr: /--issuer: metadata of \S+ names the issuer "https:\/\/other\.example"/,
  });
  t.strictSame(readdirSync(folder), []);
  const { status, stderr } = await init(t, ...args, there);
  t.equal(status, 0, stderr);
  t.match(stderr, `its keys are at ${there}/keys`);
  t.strictSame(readdirSync(folder).sort(), ['gateway.yaml', 'secrets']);
  await isValid(t, folder, 'gateway.yaml');
  const away = await init(t, ...args, `http://127.0.0.1:${await freePort()}`, '--force');
  t.match(away, { status: 0, stderr: /does not answer now .*doctor/ });
});

t.test('the secret of a client at another server comes from standard input', async (t) => {
  const folder = t.testdir();
  const flags = ['--api', 'http://127.0.0.1:9000', '--audience', AUDIENCE, '--issuer', await issuer(t)];
  const told = await commandReading('a-secret-of-somebody-else\n', [
    'init',
    folder,
    ...flags,
    '--client-id',
    'gateway',
  ]);
  t.equal(told.status, 0, told.stderr);
  const nothing = await commandReading('', ['init', folder, ...flags, '--client-id', 'gateway', '--force']);
  t.match(nothing, { status: 1, stderr: /the secret of gateway: nothing was read/ });
  t.equal(readFileSync(join(folder, 'secrets/gateway'), 'utf8'), 'a-secret-of-somebody-else\n');
  t.notMatch(readFileSync(join(folder, 'gateway.yaml'), 'utf8'), 'a-secret-of-somebody-else');
  await isValid(t, folder, 'gateway.yaml');
});

const skip = spawnSync('script', ['--version']).status === 0 ? false : 'script (util-linux) is not installed';

t.test('at a terminal it asks, and asks again after an invalid answer', { skip }, async (t) => {
  const folder = join(t.testdir(), 'asked');
  const line = `${process.execPath} ${launcher} init ${folder}`;
  const terminal = spawn('script', ['--quiet', '--flush', '--return', '--command', line, '/dev/null']);
  t.teardown(() => terminal.kill('SIGKILL'));
  const ended = once(terminal, 'close');
  let shown = '';
  terminal.stdout.on('data', (chunk) => (shown += String(chunk)));
  const answers: readonly (readonly [RegExp, string])[] = [
    [/The API.*: $/, 'localhost:9000'],
    [/Write http:\/\/localhost:9000[\s\S]*The API.*: $/, 'http://localhost:9000'],
    [/The authorization server.*: $/, ''],
    [/The audience of the tokens.*: $/, ''],
    [/an answer is required[\s\S]*The audience of the tokens.*: $/, AUDIENCE],
    [/The scope.*: $/, 'orders.read'],
  ];
  for (const [question, answer] of answers) {
    if (!(await until(() => question.test(stripVTControlCharacters(shown)), 20_000))) return t.fail(shown);
    shown = '';
    terminal.stdin.write(`${answer}\r`);
  }
  const [status] = await ended;
  t.equal(status, 0, shown);
  t.match(shown, /Written:[\s\S]*secrets\/ticket\.key {3}\(0600\)/);
  await isValid(t, folder, 'gateway.yaml', 'authorization.yaml');
});

t.test('an end of the input at a terminal writes nothing', { skip }, async (t) => {
  const folder = t.testdir();
  const line = `${process.execPath} ${launcher} init ${folder}`;
  const terminal = spawn('script', ['--quiet', '--flush', '--return', '--command', line, '/dev/null']);
  t.teardown(() => terminal.kill('SIGKILL'));
  const ended = once(terminal, 'close');
  let shown = '';
  terminal.stdout.on('data', (chunk) => (shown += String(chunk)));
  t.ok(await until(() => shown.includes('The API'), 30_000), shown);
  terminal.stdin.write('\x04');
  t.equal((await ended)[0], 1);
  t.match(shown, 'nothing is written');
  t.strictSame(readdirSync(folder), []);
});
