import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { command } from '../support/command.ts';
import { demoPorts } from '../support/demo-ports.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Starts programs: 17 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

t.test('--help and --version succeed, everywhere', async (t) => {
  for (const word of ['--version', '-v', '-V', 'version']) {
    const version = await command(t, [word]).ended();
    t.match(version, { status: 0, stdout: /^gatehouse \d+\.\d+\.\d+ \(node v\d+\.\d+\.\d+\)\n$/ });
  }
  t.match(await command(t, ['--help']).ended(), { status: 0, stdout: 'authorization' });
  t.match(await command(t, ['gateway', '--help']).ended(), { status: 0, stdout: '--config' });
});

t.test('the help lists every command below a heading, and starts with three requests', async (t) => {
  const { stdout } = await command(t, ['--help']).ended();
  t.match(stdout, /^To begin:\n {2}demo/m);
  t.match(stdout, /^The two programs:\n {2}gateway/m);
  t.match(stdout, /^Commands that change nothing:\n {2}check/m);
  t.match(stdout, /^Commands for clients.*:\n {2}client/m);
  t.match(stdout, /^Commands:\n {2}help .*\n\n/m, 'and nothing else is left over');
  t.match(stdout, /^Examples:\n( {2}gatehouse \w+ .*\n){3}/m);
});

t.test('a file without --config is a usage error that names the option', async (t) => {
  for (const args of [['health'], ['doctor'], ['gateway'], ['client', 'list'], ['explain', 'GET', '/a']])
    t.match(await command(t, [...args, 'edge.yaml']).ended(), {
      status: 2,
      stderr: /Did you mean `--config edge\.yaml`\?\n$/,
    });
});

t.test('a surplus argument is no reason to suggest an option that is there already', async (t) => {
  for (const option of [['--config', 'edge.yaml'], ['-cedge.yaml']])
    t.notMatch(await command(t, ['token', 'revoke', 'eyJhbGciOi', ...option]).ended(), { stderr: /Did you mean/ });
});

t.test('without --config the file is gateway.yaml or authorization.yaml in this folder', async (t) => {
  for (const [args, file] of [
    [['routes'], 'gateway.yaml'],
    [['client', 'list'], 'authorization.yaml'],
  ] as const) {
    const { status, stderr } = await command(t, args, { cwd: t.testdir({}) }).ended();
    t.equal(status, 1);
    t.match(stderr, `${file}:1:1: error: the file does not exist`);
    t.match(stderr, '--config FILE');
  }
});

t.test('a misspelled option is reported before a missing one', async (t) => {
  for (const [args, error] of [
    [['gateway', '--confg', 'x'], "unknown option '--confg'. Did you mean --config?"],
    [['protect', 'http://127.0.0.1:9', '--isuer=secret'], "unknown option '--isuer'. Did you mean --issuer?"],
    [['digest', 'set', 'alice', '--relm', 'x'], "unknown option '--relm'. Did you mean --realm?"],
    [['health', '--nothing'], "unknown option '--nothing'."],
  ] as const)
    t.match(await command(t, args).ended(), { status: 2, stderr: `error: ${error}\n(see --help)\n` });
});

t.test('--help works beside a misspelled option', async (t) => {
  t.match(await command(t, ['explain', '--help', '--bogus']).ended(), {
    status: 0,
    stdout: /^Usage: gatehouse explain/,
  });
});

t.test('a value that may be a secret is not repeated in an error', async (t) => {
  for (const args of [
    ['explain', 'GET', '/', '--token', 'eyJhbGciOi'],
    ['explain', 'GET', '/', '-H', 'Authorization Bearer eyJhbGciOi'],
    ['explain', 'GET', '/', '--claims', 'eyJhbGciOi'],
    ['token', 'revoke', 'eyJhbGciOi'],
    ['protect', 'user:eyJhbGciOi@127.0.0.1', '--issuer', 'http://127.0.0.1:9'],
  ]) {
    const { status, stderr } = await command(t, args).ended();
    t.equal(status, 2, stderr);
    t.notMatch(stderr, 'eyJhbGciOi');
  }
});

t.test('a secret cannot have a public default if its variable is not set', async (t) => {
  const cwd = t.testdir({
    'gateway.yaml': 'version: 1\nupstreams: { api: { url: "$' + '{API}$' + '{API_SECRET}" } }\n',
  });
  const set = async (env: NodeJS.ProcessEnv) => (await command(t, ['routes'], { cwd, env }).ended()).stderr;
  t.match(await set({}), 'give it a default');
  t.match(await set({ API: 'x' }), /API_SECRET is not set\n.*\n.*\n *set it, or read it from a file: \$\{file:PATH\}/);
});

t.test('a usage error exits with 2 and says where to find help', async (t) => {
  t.match(await command(t, ['gatewya']).ended(), { status: 2, stderr: 'gateway' });
  t.match(await command(t, ['protect', 'http://127.0.0.1:9']).ended(), { status: 2, stderr: '--issuer' });
  t.match(await command(t, ['demo', '--gateway', 'x']).ended(), { status: 2, stderr: 'A port is a number' });
});

t.test('a file that does not load exits with 1 and names the place', async (t) => {
  const file = join(temporaryFolder(t), 'gateway.yaml');
  writeFileSync(file, 'version: 1\nupstream: {}\n');
  t.match(await command(t, ['gateway', '--config', file]).ended(), { status: 1, stderr: `${file}:2:1` });
  t.match(await command(t, ['gateway', '--config', `${file}.missing`]).ended(), { status: 1, stderr: 'missing' });
});

t.test('a port in use is one line and exit 1, without a stack', async (t) => {
  const taken = createServer();
  await new Promise<void>((listening) => taken.listen(0, '127.0.0.1', listening));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  const { status, stderr } = await command(t, ['demo', ...(await demoPorts()), '--gateway', String(port)]).ended();
  t.equal(status, 1);
  t.match(stderr, `127.0.0.1:${port} is taken (\`listen\`): `, 'with the key of the file that names it');
  t.notMatch(stderr, /\n\s+at /);
});

t.test('an older Node.js looks for a newer one where it is installed, never in the current folder', (t) => {
  const launcher = readFileSync('bin/gatehouse.js', 'utf8').replace('[24, 15]', '[999, 0]');
  const ran = (parent: string) => {
    const folder = t.testdir({ [parent]: { '.bin': {}, gatehouse: { bin: { 'gatehouse.js': launcher } } } });
    const node = join(folder, parent, '.bin/node');
    writeFileSync(node, '#!/bin/sh\necho 999.0.0\n');
    chmodSync(node, 0o755);
    const file = join(folder, parent, 'gatehouse/bin/gatehouse.js');
    mkdirSync(join(folder, 'elsewhere'), { recursive: true });
    return spawnSync(process.execPath, [file, '--version'], { encoding: 'utf8', env: { PATH: 'elsewhere' } });
  };
  t.equal(ran('node_modules').stdout, '999.0.0\n');
  const beside = ran('shared');
  t.strictSame([beside.status, beside.stdout], [1, '']);
  t.match(beside.stderr, 'gatehouse needs Node.js 999.0');
  t.end();
});
