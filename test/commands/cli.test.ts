import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';

t.test('--help and --version succeed, everywhere', async (t) => {
  const version = await command(t, ['--version']).ended();
  t.match(version, { status: 0, stdout: /^\d+\.\d+\.\d+\n$/ });
  t.match(await command(t, ['--help']).ended(), { status: 0, stdout: 'authorization' });
  t.match(await command(t, ['gateway', '--help']).ended(), { status: 0, stdout: '--config' });
});

t.test('a usage error exits with 2 and says where help is', async (t) => {
  t.match(await command(t, ['gatewya']).ended(), { status: 2, stderr: 'gateway' });
  t.match(await command(t, ['gateway']).ended(), { status: 2, stderr: '--config' });
  t.match(await command(t, ['demo', '--gateway', 'x']).ended(), { status: 2, stderr: 'A port is a number' });
});

t.test('a file that does not load exits with 1 and names the place', async (t) => {
  const file = join(mkdtempSync(join(tmpdir(), 'gatehouse-')), 'gateway.yaml');
  writeFileSync(file, 'version: 1\nupstream: {}\n');
  t.match(await command(t, ['gateway', '--config', file]).ended(), { status: 1, stderr: `${file}:2:1` });
  t.match(await command(t, ['gateway', '--config', `${file}.missing`]).ended(), { status: 1, stderr: 'missing' });
});

t.test('a port that is taken is one line and exit 1, not a stack', async (t) => {
  const taken = createServer();
  await new Promise<void>((listening) => taken.listen(0, '127.0.0.1', listening));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  const { status, stderr } = await command(t, [
    'demo',
    '--gateway',
    String(port),
    '--authorization',
    String(await freePort()),
    '--api',
    String(await freePort()),
  ]).ended();
  t.equal(status, 1);
  t.match(stderr, `127.0.0.1:${port} is taken`);
  t.notMatch(stderr, /\n\s+at /);
});
