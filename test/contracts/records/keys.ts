import { sha256 } from '../../../src/base/secret.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import { claim, now, plain, type Rule, saveCode, sessionKey, signingKey, tally, times } from './samples.ts';

async function statuses(records: Records): Promise<unknown> {
  const keys = await records.listSigningKeys();
  return Object.fromEntries(keys.map(({ kid, status }) => [kid, status]));
}

const promotion = { alg: 'ES256', publishedBefore: now, now };

const signingKeyRules: readonly Rule[] = [
  [
    'the list of keys has names and states in the order of the keys, and opens none',
    async (t, records) => {
      t.strictSame(await records.listSigningKids(), []);
      await records.adoptSigningKey(signingKey('k2', { createdAt: now - 10 }));
      await records.announceSigningKey(signingKey('k1', { createdAt: now }));
      const keys = await records.listSigningKeys();
      t.strictSame(
        plain(await records.listSigningKids()),
        keys.map(({ kid, status }) => ({ kid, status })),
      );
      t.strictSame(
        keys.map(({ kid }) => kid),
        ['k2', 'k1'],
      );
    },
  ],
  [
    'of many candidates for the signing key one is adopted, and all callers get it',
    async (t, records) => {
      const adopted = await Promise.all(times(20, (index) => records.adoptSigningKey(signingKey(`k${index}`))));
      const [first] = adopted;
      t.ok(adopted.every(({ kid }) => kid === first?.kid));
      t.equal((await records.listSigningKeys()).length, 1);
      t.strictSame(plain(first), {
        ...(plain(signingKey(first?.kid ?? '')) as object),
        status: 'current',
        retiredAt: undefined,
      });
    },
  ],
  [
    'each algorithm has its own current key',
    async (t, records) => {
      await records.adoptSigningKey(signingKey('k1', { alg: 'ES256' }));
      await records.adoptSigningKey(signingKey('k2', { alg: 'EdDSA' }));
      const keys = await records.listSigningKeys();
      t.strictSame(
        keys.map(({ kid, alg, publicJwk }) => [kid, alg, publicJwk]),
        [
          ['k1', 'ES256', { kty: 'EC', kid: 'k1' }],
          ['k2', 'EdDSA', { kty: 'EC', kid: 'k2' }],
        ],
      );
    },
  ],
  [
    'one next key for each algorithm is published at a time, also with many callers at once',
    async (t, records) => {
      await records.adoptSigningKey(signingKey('k0'));
      const announce = (index: number) => records.announceSigningKey(signingKey(`n${index}`));
      t.strictSame(tally(await Promise.all(times(20, announce))), { true: 1, false: 19 });
      t.equal((await records.listSigningKeys()).length, 2);
      t.equal(await records.announceSigningKey(signingKey('other', { alg: 'EdDSA' })), true);
    },
  ],
  [
    'the next key signs once it was published long enough, and the previous one retires',
    async (t, records) => {
      await records.adoptSigningKey(signingKey('k1', { createdAt: now - 100 }));
      t.equal(await records.promoteSigningKey(promotion), false, 'there is none');
      await records.announceSigningKey(signingKey('k2', { createdAt: now }));
      t.equal(await records.promoteSigningKey({ ...promotion, publishedBefore: now - 1 }), false, 'too early');
      t.equal(await records.promoteSigningKey({ ...promotion, alg: 'EdDSA' }), false);
      t.strictSame(await statuses(records), { k1: 'current', k2: 'next' });
      t.equal(await records.promoteSigningKey({ ...promotion, now: now + 7 }), true);
      t.strictSame(await statuses(records), { k1: 'retired', k2: 'current' });
      t.equal((await records.listSigningKeys()).find(({ kid }) => kid === 'k1')?.retiredAt, now + 7);
      t.equal((await records.adoptSigningKey(signingKey('k3'))).kid, 'k2');
    },
  ],
  [
    'of many promotions at once one counts, and there is one current key after it',
    async (t, records) => {
      await records.adoptSigningKey(signingKey('k0', { createdAt: now - 10 }));
      for (const round of [1, 2, 3]) {
        await records.announceSigningKey(signingKey(`k${round}`, { createdAt: now }));
        const outcomes = await Promise.all(times(20, () => records.promoteSigningKey(promotion)));
        t.strictSame(tally(outcomes), { true: 1, false: 19 });
        const keys = await records.listSigningKeys();
        t.strictSame(
          keys.filter(({ status }) => status === 'current').map(({ kid }) => kid),
          [`k${round}`],
        );
      }
    },
  ],
  [
    'retired keys are removed by the time of their last signature',
    async (t, records) => {
      await records.adoptSigningKey(signingKey('k1', { createdAt: now - 2 }));
      for (const [kid, at] of [
        ['k2', now],
        ['k3', now + 5],
      ] as const) {
        await records.announceSigningKey(signingKey(kid));
        await records.promoteSigningKey({ ...promotion, now: at });
      }
      await records.announceSigningKey(signingKey('k4'));
      t.equal(await records.removeSigningKeys(now - 1), 0);
      t.equal(await records.removeSigningKeys(now), 1);
      t.strictSame(await statuses(records), { k2: 'retired', k3: 'current', k4: 'next' });
      t.equal(await records.removeSigningKeys(now + 1000), 1);
    },
  ],
  [
    'of many candidates for a secret one is adopted, and all callers get it',
    async (t, records) => {
      const adopted = await Promise.all(times(20, (index) => records.adoptSecret('pairwise', sha256(`${index}`))));
      t.equal(new Set(adopted.map((value) => Buffer.from(value).toString('hex'))).size, 1);
      t.strictSame(plain(await records.adoptSecret('other', sha256('x'))), plain(sha256('x')));
      t.strictSame(plain(await records.adoptSecret('pairwise', sha256('late'))), plain(adopted[0]));
    },
  ],
];

const redeem = (records: Records, text: string, key = `key ${text}`) =>
  records.redeemSessionCode(claim(text, { use: 'session' }), sessionKey(key));

const sessionKeyRules: readonly Rule[] = [
  [
    "a session key is found by its hash and by the user's name, until it expires",
    async (t, records) => {
      await saveCode(records, 'a', { use: 'session' });
      t.equal(await redeem(records, 'a'), 'redeemed');
      const key = sessionKey('key a');
      t.strictSame(plain(await records.findSessionKey(key.hash, now + 599)), plain(key));
      t.strictSame(plain(await records.findSessionKeyByOpenid('shop', 'o-alice', now)), plain(key));
      t.equal(await records.findSessionKey(key.hash, now + 600), undefined);
      t.equal(await records.findSessionKeyByOpenid('shop', 'o-alice', now + 600), undefined);
      t.equal(await records.findSessionKeyByOpenid('other', 'o-alice', now), undefined);
    },
  ],
  [
    'a code of the token endpoint gives no session key, nor the reverse',
    async (t, records) => {
      await saveCode(records, 'a');
      t.equal(await redeem(records, 'a'), 'mismatch');
      t.equal(await records.findSessionKey(sha256('key a'), now), undefined);
    },
  ],
  [
    'a new session key replaces the previous one',
    async (t, records) => {
      for (const text of ['a', 'b']) {
        await saveCode(records, text, { use: 'session' });
        t.equal(await redeem(records, text), 'redeemed');
      }
      t.equal(await records.findSessionKey(sha256('key a'), now), undefined);
      t.ok(await records.findSessionKey(sha256('key b'), now));
    },
  ],
  [
    'of many codes of one user that are exchanged at once each is redeemed, and one key is left',
    async (t, records) => {
      for (const text of times(20, String)) await saveCode(records, text, { use: 'session' });
      t.strictSame(tally(await Promise.all(times(20, (index) => redeem(records, `${index}`)))), { redeemed: 20 });
      const found = await Promise.all(times(20, (index) => records.findSessionKey(sha256(`key ${index}`), now)));
      t.equal(found.filter((key) => key !== undefined).length, 1);
    },
  ],
  [
    'of 50 exchanges of one code one succeeds; the others are replays, which end the key, for as long as it would be valid',
    async (t, records) => {
      await saveCode(records, 'a', { use: 'session' });
      const outcomes = await Promise.all(times(50, () => redeem(records, 'a', 'key')));
      t.strictSame(tally(outcomes), { redeemed: 1, replayed: 49 });
      t.equal(await records.findSessionKey(sha256('key'), now), undefined);
      await saveCode(records, 'b', { use: 'session' });
      await redeem(records, 'b', 'key b');
      await records.sweep(now + 599, 100);
      t.equal(await redeem(records, 'b', 'x'), 'replayed');
      t.equal(await records.findSessionKey(sha256('key b'), now), undefined);
    },
  ],
  [
    'revoking a session key returns its owner',
    async (t, records) => {
      await saveCode(records, 'a', { use: 'session' });
      await redeem(records, 'a');
      const revoke = (text: string, clientId: string) =>
        records.revokeSessionKey({ hash: sha256(text), clientId, now });
      t.equal(await revoke('unknown', 'shop'), 'unknown');
      t.equal(await revoke('key a', 'other'), 'other_client');
      t.ok(await records.findSessionKey(sha256('key a'), now));
      t.equal(await revoke('key a', 'shop'), 'revoked');
      t.equal(await records.findSessionKey(sha256('key a'), now), undefined);
    },
  ],
];

export const keyRules: readonly Rule[] = [...signingKeyRules, ...sessionKeyRules];
