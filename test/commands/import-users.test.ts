import { writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { parseHtdigest } from '../../src/config/files/htdigest.ts';
import { parseHtpasswd } from '../../src/config/files/htpasswd.ts';
import { commandReading } from '../support/command.ts';

const md5 = '939e7578ed9e3c518a452acee763bce9';
const SHA = '{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=';

function file(t: Test, text: string | Buffer): string {
  const path = `${t.testdir()}/users`;
  writeFileSync(path, text);
  return path;
}

const run = (...args: string[]) => commandReading('', ['import', ...args]);

t.test('htpasswd is converted, with a comment for each line that cannot be', async (t) => {
  const path = file(
    t,
    `\ufeff# old\r\nalice:${SHA}\r\nbob:$1$salt$abcdefghijklmnopqrstuv\r\n  carol:$y$j9T$x\nD\u0061\u0308n:${SHA}\n`,
  );
  const { status, stdout, stderr } = await run('htpasswd', path);
  t.equal(status, 0);
  t.equal(
    stdout,
    [
      `alice:${SHA}`,
      '# line 3: the password of `bob`: this is MD5-crypt; only bcrypt, Argon2id, apr1, {SHA} and {SSHA} are accepted',
      '# line 4: the password of `carol`: this is yescrypt or scrypt; only bcrypt, Argon2id, apr1, {SHA} and {SSHA} are accepted',
      `D\u00e4n:${SHA}`,
      '',
    ].join('\n'),
  );
  t.match(stderr, `${path}:3: the password of \`bob\`: this is MD5-crypt`);
  t.match(stderr, /`htpasswd -B FILE USER`/, 'with a remedy');
  t.strictSame(parseHtpasswd(stdout).faults, [], 'what is written out can be used as it is');
});

t.test("htdigest is converted to the gateway's form, and MD5 alone causes a remark", async (t) => {
  const long = `bob:r:SHA-512-256:${'A'.repeat(64)}`;
  const { status, stdout } = await run('htdigest', file(t, `alice:r:${md5.toUpperCase()}\n${long}\nx\n`));
  t.equal(status, 0);
  t.equal(
    stdout,
    [
      '# line 1: `alice` has only an MD5 hash, so the route must offer only MD5',
      `alice:r:${md5}`,
      long.toLowerCase().replace('sha', 'SHA'),
      '# line 3: this is not `user:realm:hash`',
      '',
    ].join('\n'),
  );
  t.strictSame(parseHtdigest(stdout).faults, []);
});

t.test('JSON output has the users and the lines that were left out, with their numbers', async (t) => {
  const { status, stdout } = await run('htpasswd', file(t, `alice:${SHA}\nbob\n`), '--json');
  t.equal(status, 0);
  t.match(JSON.parse(stdout), {
    users: [{ line: 1, username: 'alice', entry: `alice:${SHA}` }],
    left: [{ line: 2, message: 'this is not `user:hash`' }],
  });
});

t.test('a file that is not readable, or has no usable line, is a failure', async (t) => {
  const nothing = file(t, 'old:e3WXnXCknrNzg\n');
  t.match(await run('htpasswd', nothing), {
    status: 1,
    stdout: '',
    stderr: /users:1: .*\n.*no line could be imported/,
  });
  t.match(await run('htpasswd', `${nothing}.absent`), { status: 1, stderr: /does not exist/ });
  t.match(await run('htdigest', file(t, Buffer.from('j\xe4s:x', 'latin1'))), { status: 1, stderr: /is not UTF-8/ });
  t.match(await run('htdigest'), { status: 2, stderr: /missing required argument/ });
});

t.test('no control character of a file reaches the terminal', async (t) => {
  const { stdout, stderr } = await run('htpasswd', file(t, `a:${SHA}\nb\u001b[2Jc:x\n`));
  t.notOk(`${stdout}${stderr}`.includes('\u001b'));
});
