import { account, now, plain, type Rule } from './samples.ts';

const digestUser = (username: string, ha1: string, algorithms: readonly string[] = ['MD5', 'SHA-256']) => ({
  realm: 'meters',
  username,
  changedAt: now,
  hashes: algorithms.map((algorithm) => ({ algorithm, ha1, userhash: `${algorithm} of ${username}` })),
});

const imported = (username: string, passwordHash = '{SHA}x') => ({ username, passwordHash, changedAt: now });

const apiKey = (id: string, client: string) => ({
  id,
  hash: `sha256:${id}`,
  client,
  scopes: ['read', 'write'],
  expiresAt: undefined,
  createdAt: now,
});

export const httpUserRules: readonly Rule[] = [
  [
    'setting a Digest user replaces all earlier values, and lists show no hash',
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
    'adding a Digest user does not change an existing one with that name',
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
    'an imported password is saved once, and never beside an account',
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
    'an imported password is deleted with its account, so that it cannot be used again',
    async (t, records) => {
      await records.addImportedPassword(imported('bob'));
      await records.addAccount(account('bob'));
      t.strictSame(await records.listImportedPasswords(), [], 'the account counts');
      await records.removeAccount('bob', now);
      t.strictSame(await records.listImportedPasswords(), []);
    },
  ],
  [
    'an API key is added once, by its id and by its hash, and listed by client',
    async (t, records) => {
      t.strictSame(await records.addApiKeys([apiKey('b', 'meter'), apiKey('a', 'meter'), apiKey('b', 'x')]), [
        'b',
        'a',
      ]);
      const again = [
        apiKey('a', 'other'),
        { ...apiKey('c', 'other'), hash: apiKey('a', '').hash },
        apiKey('d', 'book'),
      ];
      t.strictSame(await records.addApiKeys(again), ['d']);
      t.strictSame(plain(await records.listApiKeys()), [
        apiKey('d', 'book'),
        apiKey('a', 'meter'),
        apiKey('b', 'meter'),
      ]);
      t.strictSame([await records.removeApiKey('a'), await records.removeApiKey('a')], [true, false]);
      t.strictSame(
        (await records.listApiKeys()).map(({ id }) => id),
        ['d', 'b'],
      );
    },
  ],
  [
    'a rotated API key has a successor with the same client and scopes, and ends no later than before',
    async (t, records) => {
      await records.addApiKeys([apiKey('old', 'meter'), { ...apiKey('brief', 'meter'), expiresAt: now + 5 }]);
      const rotate = (id: string, made: string) =>
        records.rotateApiKey({
          id,
          made: { id: made, hash: `sha256:${made}`, expiresAt: now + 99 },
          oldUntil: now + 9,
          now,
        });
      t.match(await rotate('old', 'new'), { id: 'new', client: 'meter', scopes: ['read', 'write'] });
      await rotate('brief', 'next');
      t.equal(await rotate('nobody', 'lost'), undefined);
      const ends = (await records.listApiKeys()).map(({ id, expiresAt }) => [id, (expiresAt ?? 0) - now]);
      t.strictSame(Object.fromEntries(ends), { old: 9, new: 99, brief: 5, next: 99 });
    },
  ],
];
