import { PassThrough } from 'node:stream';
import t from 'tap';
import { buildPasswords } from '../../src/base/passwords.ts';
import { readSecret } from '../../src/commands/common/read-secret.ts';
import { command, commandReading } from '../support/command.ts';

const hashPassword = (input: string | Uint8Array, ...args: string[]) =>
  commandReading(input, ['hash-password', ...args]);

t.test('the password from standard input, without its last line break, becomes a hash that verifies', async (t) => {
  for (const end of ['', '\n', '\r\n']) {
    const { status, stdout } = await hashPassword(`wonder land${end}`);
    t.equal(status, 0);
    t.match(await buildPasswords().verify(stdout.trimEnd(), 'wonder land'), { kind: 'matches', needsRehash: false });
  }
});

t.test('--json prints the member of the configuration file', async (t) => {
  const { stdout } = await hashPassword('wonderland\n', '--json');
  t.match(JSON.parse(stdout), { password_argon2: /^\$argon2id\$/ });
});

t.test('an invalid password exits with 1 and one line that says why, without the password', async (t) => {
  const cases: readonly (readonly [string | Uint8Array, RegExp])[] = [
    ['', /the password is empty/],
    ['rabbit\n', /fewer than 8 characters/],
    ['white\trabbit', /control character/],
    ['x'.repeat(1025), /longer than 1024 bytes/],
    ['x'.repeat(100_000), /too long/],
    [Buffer.from([0xff, 0xfe, 0x41]), /not UTF-8/],
  ];
  for (const [input, words] of cases) {
    const ended = await hashPassword(input);
    t.match(ended, { status: 1, stdout: '', stderr: words });
    t.notMatch(ended.stderr, /rabbit|xxx|\n./);
  }
});

t.test('a password among the arguments is a usage error', async (t) => {
  t.match(await command(t, ['hash-password', 'wonderland']).ended(), { status: 2, stdout: '' });
  t.match(await command(t, ['hash-password', '--help']).ended(), {
    status: 0,
    stdout: /It takes no password from the arguments/,
  });
});

/** The parts of a terminal that `readSecret` needs. It provides keys, and keeps what is written. */
function terminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = new PassThrough();
  const shown: string[] = [];
  output.on('data', (chunk) => shown.push(String(chunk)));
  return { input, output, shown: () => shown.join('') };
}

async function typed(...keys: string[]) {
  const { input, output, shown } = terminal();
  const read = readSecret('Password', { input, output });
  for (const key of keys) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    input.write(key);
  }
  return { secret: await read, shown: shown() };
}

t.test('at a terminal the password is requested twice, and never shown', async (t) => {
  const { secret, shown } = await typed('wonderland\r', 'wonderland\r');
  t.strictSame(secret, { kind: 'read', text: 'wonderland' });
  t.equal(shown, 'Password: \nPassword, again: \n');
});

t.test('two passwords that differ are an error, and so are Ctrl-C and the end of the input', async (t) => {
  t.match((await typed('wonderland\r', 'wonderlane\r')).secret, { kind: 'unreadable', message: /two inputs differ/ });
  t.match((await typed('wonder\u0003')).secret, { kind: 'unreadable', message: /nothing was read/ });
  t.match((await typed('\u0004')).secret, { kind: 'unreadable', message: /nothing was read/ });
});
