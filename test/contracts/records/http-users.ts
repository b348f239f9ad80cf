import { account, now, plain, type Rule } from './samples.ts';

const digestUser = (username: string, ha1: string, algorithms: readonly string[] = ['MD5', 'SHA-256']) => ({
  realm: 'meters',
  username,
  changedAt: now,
  hashes: algorithms.map((algorithm) => ({ algorithm, ha1, userhash: `${algorithm} of ${username}` })),
});

const imported = (username: string, passwordHash = '{SHA}x') => ({ username, passwordHash, changedAt: now });

export const httpUserRules: readonly Rule[] = [
  [
    'a user of Digest is set whole, in the place of what was kept before, and listed without a hash',
    async (t, records) => {
      t.equal(await records.setDigestUser(digestUser('alice', 'one')), false);
      t.equal(
        await records.setDigestUser(digestUser('alice', 'two', ['SHA-256'])),
        true,
        'MD5 of the old password goes',
      );
      await records.setDigestUser({ ...digestUser('alice', 'three'), realm: 'another' });
      await records.setDigestUser(digestUser('Alice', 'four', ['MD5']));
      t.strictSame(plain(await records.listDigestUsers()), [
        { realm: 'another', username: 'alice', algorithms: ['MD5', 'SHA-256'], changedAt: now },
        { realm: 'meters', username: 'Alice', algorithms: ['MD5'], changedAt: now },
        { realm: 'meters', username: 'alice', algorithms: ['SHA-256'], changedAt: now },
      ]);
    },
  ],
  [
    'a user of Digest that is added leaves one of that name as it is',
    async (t, records) => {
      t.equal(await records.addDigestUser(digestUser('alice', 'one', ['MD5'])), true);
      t.equal(await records.addDigestUser(digestUser('alice', 'two', ['SHA-256'])), false);
      t.strictSame(
        (await records.listDigestUsers()).map(({ algorithms }) => algorithms),
        [['MD5']],
      );
      const name = { realm: 'meters', username: 'alice' };
      t.strictSame([await records.removeDigestUser(name), await records.removeDigestUser(name)], [true, false]);
      t.strictSame(await records.listDigestUsers(), []);
    },
  ],
  [
    'an imported password is kept once, and never beside an account',
    async (t, records) => {
      await records.addAccount(account('alice'));
      t.equal(await records.addImportedPassword(imported('alice')), false);
      t.equal(await records.setImportedPassword(imported('alice')), false);
      t.equal(await records.addImportedPassword(imported('bob')), true);
      t.equal(await records.addImportedPassword(imported('bob', '{SHA}y')), false);
      t.strictSame(plain(await records.listImportedPasswords()), [imported('bob')]);
      t.equal(await records.setImportedPassword(imported('bob', '{SHA}y')), true);
      t.strictSame(plain(await records.listImportedPasswords()), [imported('bob', '{SHA}y')]);
      t.strictSame(
        [await records.removeImportedPassword('bob'), await records.removeImportedPassword('bob')],
        [true, false],
      );
    },
  ],
  [
    'with its account an imported password goes too, so that nobody comes back by it',
    async (t, records) => {
      await records.addImportedPassword(imported('bob'));
      await records.addAccount(account('bob'));
      t.strictSame(await records.listImportedPasswords(), [], 'the account counts');
      await records.removeAccount('bob', now);
      t.strictSame(await records.listImportedPasswords(), []);
    },
  ],
];
