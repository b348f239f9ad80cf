import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parseHtdigest } from '../../src/config/files/htdigest.ts';
import { parseHtpasswd } from '../../src/config/files/htpasswd.ts';
import { readUserFile } from '../../src/config/files/user-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PHC = '$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const APR1 = '$apr1$thTWWBSm$U.yohjCZA73Gf9qCWB7Hy1';
const SSHA = '{SSHA}rX8b2vFogKL1wNbc4l4ZHFpUYS8BAgMEBQYHCA==';
const SHA = '{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=';

const told = ({ faults }: { faults: readonly { line: number; message: string }[] }) =>
  faults.map(({ line, message }) => `${line}: ${message}`);

t.test('a line of htpasswd is a name and a hash of a known kind', async (t) => {
  const text = `# people\r\nalice:${PHC}\r\n\r\n  bob:${APR1}  \ncarol:${SSHA}\nD\u0061\u0308n:${SHA}\n`;
  const { users, faults } = parseHtpasswd(text);
  t.strictSame(faults, []);
  t.strictSame(
    [...users].map(([name, { kind }]) => [name, kind]),
    [
      ['alice', 'argon2id'],
      ['bob', 'apr1'],
      ['carol', 'sha1'],
      ['D\u00e4n', 'sha1'],
    ],
  );
});

t.test('every bad line of htpasswd is reported with its number, without the hash', async (t) => {
  const lines = [
    'alice',
    `:${SHA}`,
    `a:${SHA}:b`,
    'old:e3WXnXCknrNzg',
    'x:secret',
    'y:$apr1$salt$short',
    'z:{SSHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=',
    `a:${SHA}`,
    `a:${SHA}`,
    'w:$argon2id$v=19$m=64',
    'b:$2y$05$short',
    `c:$2y$15$${'a'.repeat(53)}`,
  ];
  t.strictSame(told(parseHtpasswd(lines.join('\n'))), [
    '1: this is not `user:hash`',
    '2: a username must not be empty',
    '3: this is not `user:hash`',
    '4: the password of `old`: this is crypt(3), or plain text; only bcrypt, Argon2id, apr1, {SHA} and {SSHA} are accepted',
    '5: the password of `x`: this is plain text or an unknown scheme; only bcrypt, Argon2id, apr1, {SHA} and {SSHA} are accepted',
    '6: the password of `y`: this is not a complete apr1 hash',
    '7: the password of `z`: this is not a complete SHA-1 hash',
    '9: `a` occurs twice',
    '10: the password of `w`: this is not an Argon2id hash',
    '11: the password of `b`: this is not a complete bcrypt hash',
    '12: the password of `c`: the cost of bcrypt is 15; it must be from 4 to 14',
  ]);
});

t.test('a line of htdigest is name, realm and a hash whose length or name gives the algorithm', async (t) => {
  const [md5, sha] = ['939E7578ED9E3C518A452ACEE763BCE9', 'a'.repeat(64)];
  const { users, faults } = parseHtdigest(`a:r:${md5}\na:r:${sha}\na:r:SHA-512-256:${sha}\na:other:${md5}\n`);
  t.strictSame(faults, []);
  t.strictSame(
    users.map(({ realm, algorithm }) => `${realm} ${algorithm}`),
    ['r MD5', 'r SHA-256', 'r SHA-512-256', 'other MD5'],
  );
  t.equal(users[0]?.ha1, md5.toLowerCase());
});

t.test('every bad line of htdigest is reported with its number', async (t) => {
  const md5 = '0'.repeat(32);
  const lines = [
    'a',
    'a:r',
    'a:r:xyz',
    `a:r:MD5:${'0'.repeat(64)}`,
    `a:r:SHA-1:${md5}`,
    `a:r:${'g'.repeat(32)}`,
    `a:r:${md5}`,
    `a:r:MD5:${md5}`,
    `:r:${md5}`,
    `a:r:MD5:${md5}:x`,
  ];
  t.strictSame(told(parseHtdigest(lines.join('\n'))), [
    '1: this is not `user:realm:hash`',
    '2: this is not `user:realm:hash`',
    '3: the hash of `a` is not a hash of a known algorithm',
    '4: the hash of `a` is not a hash of a known algorithm',
    '5: the hash of `a` is not a hash of a known algorithm',
    '6: the hash of `a` is not a hash of a known algorithm',
    '8: `a` occurs twice for MD5',
    '9: a username must not be empty',
    '10: this is not `user:realm:hash`',
  ]);
});

function written(t: Test, text: string | Buffer, mode = 0o600) {
  const directory = temporaryFolder(t);
  writeFileSync(join(directory, 'users'), text);
  chmodSync(join(directory, 'users'), mode);
  return { directory };
}

t.test('a file that everyone may read or write is rejected, with the remedy', async (t) => {
  for (const mode of [0o644, 0o604, 0o602, 0o666]) {
    const read = readUserFile('users', written(t, `a:${SHA}`, mode), parseHtpasswd);
    t.match(
      read,
      { ok: false, faults: [{ message: /other users of this machine/, hint: /chmod 640 users/ }] },
      mode.toString(8),
    );
  }
  for (const mode of [0o600, 0o640, 0o400, 0o440])
    t.match(
      readUserFile('users', written(t, `a:${SHA}`, mode), parseHtpasswd),
      { ok: true, warnings: [] },
      `${mode.toString(8)}: of a Secret in Kubernetes it is 440`,
    );
  t.match(readUserFile('users', written(t, `a:${SHA}`, 0o660), parseHtpasswd), {
    ok: true,
    warnings: [{ message: 'the group of the file users can write to it', hint: 'chmod g-w users' }],
  });
});

t.test('faults name file and line; a missing file, or one that is not UTF-8, is one fault', async (t) => {
  const read = readUserFile('users', written(t, `a:${SHA}\nb`), parseHtpasswd);
  t.match(read, { ok: false, faults: [{ message: 'users:2: this is not `user:hash`' }] });
  const directory = written(t, Buffer.from('j\xe4s:x', 'latin1'));
  t.match(readUserFile('users', directory, parseHtpasswd), { ok: false, faults: [{ message: /not UTF-8/ }] });
  t.match(readUserFile('absent', directory, parseHtpasswd), { ok: false, faults: [{ message: /does not exist/ }] });
});

t.test('the file is registered as a dependency of the configuration', async (t) => {
  const files = new Set<string>();
  const { directory } = written(t, '');
  readUserFile('users', { directory, files }, parseHtpasswd);
  t.strictSame([...files], [join(directory, 'users')]);
});
