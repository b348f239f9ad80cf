import { MOST_KIDS, type NewUserKey, type Records, type SignedBy } from '../../../src/storage/records/records.ts';
import { account, claim, minted, now, plain, type Rule, rotation, saveCode, tally, times } from './samples.ts';

const until = now + 900;

function userKey(kid: string, changes: Partial<NewUserKey> = {}): NewUserKey {
  const privateJwk = Buffer.from(JSON.stringify({ kty: 'EC', d: `private ${kid}` }));
  const publicJwk = { kty: 'EC', x: kid };
  return { kid, subject: 's-alice', alg: 'ES256', publicJwk, privateJwk, createdAt: now, ...changes };
}

const signedBy = (kid: string): SignedBy => ({ kid, subject: 's-alice', alg: 'ES256' });

async function kidEvents(records: Records): Promise<unknown> {
  const events = await records.listEvents(0, 100);
  return events.filter(({ kind }) => kind === 'kid').map((event) => [event.key, event.until]);
}

const isThere = async (records: Records, kid: string) => (await records.findUserKey(kid)) !== undefined;

export const userKeyRules: readonly Rule[] = [
  [
    "of many candidates for a user's key one is adopted, and all callers get it",
    async (t, records) => {
      const adopted = await Promise.all(times(20, (index) => records.adoptUserKey(userKey(`k${index}`))));
      const [first] = adopted;
      t.ok(adopted.every((record) => record?.kid === first?.kid));
      const made = userKey(first?.kid ?? '');
      const found = await records.findCurrentUserKey('s-alice', 'ES256');
      t.strictSame(plain(found?.openPrivateJwk()), plain(made.privateJwk));
      t.strictSame([found?.kid, found?.publicJwk, found?.createdAt], [made.kid, made.publicJwk, now]);
      const all = await records.findUserKeys(times(20, (index) => `k${index}`));
      t.strictSame(
        all.map(({ kid }) => kid),
        [made.kid],
      );
    },
  ],
  [
    'each user has a key for each algorithm, and a secret has no public part',
    async (t, records) => {
      await records.adoptUserKey(userKey('a'));
      await records.adoptUserKey(userKey('b', { subject: 's-bob' }));
      await records.adoptUserKey(userKey('c', { alg: 'HS256', publicJwk: undefined }));
      t.equal((await records.findCurrentUserKey('s-alice', 'ES256'))?.kid, 'a');
      t.equal((await records.findCurrentUserKey('s-bob', 'ES256'))?.kid, 'b');
      t.match(await records.findUserKey('c'), { alg: 'HS256', subject: 's-alice', publicJwk: undefined });
      t.equal(await records.findCurrentUserKey('s-carol', 'ES256'), undefined);
      const asked = [...times(MOST_KIDS - 2, (index) => `unknown ${index}`), 'a', 'b'];
      t.strictSame((await records.findUserKeys(asked)).map(({ kid }) => kid).toSorted(), ['a', 'b']);
      t.strictSame(await records.findUserKeys([]), []);
    },
  ],
  [
    'a rotation removes all keys of one user, and has one event for each',
    async (t, records) => {
      await records.adoptUserKey(userKey('a'));
      await records.adoptUserKey(userKey('c', { alg: 'EdDSA' }));
      await records.adoptUserKey(userKey('b', { subject: 's-bob' }));
      const ended = await records.rotateUserKey({ subject: 's-alice', until, now });
      t.strictSame(ended.toSorted(), ['a', 'c']);
      t.strictSame(
        [await isThere(records, 'a'), await isThere(records, 'c'), await isThere(records, 'b')],
        [false, false, true],
      );
      t.strictSame(await records.rotateUserKey({ subject: 's-alice', until, now }), []);
      t.strictSame((await kidEvents(records)) as string[][], [
        [ended[0], until],
        [ended[1], until],
      ]);
      t.equal((await records.adoptUserKey(userKey('d')))?.kid, 'd');
    },
  ],
  [
    'nothing is saved that was signed with a rotated key, and no code, refresh token or grant is used up',
    async (t, records) => {
      await records.adoptUserKey(userKey('old'));
      await saveCode(records, 'a');
      t.equal(await records.redeemCode(claim('a'), { ...minted('a'), signedBy: signedBy('old') }), 'redeemed');
      await records.rotateUserKey({ subject: 's-alice', until, now });
      await records.adoptUserKey(userKey('new'));
      await saveCode(records, 'b');
      const step = rotation('refresh a', 'next', 'a');
      const dead = { signedBy: signedBy('old') };
      t.equal(await records.redeemCode(claim('b'), { ...minted('b'), ...dead }), 'rekeyed');
      t.equal(await records.rotateRefreshToken({ ...step, ...dead }), 'rekeyed');
      t.equal(await records.saveTokens({ ...minted('c'), ...dead }), 'rekeyed');
      const page = { consent: undefined, transaction: { hash: new Uint8Array(32), until } };
      t.equal(await records.saveImplicit({ ...minted('d'), ...page, ...dead }), 'rekeyed');
      t.equal(await records.isStillTheirs(signedBy('old')), false);
      const live = { signedBy: signedBy('new') };
      t.equal(await records.redeemCode(claim('b'), { ...minted('b'), ...live }), 'redeemed');
      t.equal(await records.rotateRefreshToken({ ...step, ...live }), 'rotated');
      t.equal(await records.saveTokens({ ...minted('c'), ...live }), 'saved');
      t.equal(await records.saveImplicit({ ...minted('d'), ...page, ...live }), 'saved');
      t.equal(await records.isStillTheirs(signedBy('new')), true);
      t.equal(await records.isStillTheirs({ ...signedBy('new'), subject: 's-bob' }), false);
      t.equal(await records.isStillTheirs({ ...signedBy('new'), alg: 'EdDSA' }), false);
    },
  ],
  [
    'of exchanges and a rotation at once each comes before it or not at all',
    async (t, records) => {
      await records.adoptUserKey(userKey('old'));
      for (const name of times(20, String)) await saveCode(records, name);
      const redeem = (name: string, kid: string) =>
        records.redeemCode(claim(name), { ...minted(name), signedBy: signedBy(kid) });
      const rotated = records.rotateUserKey({ subject: 's-alice', until, now });
      const outcomes = await Promise.all(times(20, (index) => redeem(`${index}`, 'old')));
      await rotated;
      t.strictSame(
        outcomes.filter((outcome) => outcome !== 'redeemed' && outcome !== 'rekeyed'),
        [],
      );
      await records.adoptUserKey(userKey('new'));
      const again = await Promise.all(
        outcomes.flatMap((outcome, index) => (outcome === 'rekeyed' ? [redeem(`${index}`, 'new')] : [])),
      );
      t.strictSame(Object.keys(tally(again)), again.length === 0 ? [] : ['redeemed']);
    },
  ],
  [
    "a new password rotates the user's key if configured, and the removal of the account always does",
    async (t, records) => {
      await records.addAccount(account('alice'));
      await records.adoptUserKey(userKey('a'));
      const change = { username: 'alice', passwordHash: 'new', now };
      await records.setPassword(change);
      t.equal(await isThere(records, 'a'), true);
      t.strictSame(await kidEvents(records), []);
      await records.setPassword({ ...change, keysUntil: until });
      t.equal(await isThere(records, 'a'), false);
      await records.adoptUserKey(userKey('b'));
      await records.removeAccount('alice', now, until);
      t.equal(await isThere(records, 'b'), false);
      t.strictSame(await kidEvents(records), [
        ['a', until],
        ['b', until],
      ]);
    },
  ],
  [
    "a stolen family ends with its grant, and with the user's key if users have keys",
    async (t, records) => {
      await records.adoptUserKey(userKey('a'));
      for (const name of ['one', 'two']) await records.saveTokens(minted(name));
      await records.endStolenFamily({ grantId: 'one', subject: 's-alice', now, keysUntil: undefined });
      t.equal(await isThere(records, 'a'), true);
      await records.endStolenFamily({ grantId: 'two', subject: 's-alice', now, keysUntil: until });
      t.equal(await isThere(records, 'a'), false);
      for (const name of ['one', 'two']) {
        const found = await records.findRefreshToken(minted(name).refresh.hash);
        t.equal(found?.grantRevoked, true, name);
      }
    },
  ],
];
