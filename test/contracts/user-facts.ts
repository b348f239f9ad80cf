import type { Test } from 'tap';
import type { UserFacts } from '../../src/storage/lookup/users.ts';
import type { Records } from '../../src/storage/records/records.ts';
import { account, now } from './records/samples.ts';

export interface Bench {
  readonly facts: UserFacts;
  /** The authorization service's own writer. */
  readonly records: Records;
  /** Everything in the database, as a thief would see it. */
  readonly dump: () => Promise<string>;
}

export interface Implementation {
  /** An empty database and its reader; closed after the test. */
  readonly open: (t: Test) => Promise<Bench>;
  readonly skip?: false | string;
}

/** What every implementation of UserFacts guarantees. */
export function userFactsContract(t: Test, name: string, { open, skip = false }: Implementation): void {
  for (const [title, rule] of rules) t.test(`${name}: ${title}`, { skip }, async (t) => rule(t, await open(t)));
}

const ha1 = 'ab'.repeat(32);
const alice = {
  realm: 'meters',
  username: 'alice',
  changedAt: now,
  hashes: [{ algorithm: 'SHA-256', ha1, userhash: 'cd'.repeat(32) }],
};
const wanted = { realm: 'meters', algorithm: 'SHA-256', name: 'alice', isHashed: false };

const rules: readonly (readonly [string, (t: Test, bench: Bench) => Promise<unknown>])[] = [
  [
    'a Digest user is found by name or by its hash, in one realm and for one algorithm',
    async (t, { facts, records }) => {
      await records.setDigestUser(alice);
      t.strictSame(await facts.findDigest(wanted), { username: 'alice', ha1 });
      const hashed = { ...wanted, name: 'cd'.repeat(32), isHashed: true };
      t.strictSame(await facts.findDigest(hashed), { username: 'alice', ha1 });
      for (const other of [{ realm: 'r' }, { algorithm: 'MD5' }, { name: 'Alice' }, { isHashed: true }])
        t.equal(await facts.findDigest({ ...wanted, ...other }), undefined, JSON.stringify(other));
    },
  ],
  [
    'the database alone reveals no HA1',
    async (t, { records, dump }) => {
      await records.setDigestUser(alice);
      const held = (await dump()).toLowerCase();
      t.ok(held.includes('alice'), 'the name is there');
      for (const form of [ha1, Buffer.from(ha1).toString('hex'), Buffer.from(ha1, 'hex').toString('latin1')])
        t.notOk(held.includes(form.toLowerCase()));
    },
  ],
  [
    'passwords of both kinds are sampled, for the costs that occur',
    async (t, { facts, records }) => {
      t.strictSame(await facts.samplePasswords(), []);
      await records.addImportedPassword({ username: 'bob', passwordHash: '{SHA}x', changedAt: now });
      await records.addAccount(account('alice', { passwordHash: '$argon2id$x' }));
      t.strictSame([...(await facts.samplePasswords())].sort(), ['$argon2id$x', '{SHA}x']);
    },
  ],
  [
    'a password is that of the account, else the imported one',
    async (t, { facts, records }) => {
      await records.addImportedPassword({ username: 'bob', passwordHash: '{SHA}x', changedAt: now });
      t.strictSame(await facts.findPassword('bob'), { username: 'bob', passwordHash: '{SHA}x' });
      await records.addAccount(account('bob'));
      t.strictSame(await facts.findPassword('bob'), { username: 'bob', passwordHash: '$hash$bob' });
      t.equal(await facts.findPassword('eve'), undefined);
    },
  ],
  [
    'an API key is found by either of its hashes, even after its expiry, until it is removed',
    async (t, { facts, records }) => {
      const key = {
        id: 'ghk_1',
        hash: 'hmac:a',
        client: 'meter',
        scopes: ['read', 'write'],
        expiresAt: 1,
        createdAt: 1,
      };
      await records.addApiKeys([key, { ...key, id: 'ghk_2', hash: 'sha256:b', scopes: [], expiresAt: undefined }]);
      t.strictSame(await facts.findApiKey({ sha256: 'sha256:a', hmac: 'hmac:a' }), key);
      t.match(await facts.findApiKey({ sha256: 'sha256:b' }), { id: 'ghk_2', scopes: [], expiresAt: undefined });
      t.equal(await facts.findApiKey({ sha256: 'hmac:' }), undefined);
      await records.removeApiKey('ghk_1');
      t.equal(await facts.findApiKey({ sha256: 'hmac:a' }), undefined);
    },
  ],
  [
    'a readable database is reported as such',
    async (t, { facts }) => {
      await facts.ping('basic');
      await facts.ping('digest');
      await facts.ping('api_key');
      t.pass();
    },
  ],
];
