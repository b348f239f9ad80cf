import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { checkFile } from '../../src/commands/check.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-check-'));
t.teardown(() => rmSync(directory, { recursive: true }));
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

t.test('which of the two files it is, is seen from its keys', async (t) => {
  t.strictSame(checkFile(gateway, {}), []);
  t.strictSame(checkFile(authorization, {}), []);
  t.match(checkFile(file('other.yaml', 'hello: world\n'), {}), [
    { message: 'neither a gateway file nor an authorization file' },
  ]);
  t.match(checkFile(join(directory, 'none.yaml'), {}), [{ message: 'the file does not exist' }]);
});

t.test('sound files: exit status 0, a line for each', async (t) => {
  const { status, stdout } = check(gateway, authorization);
  t.equal(status, 0);
  t.equal(stdout, `${gateway}: valid\n${authorization}: valid\n`);
});

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
