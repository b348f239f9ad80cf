import t from 'tap';
import { outage } from '../../../../src/base/verdict.ts';
import { parseStoredPassword } from '../../../../src/config/files/stored-password.ts';
import { basicUsersOfFile, basicUsersOfStore } from '../../../../src/gateway/schemes/basic/basic-users.ts';
import type { UserLookup } from '../../../../src/gateway/schemes/lookup-result.ts';
import type { UserStore } from '../../../../src/gateway/schemes/user-store.ts';
import type { PasswordFact } from '../../../../src/storage/lookup/users.ts';

const sha = '{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=';
const parsed = parseStoredPassword(sha);
const stored = parsed.ok ? parsed.value : undefined;
if (stored === undefined) throw new Error('the test is wrong');

const w = { block: 'w', share: 1 };

t.test('in a file case counts, and a changed entry is another object', async (t) => {
  const users = basicUsersOfFile(new Map([['Alice', stored]]));
  t.strictSame(users.find('Alice', w), { kind: 'found', user: { username: 'Alice', stored, print: '' } });
  t.strictSame(users.find('alice', w), { kind: 'unknown' });
  t.equal(users.keyOf('Alice'), 'Alice');
  t.equal(users.decoyOf('bob'), stored);
  t.equal(basicUsersOfFile(new Map()).decoyOf('bob'), undefined);
});

function ofStore(answer: UserLookup<PasswordFact>) {
  const asked: string[] = [];
  const store: Pick<UserStore, 'findPassword'> = {
    findPassword(username, { block }) {
      asked.push(`${username} ${block}`);
      return answer;
    },
  };
  return { users: basicUsersOfStore(store as UserStore), asked };
}

t.test('in a store an account has one name in many spellings, and another fingerprint after a change', async (t) => {
  const user = { username: 'alice', passwordHash: sha };
  for (const answer of [{ kind: 'found', user } as const, Promise.resolve({ kind: 'found', user } as const)]) {
    const { users, asked } = ofStore(answer);
    t.strictSame(await users.find('ALICE', { block: '192.0.2.1', share: 1 }), {
      kind: 'found',
      user: { username: 'alice', stored, print: sha },
    });
    t.strictSame(asked, ['alice 192.0.2.1']);
    t.equal(users.keyOf('ALICE'), 'alice');
  }
});

t.test('a hash that is not readable accepts no password; unknown and unavailable users stay so', async (t) => {
  const odd = { kind: 'found', user: { username: 'alice', passwordHash: 'plain' } } as const;
  t.strictSame(ofStore(odd).users.find('alice', w), { kind: 'unknown' });
  t.strictSame(ofStore({ kind: 'unknown' }).users.find('alice', w), { kind: 'unknown' });
  const out = outage('users', 1);
  t.equal(ofStore(out).users.find('alice', w), out);
});
