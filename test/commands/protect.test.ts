// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { checkFile } from '../../src/commands/common/check-file.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { witness } from '../support/witness.ts';

/** Starts the program for each command: 15 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

t.test('protect forwards immediately, refuses nothing, and says what it would refuse', async (t) => {
  const upstream = await witness(t);
  const port = await freePort();
  const listen = `127.0.0.1:${port}`;
  const issuer = 'http://127.0.0.1:9';
  const running = command(t, [
    'protect',
    `${upstream.url}/v1`,
    '--issuer',
    issuer,
    '--scope',
    'a b',
    '--listen',
    listen,
  ]);
  t.ok(await running.prints('gateway is listening'), running.stderr());
  t.equal((await fetch(`http://${listen}/orders?x=1`)).status, 200);
  t.equal(upstream.seen[0]?.target, '/v1/orders?x=1');
  t.ok(await running.prints('"shadow":"credential_missing"'));

  const stdout = running.stdout();
  const yaml = stdout.slice(0, stdout.indexOf('\n{') + 1);
  t.match(parse(yaml), {
    listen,
    mode: 'shadow',
    authorization_servers: { main: { issuer } },
    routes: [{ scope: 'a b' }],
  });
  const file = join(temporaryFolder(t), 'gateway.yaml');
  writeFileSync(file, yaml);
  const warnings = (await checkFile(file)).map(({ severity, message }) => `${severity}: ${message}`);
  t.match(warnings, [/^warning: without an `audience`/], 'the printed file is accepted as it stands');
  t.equal(warnings.length, 1, 'and nobody can know the audience from outside');
  running.process.kill('SIGTERM');
  t.equal((await running.ended()).status, 0);
});

t.test('without --scope any valid token passes, and words that YAML reads as other types stay text', async (t) => {
  const { stdout } = await stopped([
    'http://127.0.0.1:9',
    '--issuer',
    'http://127.0.0.1:9/${x}?',
    '--listen',
    '127.0.0.1:0',
  ]);
  t.equal(stdout, '', 'an issuer with a query is no issuer');
  const running = command(t, [
    'protect',
    'http://127.0.0.1:9/',
    '--issuer',
    'http://127.0.0.1:9/${x}',
    '--listen',
    '127.0.0.1:0',
  ]);
  t.ok(await running.prints('gateway is listening'), running.stderr());
  t.match(running.stdout(), 'access: authenticated');
  t.match(running.stdout(), 'issuer: "http://127.0.0.1:9/$${x}"');

  async function stopped(args: readonly string[]) {
    const ended = await command(t, ['protect', ...args]).ended();
    t.equal(ended.status, 1);
    return ended;
  }
});

t.test('what cannot be protected is reported with its place, and exit 1', async (t) => {
  const told = await command(t, ['protect', 'ftp://127.0.0.1', '--issuer', 'http://127.0.0.1:9']).ended();
  t.match(told, { status: 1, stderr: /not an http or https URL/, stdout: '' });
  const secret = await command(t, ['protect', 'http://u:pw@127.0.0.1/a', '--issuer', 'http://127.0.0.1:9']).ended();
  t.match(secret, { status: 1, stdout: '', stderr: /credentials|user/ });
  t.match(await command(t, ['protect', 'http://127.0.0.1']).ended(), { status: 2, stderr: /--issuer/ });
});

t.test('a query or a fragment, which no request would get, is rejected', async (t) => {
  for (const url of ['http://127.0.0.1:9/a?q=1', 'http://127.0.0.1:9/a#b', 'http://127.0.0.1:9/?']) {
    const told = await command(t, ['protect', url, '--issuer', 'http://127.0.0.1:9']).ended();
    t.match(told, { status: 2, stdout: '', stderr: /has a query or a fragment.*leave out/s }, url);
  }
});

t.test('a path in another spelling is still put before each request', async (t) => {
  const listen = ['--listen', '127.0.0.1:0'];
  const running = command(t, ['protect', 'http://127.0.0.1:9/a b', '--issuer', 'http://127.0.0.1:9', ...listen]);
  t.ok(await running.prints('gateway is listening'), running.stderr());
  t.match(running.stdout(), 'api: { url: "http://127.0.0.1:9" }');
  t.match(running.stdout(), 'rewrite: { add_prefix: "/a%20b" }');
});
