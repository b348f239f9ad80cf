import t from 'tap';
import { digestUsers, digestUsersOfStore } from '../../../../src/gateway/schemes/digest/digest-users.ts';
import type { UserStore } from '../../../../src/gateway/schemes/user-store.ts';
import { userHash } from '../../../../src/http-auth/digest-response.ts';

const entry = (username: string, algorithm: 'MD5' | 'SHA-256', ha1: string, realm = 'r') => ({
  username,
  realm,
  algorithm,
  ha1,
  line: 1,
});

const users = digestUsers(
  [
    entry('alice', 'MD5', 'one'),
    entry('alice', 'SHA-256', 'two'),
    entry('bob', 'MD5', 'three'),
    entry('carol', 'MD5', 'four', 'other'),
  ],
  'r',
);
const find = (username: string, algorithm: 'MD5' | 'MD5-sess' | 'SHA-256', userhash = false) => {
  const sought = users.find({ username, userhash }, algorithm, { block: 'w', share: 1 });
  return 'user' in sought ? sought.user.ha1 : (sought as { kind: string }).kind;
};

t.test(
  'a user is found by name among the hashes of the algorithm; a session uses the hashes of its base algorithm',
  async (t) => {
    t.equal(find('alice', 'MD5'), 'one');
    t.equal(find('alice', 'MD5-sess'), 'one');
    t.equal(find('alice', 'SHA-256'), 'two');
    t.equal(find('bob', 'SHA-256'), 'unknown');
    t.equal(find('mallory', 'MD5'), 'unknown');
    t.equal(find('Alice', 'MD5'), 'unknown', 'case counts');
  },
);

t.test('a hash of the name finds the same user, and does not work as a name', async (t) => {
  t.equal(find(userHash('MD5', 'alice', 'r'), 'MD5', true), 'one');
  t.equal(find(userHash('SHA-256', 'alice', 'r'), 'SHA-256', true), 'two');
  t.equal(find(userHash('MD5', 'alice', 'r'), 'SHA-256', true), 'unknown');
  t.equal(find(userHash('MD5', 'alice', 'r'), 'MD5'), 'unknown');
  t.equal(find('alice', 'MD5', true), 'unknown');
});

t.test('users of another realm do not exist here', async (t) => {
  t.equal(find('carol', 'MD5'), 'unknown');
  t.equal(find(userHash('MD5', 'carol', 'r'), 'MD5', true), 'unknown');
});

t.test('a store is queried with realm, stored algorithm, name or hash, and who asks', async (t) => {
  const asked: unknown[] = [];
  const store: Pick<UserStore, 'findDigest'> = {
    findDigest(wanted, { block }) {
      asked.push([wanted, block]);
      return { kind: 'unknown' };
    },
  };
  const stored = digestUsersOfStore(store as UserStore, 'r');
  t.strictSame(stored.find({ username: 'alice', userhash: false }, 'SHA-256-sess', { block: '192.0.2.1', share: 1 }), {
    kind: 'unknown',
  });
  stored.find({ username: 'ab', userhash: true }, 'MD5', { block: 'w', share: 1 });
  t.strictSame(asked, [
    [{ realm: 'r', algorithm: 'SHA-256', name: 'alice', isHashed: false }, '192.0.2.1'],
    [{ realm: 'r', algorithm: 'MD5', name: 'ab', isHashed: true }, 'w'],
  ]);
});
