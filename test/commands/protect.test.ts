// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { checkFile } from '../../src/commands/check.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { witness } from '../support/witness.ts';

t.test('protect forwards at once, refuses nothing, and says what it would refuse', async (t) => {
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
  const file = join(mkdtempSync(join(tmpdir(), 'gatehouse-')), 'gateway.yaml');
  writeFileSync(file, yaml);
  const warnings = (await checkFile(file)).map(({ severity, message }) => `${severity}: ${message}`);
  t.match(warnings, [/^warning: without an `audience`/], 'the printed file is accepted as it stands');
  t.equal(warnings.length, 1, 'and nobody can know the audience from outside');
  running.process.kill('SIGTERM');
  t.equal((await running.ended()).status, 0);
});

t.test('without --scope any valid token will do, and words that YAML would take for others stay text', async (t) => {
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

t.test('what cannot be protected is told with its place, exit 1', async (t) => {
  const told = await command(t, ['protect', 'ftp://127.0.0.1', '--issuer', 'http://127.0.0.1:9']).ended();
  t.match(told, { status: 1, stderr: /not an http or https URL/, stdout: '' });
  t.match(await command(t, ['protect', 'http://127.0.0.1']).ended(), { status: 2, stderr: /--issuer/ });
});
