import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { storedHash } from '../../src/http-auth/digest-response.ts';
import { apache, skipWithoutApache } from '../support/apache.ts';
import { account } from '../support/digest-upstream.ts';
import { gateway, type TestGateway } from '../support/gateway.ts';
import { within } from '../support/until.ts';

/** The gateway as a client of Digest verifiers by other authors: Apache's, and one in Python. */

/** Starts programs: 9 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const routes = [{ id: 'all', match: { path: '/{rest*}' }, access: 'public', limits: { body: '8MiB' } }];

function before(t: Test, url: string, digest: object = {}): Promise<TestGateway> {
  const credentials = { digest: { ...account, ...digest } };
  return gateway(t, { upstreams: { legacy: { url, credentials } }, defaults: { upstream: 'legacy' }, routes });
}

const attempts = ({ log }: TestGateway) =>
  log.flatMap(({ upstream_attempts: count }) => (typeof count === 'number' ? [count] : []));

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

const modules = ['mpm_event', 'authn_core', 'authn_file', 'authz_core', 'authz_user', 'auth_digest'];
const skip = {
  apache: skipWithoutApache(modules),
  python: spawnSync('python3', ['--version']).status === 0 ? false : 'no python3 on the PATH',
};

/** An Apache that verifies Digest. */
function digestApache(t: Test, directives: readonly string[] = []): Promise<string> {
  return apache(t, {
    modules,
    lines: (folder) => {
      const { username, password } = account;
      writeFileSync(join(folder, 'www', 'page.txt'), 'a page of Apache');
      writeFileSync(join(folder, 'users'), `${username}:legacy:${storedHash('MD5', username, 'legacy', password)}\n`);
      return [
        '<Location "/">',
        '  AuthType Digest',
        '  AuthName legacy',
        '  AuthDigestProvider file',
        `  AuthUserFile ${folder}/users`,
        '  Require valid-user',
        ...directives.map((line) => `  ${line}`),
        '</Location>',
      ];
    },
  });
}

t.test('Apache lets requests of every kind through, a hundred at a time', { skip: skip.apache }, async (t) => {
  const scene = await before(t, await digestApache(t));
  t.equal((await fetch(`${scene.url}/page.txt`)).status, 200);
  const all = await Promise.all(Array.from({ length: 100 }, (_, n) => fetch(`${scene.url}/page.txt?n=${n}&a=%20`)));
  t.strictSame(
    await Promise.all(all.map(async (each) => `${each.status} ${await each.text()}`)),
    all.map(() => '200 a page of Apache'),
  );
  t.ok(
    all.every(({ headers }) => !headers.has('authentication-info')),
    'its rspauth is for us',
  );
  t.equal((await fetch(`${scene.url}/page.txt`, { method: 'HEAD' })).status, 200);
  for (const bytes of [10, 1024 * 1024, 3 * 1024 * 1024]) {
    const posted = await fetch(`${scene.url}/page.txt`, { method: 'POST', body: Buffer.alloc(bytes, 'b') });
    t.equal(posted.status, 200, `${bytes} bytes`);
    await posted.text();
  }
  t.equal((await fetch(`${scene.url}/none.txt`)).status, 404);
  t.ok(
    attempts(scene).every((each) => each === 1),
    'no nonce was refused',
  );
});

t.test('a nonce that Apache let end is replaced', { skip: skip.apache }, async (t) => {
  const scene = await before(t, await digestApache(t, ['AuthDigestNonceLifetime 1']));
  t.equal((await fetch(`${scene.url}/page.txt`)).status, 200);
  await pause(2100);
  const init = { method: 'POST', body: 'a=1' };
  t.equal((await fetch(`${scene.url}/page.txt`, init)).status, 200);
  t.strictSame(attempts(scene), [1, 2]);
});

t.test('Apache refuses a wrong password, and the client hears 502', { skip: skip.apache }, async (t) => {
  const scene = await before(t, await digestApache(t), { password: 'wrong' });
  const response = await fetch(`${scene.url}/page.txt`);
  t.equal(response.status, 502);
  t.equal(response.headers.get('www-authenticate'), null);
  t.match(await response.json(), { code: 'upstream_credentials_refused' });
});

async function python(t: Test, ...args: readonly string[]): Promise<string> {
  const script = fileURLToPath(new URL('../fixtures/digest-api.py', import.meta.url));
  const child = spawn('python3', [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => ended(child, 'SIGKILL'));
  const [port] = await within(once(createInterface(child.stdout), 'line'), 20_000, 'the port of the API');
  return `http://127.0.0.1:${port}`;
}

for (const args of [
  ['MD5', 'none'],
  ['MD5', 'auth'],
  ['SHA-256', 'auth'],
  ['SHA-256', 'auth-int'],
  ['SHA-512-256', 'auth'],
] as const) {
  t.test(`a verifier in Python: ${args.join(', ')}`, { skip: skip.python }, async (t) => {
    const scene = await before(t, await python(t, ...args));
    const body = Buffer.alloc(50_000, 'b');
    for (let round = 0; round < 4; round++) {
      t.equal(await (await fetch(`${scene.url}/a?b=${round}`)).text(), `GET /a?b=${round} 0`);
      t.equal(await (await fetch(`${scene.url}/a`, { method: 'PUT', body })).text(), 'PUT /a 50000');
    }
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => fetch(`${scene.url}/${n}`)));
    t.ok(
      all.every(({ status }) => status === 200),
      'a nonce serves five times, in order',
    );
    await Promise.all(all.map((each) => each.text()));
  });
}
