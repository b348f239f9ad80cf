import { join } from 'node:path';
import t from 'tap';
import { replicasOf } from '../../src/commands/live/admin-options.ts';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { command } from '../support/command.ts';
import { inTerminal, noPseudoTerminal } from '../support/pseudo-terminal.ts';
import { until } from '../support/until.ts';
import { refusingAdmin, scriptedAdmin } from './live-admin.ts';

/** Starts the program for each command: 60 s beside other tests on a busy machine. */
t.setTimeout(120_000);

const SECRET = 'pass:wörd';

t.test('--user sends Basic to this machine, with the password of standard input or of a file', async (t) => {
  const admin = await scriptedAdmin(t, [{ path: '/a' }]);
  const file = join(t.testdir({ password: `${SECRET}\n` }), 'password');
  const asked = ['decisions', '--admin', admin.url, '--user', 'alice'];
  const typed = await command(t, asked, { input: `${SECRET}\n` }).ended();
  const stored = await command(t, [...asked, '--follow', '--limit', '1', '--password-file', file]).ended();
  t.strictSame([typed.status, stored.status], [0, 0], typed.stderr + stored.stderr);
  const sent = admin.asked.map(({ headers }) => headers.authorization);
  t.strictSame(sent, [formatBasic('alice', SECRET), formatBasic('alice', SECRET)]);
});

t.test(
  'at a terminal, top asks once for the password, does not show it, and then reads keys',
  { skip: noPseudoTerminal },
  async (t) => {
    const admin = await scriptedAdmin(t, [{ route: 'books', code: 'forwarded' }]);
    const top = inTerminal(t, ['top', '--admin', admin.url, '--user', 'alice']);
    t.ok(await until(() => top.written().includes('Password of alice: ')));
    top.send('hunter2\r');
    t.ok(await top.shows(/books/), top.written());
    top.send('q');
    t.strictSame(await top.ended(), { status: 0, restored: true });
    t.notMatch(top.written(), 'hunter2');
    t.equal(admin.asked[0]?.headers.authorization, formatBasic('alice', 'hunter2'));
  },
);

t.test('a password goes over https, and never over http to another machine', async (t) => {
  const passwordFile = join(t.testdir({ password: SECRET }), 'password');
  const asked = (admin: readonly string[]) => replicasOf({ config: '', admin, user: 'alice', passwordFile });
  const [replica] = await asked(['https://gateway.example.com:9901']);
  t.equal(replica?.authorization, formatBasic('alice', SECRET));
  for (const url of ['http://192.0.2.1:9901', 'http://localhost.example.com', 'http://127.0.0.1.example.com:9901'])
    await t.rejects(asked(['https://gateway.example.com', url]), { message: /neither https nor on this machine/ }, url);
});

t.test('an address with a password, and an incomplete login, are errors that repeat no secret', async (t) => {
  const inside = await command(t, ['decisions', '--admin', `http://alice:${SECRET}@127.0.0.1:9901`]).ended();
  t.equal(inside.status, 2);
  t.match(inside.stderr, '--user and --password-file');
  t.notMatch(inside.stderr, SECRET);
  const admin = ['decisions', '--admin', 'http://127.0.0.1:9'];
  const nobody = await command(t, [...admin, '--password-file', 'x']).ended();
  t.match(nobody, { status: 1, stderr: '--password-file needs --user NAME' });
  const missing = await command(t, [...admin, '--user', 'a', '--password-file', join(t.testdirName, 'none')]).ended();
  t.match(missing, { status: 1, stderr: /none cannot be read \(ENOENT\)/ });
  const empty = await command(t, [...admin, '--user', 'a']).ended();
  t.match(empty, { status: 1, stderr: 'the password of a: nothing was read' });
});

const refusals: readonly (readonly [number, readonly string[], RegExp])[] = [
  [401, [], /requires a login\. Use --user NAME/],
  [401, ['--user', 'alice'], /does not accept this user with this password/],
  [403, [], /does not allow this: x/],
  [404, [], /no console answers there/],
  [200, [], /no console answers there|no decisions/],
  [302, [], /answers with status 302/],
];

for (const [status, args, text] of refusals)
  t.test(`status ${status} ${args.length > 0 ? 'for a user ' : ''}is explained, and is not asked again`, async (t) => {
    const admin = await refusingAdmin(t, status, { error: 'x' });
    for (const more of [[], ['--follow']]) {
      const asked = ['decisions', '--admin', admin.url, ...args, ...more];
      const ended = await command(t, asked, { input: SECRET }).ended();
      t.match(ended, { status: 1, stdout: '', stderr: text });
    }
    t.equal(admin.asked.length, 2);
  });

t.test('a gateway with too many viewers says so, and is asked again', async (t) => {
  const admin = await refusingAdmin(t, 503, { error: 'too many viewers watch already' });
  const following = command(t, ['decisions', '--follow', '--admin', admin.url]);
  t.ok(await until(() => admin.asked.length > 1));
  following.process.kill('SIGINT');
  t.match(await following.ended(), { status: 1, stderr: /too many viewers watch already\. Trying again\n$/ });
});

t.test('the file must have an admin listener, and needs nothing else', async (t) => {
  const folder = t.testdir({
    'none.yaml': 'version: 1\n',
    'some.yaml': 'version: 1\nadmin: 127.0.0.1:9\nticket_keys: [short]\nupstreams: 7\n',
  });
  const none = await command(t, ['decisions', '--config', join(folder, 'none.yaml')]).ended();
  t.match(none, { status: 1, stderr: /has no `admin` listener: add `admin: 127\.0\.0\.1:9901`/ });
  const some = await command(t, ['decisions', '--config', join(folder, 'some.yaml')]).ended();
  t.match(some, { status: 1, stderr: 'http://127.0.0.1:9: nothing listens there' });
  const missing = await command(t, ['decisions', '--config', join(folder, 'missing.yaml')]).ended();
  t.match(missing, { status: 1, stderr: /or name the listener: --admin URL/ });
});
