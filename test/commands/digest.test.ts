import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { parseHtdigest } from '../../src/config/files/htdigest.ts';
import { storedHash } from '../../src/http-auth/digest-response.ts';
import { commandReading } from '../support/command.ts';

/** Starts the program for each command: 12 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const set = (input: string, ...args: string[]) => commandReading(input, ['digest', 'set', ...args]);

t.test('a user is written for every algorithm into a file that only its owner can read', async (t) => {
  const file = `${t.testdir()}/users`;
  t.match(await set('wonder land\n', 'alice', '--file', file, '--realm', 'r'), {
    status: 0,
    stdout: /^alice has hashes for SHA-256, SHA-512-256, MD5 in the realm r$/m,
  });
  const { users, faults } = parseHtdigest(readFileSync(file, 'utf8'));
  t.strictSame(faults, []);
  t.strictSame(
    users.map(({ algorithm, ha1 }) => ha1 === storedHash(algorithm, 'alice', 'r', 'wonder land') && algorithm),
    ['SHA-256', 'SHA-512-256', 'MD5'],
  );
  t.equal(statSync(file).mode & 0o777, 0o600);
});

t.test('with --algorithm, only these hashes are stored, and earlier ones of the user are removed', async (t) => {
  const file = `${t.testdir()}/users`;
  const algorithms = () => parseHtdigest(readFileSync(file, 'utf8')).users.map(({ algorithm }) => algorithm);
  await set('x', 'alice', '--file', file, '--realm', 'r');
  t.equal(algorithms().length, 3);
  const two = ['--algorithm', 'SHA-512-256', '--algorithm', 'SHA-256'];
  t.match(await set('x', 'alice', '--file', file, '--realm', 'r', ...two), {
    status: 0,
    stdout: /^alice has hashes for SHA-256, SHA-512-256 in the realm r$/m,
  });
  t.strictSame(algorithms(), ['SHA-256', 'SHA-512-256']);
  const one = await set('x', 'alice', '--file', file, '--realm', 'r', '--algorithm', 'SHA-256', '--json');
  t.match(JSON.parse(one.stdout), { algorithms: ['SHA-256'], replaced: true });
  t.strictSame(algorithms(), ['SHA-256']);
  const unknown = await set('x', 'alice', '--file', file, '--realm', 'r', '--algorithm', 'SHA-1');
  t.match(unknown, { status: 2, stderr: /Allowed choices are SHA-256, SHA-512-256, MD5/ });
});

t.test('a password is changed in its realm, and everything else stays', async (t) => {
  const rest = `# people\nbob:r:${'0'.repeat(32)}\nalice:other:${'1'.repeat(32)}\n`;
  const file = `${t.testdir({ users: `${rest}alice:r:${'2'.repeat(32)}\n` })}/users`;
  chmodSync(file, 0o644);
  t.match(await set('new', 'alice', '--file', file, '--realm', 'r'), { status: 0 });
  const text = readFileSync(file, 'utf8');
  t.ok(text.startsWith(rest));
  t.equal(text.split('\n').filter((line) => line.startsWith('alice:r:')).length, 3);
  t.equal(statSync(file).mode & 0o777, 0o640, 'what everybody could read is closed');
});

t.test('an invalid user, or a file that is not a file of users, changes nothing', async (t) => {
  const file = `${t.testdir({ users: 'broken\n' })}/users`;
  const cases: readonly (readonly [input: string, name: string, realm: string, RegExp])[] = [
    ['x', 'a:b', 'r', /must not contain a colon/],
    ['x', '#a', 'r', /must not begin with #/],
    ['x', 'a', 'r:s', /a realm must be printable ASCII without a colon/],
    ['', 'a', 'r', /the password is empty/],
    ['x', 'a', 'r', /users:1: this is not `user:realm:hash`/],
  ];
  for (const [input, name, realm, words] of cases)
    t.match(await set(input, name, '--file', file, '--realm', realm), { status: 1, stdout: '', stderr: words });
  t.equal(readFileSync(file, 'utf8'), 'broken\n');
  writeFileSync(file, '');
  t.match(await set('x', 'a', '--file', `${file}/none`, '--realm', 'r'), { status: 1, stderr: /cannot be/ });
});

t.test('users of a file are listed and removed, and everything else stays', async (t) => {
  const file = `${t.testdir({ users: `# people\nbob:r:${'0'.repeat(32)}\n` })}/users`;
  chmodSync(file, 0o600);
  await set('x', 'alice', '--file', file, '--realm', 'r');
  const digest = (...args: string[]) => commandReading('', ['digest', ...args, '--file', file]);
  const listed = await digest('list', '--json');
  t.strictSame(JSON.parse(listed.stdout), [
    { realm: 'r', username: 'bob', algorithms: ['MD5'] },
    { realm: 'r', username: 'alice', algorithms: ['SHA-256', 'SHA-512-256', 'MD5'] },
  ]);
  t.notMatch(listed.stdout, /[0-9a-f]{32}/, 'without a hash');
  t.match((await digest('list', '--realm', 'other')).stdout, /^USER\s+REALM\s+ALGORITHMS\s+CHANGED\n$/);
  t.match(await digest('remove', 'eve', '--realm', 'r'), { status: 1, stderr: /there is no user eve of the realm r/ });
  t.match(await digest('remove', 'alice', '--realm', 'r'), { status: 0, stdout: /alice can no longer log in to r/ });
  t.equal(readFileSync(file, 'utf8'), `# people\nbob:r:${'0'.repeat(32)}\n`);
});

t.test('users are in a file or in the store, and the command needs one of the two options', async (t) => {
  t.match(await set('x', 'alice', '--realm', 'r'), { status: 2, stderr: /give either --file or --config/ });
  const both = ['--realm', 'r', '--file', 'a', '--config', 'b'];
  t.match(await set('x', 'alice', ...both), { status: 2, stderr: /give either --file or --config/ });
});
