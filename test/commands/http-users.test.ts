import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { storedHash, userHash } from '../../src/http-auth/digest-response.ts';
import { openUserFacts } from '../../src/storage/open-users.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { digestLines } from '../support/user-files.ts';
import { commands } from './administered.ts';

// each command is a separate process

function place(test: Test) {
  const directory = temporaryFolder(test);
  const facts = openUserFacts('sqlite:gatehouse.db', { directory, clock: systemClock });
  test.teardown(() => facts.close());
  const audit = () =>
    readFileSync(join(directory, 'audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const written = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  return { directory, facts, audit, written, ...commands(directory) };
}

const md5 = '939e7578ed9e3c518a452acee763bce9';
const SHA = '{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=';
const APR1 = '$apr1$thTWWBSm$U.yohjCZA73Gf9qCWB7Hy1';

t.test(
  'a Digest user is saved in the store for every algorithm, listed and removed, and each change is reported',
  async (t) => {
    const { directory, facts, audit, json, gatehouse } = place(t);
    const set = json(['digest', 'set', 'Jäsøn', '--realm', 'r'], 'wonder land\n');
    t.strictSame(set, {
      username: 'Jäsøn',
      realm: 'r',
      algorithms: ['SHA-256', 'SHA-512-256', 'MD5'],
      replaced: false,
    });
    for (const algorithm of ['SHA-256', 'SHA-512-256', 'MD5'] as const) {
      const fact = { username: 'Jäsøn', ha1: storedHash(algorithm, 'Jäsøn', 'r', 'wonder land') };
      t.strictSame(await facts.findDigest({ realm: 'r', algorithm, name: 'Jäsøn', isHashed: false }), fact);
      const name = userHash(algorithm, 'Jäsøn', 'r');
      t.strictSame(await facts.findDigest({ realm: 'r', algorithm, name, isHashed: true }), fact);
      const held = ['', '-wal'].map((end) => tryRead(join(directory, `gatehouse.db${end}`))).join('');
      t.notOk(held.includes(fact.ha1), `the database does not hold it: ${algorithm}`);
      t.notOk(readFileSync(join(directory, 'audit.jsonl'), 'utf8').includes(fact.ha1));
    }
    t.match(gatehouse(['digest', 'list']).stdout, /Jäsøn\s+r\s+MD5 SHA-256 SHA-512-256\s+\d{4}-/);
    t.match(json(['digest', 'set', 'Jäsøn', '--realm', 'r'], 'another\n'), { replaced: true });
    t.strictSame(json(['digest', 'remove', 'Jäsøn', '--realm', 'r']), { username: 'Jäsøn', realm: 'r', removed: true });
    t.match(gatehouse(['digest', 'remove', 'Jäsøn', '--realm', 'r']), { status: 1, stderr: /there is no user Jäsøn/ });
    t.match(audit(), [
      { event: 'digest_user_set', detail: 'by command', username: 'Jäsøn', realm: 'r' },
      { event: 'digest_user_set' },
      { event: 'digest_user_removed', username: 'Jäsøn', realm: 'r' },
    ]);
  },
);

function tryRead(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

t.test(
  'htdigest is imported into the store; lines that cannot be, and users with only MD5, are reported',
  async (t) => {
    const { facts, audit, written, gatehouse, json } = place(t);
    const file = written('old.htdigest', `# meters\nold:r:${md5}\nbroken\n${digestLines('alice', 'r', 'wonderland')}`);
    const ended = gatehouse(['import', 'htdigest', file]);
    t.equal(ended.status, 0);
    t.match(ended.stderr, /old\.htdigest:2: `old` has only an MD5 hash, so the route must offer only MD5/);
    t.match(ended.stderr, /old\.htdigest:3: this is not `user:realm:hash`/);
    t.match(ended.stdout, /alice\s+r\s+MD5 SHA-256 SHA-512-256\s+added/);
    t.notMatch(ended.stdout + ended.stderr, new RegExp(md5));
    const wanted = { realm: 'r', algorithm: 'MD5', name: 'old', isHashed: false };
    t.strictSame(await facts.findDigest(wanted), { username: 'old', ha1: md5 });
    t.match(await facts.findDigest({ ...wanted, name: userHash('MD5', 'old', 'r'), isHashed: true }), { ha1: md5 });

    const other = written('new.htdigest', `old:r:${'1'.repeat(32)}\n`);
    t.match(json(['import', 'htdigest', other]).users, [
      { username: 'old', outcome: 'kept', reason: /already exists/ },
    ]);
    t.match(await facts.findDigest(wanted), { ha1: md5 });
    t.match(json(['import', 'htdigest', other, '--replace']).users, [{ username: 'old', outcome: 'replaced' }]);
    t.match(await facts.findDigest(wanted), { ha1: '1'.repeat(32) });
    t.strictSame(
      audit().map(({ event, username, detail }) => [event, username, detail]),
      ['old', 'alice', 'old'].map((name) => ['digest_user_set', name, 'by command: imported']),
    );
  },
);

t.test(
  'htpasswd is imported into the store, for Basic only, each user once, and does not touch accounts',
  async (t) => {
    const { facts, audit, written, gatehouse, json } = place(t);
    json(['user', 'add', 'alice'], 'correct horse\n');
    const lines = [`alice:${SHA}`, `Bob:${APR1}`, `bob:${SHA}`, 'old:e3WXnXCknrNzg', 'six:$6$salt$hash'];
    const file = written('htpasswd', `${lines.join('\n')}\n`);
    const { users, left } = json(['import', 'htpasswd', file]);
    t.match(users, [
      { username: 'alice', outcome: 'kept', reason: /has an account/ },
      { username: 'bob', kinds: ['apr1'], outcome: 'added' },
      { username: 'bob', outcome: 'kept', reason: /occurs twice/ },
    ]);
    t.match(left, [
      {
        line: 4,
        message:
          'the password of `old`: this is crypt(3), or plain text; only bcrypt, Argon2id, apr1, {SHA} and {SSHA} are accepted',
      },
      { line: 5, message: /this is SHA-512-crypt/ },
    ]);
    t.strictSame(await facts.findPassword('bob'), { username: 'bob', passwordHash: APR1 });
    t.match(gatehouse(['user', 'list']).stdout, /bob\s+-\s+-\s+store, for Basic only/);
    t.match(json(['user', 'remove', 'BOB']), { removed: true });
    t.equal(await facts.findPassword('bob'), undefined);
    t.match(
      audit().map(({ event, username }) => `${event} ${username}`),
      ['user_added alice', 'password_imported bob', 'user_removed BOB'],
    );
  },
);
