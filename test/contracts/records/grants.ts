import { sha256 } from '../../../src/base/secret.ts';
import { claim, code, grant, isAlive, minted, now, plain, type Rule, rotation, saveCode } from './samples.ts';

const consent = {
  subject: 's-alice',
  clientId: 'shop',
  asked: ['orders.read'],
  granted: ['orders.read'],
  grantedAt: now,
};

export const grantRules: readonly Rule[] = [
  [
    'tokens of a grant that no code led to are saved with it, or not at all',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      t.equal(await isAlive(records, 'access a'), true);
      t.strictSame(plain((await records.findRefreshToken(sha256('refresh a')))?.grant), plain(grant('a')));
      await t.rejects(records.saveTokens({ ...minted('b'), refresh: minted('a').refresh }));
      t.equal(await isAlive(records, 'access b'), false);
      await records.saveTokens({
        grant: grant('c', { username: undefined, authTime: undefined }),
        access: undefined,
        refresh: undefined,
      });
      t.equal(await records.revokeGrant('c', now), true);
    },
  ],
  [
    'with a grant ends everything that came of it, once',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      await records.saveTokens(minted('b'));
      t.equal(await records.isJwtDenied('j', now, { grantId: 'a' }), false);
      t.equal(await records.revokeGrant('a', now), true);
      t.equal(await records.revokeGrant('a', now), false);
      t.equal(await records.revokeGrant('unknown', now), false);
      t.equal(await isAlive(records, 'access a'), false);
      t.equal(await records.isJwtDenied('j', now, { grantId: 'a' }), true, 'a JWT that names it');
      t.equal(await records.rotateRefreshToken(rotation('refresh a', 'next', 'a')), 'lost');
      t.equal(await isAlive(records, 'access b'), true, 'and nothing else');
      t.equal(await records.isJwtDenied('j', now, { grantId: 'b' }), false);
    },
  ],
  [
    'an access token of a grant that is not there is not alive',
    async (t, records) => {
      const { access } = minted('a');
      await records.saveAccessToken(access);
      t.equal(await isAlive(records, 'access a'), false);
    },
  ],
  [
    'a consent is of one user for one client, and the last word on each scope holds',
    async (t, records) => {
      const save = (text: string, changes: Partial<typeof consent>) =>
        records.saveCode({ code: code(text), consent: { ...consent, ...changes }, transaction: undefined });
      await save('a', {});
      await save('b', { asked: ['orders.write'], granted: ['orders.write'] });
      await save('c', { clientId: 'other' });
      t.equal((await records.findConsent('s-alice', 'shop'))?.scope, 'orders.read orders.write');
      t.match(await records.findConsent('s-alice', 'other'), { scope: 'orders.read', clientId: 'other' });
      await save('d', { asked: ['orders.read', 'orders.write'], granted: ['orders.write'] });
      t.equal((await records.findConsent('s-alice', 'shop'))?.scope, 'orders.write', 'a box left empty is a No');
      t.equal(await records.findConsent('s-bob', 'shop'), undefined);
    },
  ],
  [
    'connected applications are listed with their last use',
    async (t, records) => {
      for (const [text, clientId] of [
        ['a', 'shop'],
        ['b', 'Zoo'],
        ['c', 'other'],
      ] as const)
        await records.saveCode({
          code: code(text, { clientId }),
          consent: { ...consent, clientId },
          transaction: undefined,
        });
      await records.redeemCode(claim('a', { now: now + 5 }), minted('a', { createdAt: now + 5 }));
      await records.saveTokens(minted('d', { createdAt: now + 9 }));
      await records.saveTokens(minted('e', { createdAt: now + 20, subject: 's-bob' }));
      const apps = await records.listConnectedApps('s-alice');
      t.strictSame(
        apps.map(({ clientId, usedAt }) => [clientId, usedAt]),
        [
          ['Zoo', undefined],
          ['other', undefined],
          ['shop', now + 9],
        ],
      );
      t.strictSame(await records.listConnectedApps('s-bob'), []);
    },
  ],
  [
    'a refresh is a use of the application',
    async (t, records) => {
      await records.saveCode({ code: code('a'), consent, transaction: undefined });
      await records.redeemCode(claim('a'), minted('a'));
      await records.rotateRefreshToken(rotation('refresh a', 'next', 'a', { now: now + 30 }));
      t.equal((await records.listConnectedApps('s-alice'))[0]?.usedAt, now + 30);
    },
  ],
  [
    'disconnecting an application ends all that one user let it do, and answers with the grants',
    async (t, records) => {
      await records.saveCode({ code: code('a'), consent, transaction: undefined });
      await records.redeemCode(claim('a'), minted('a'));
      await records.saveTokens(minted('b'));
      await records.saveTokens(minted('other client', { clientId: 'other' }));
      await records.saveTokens(minted('other user', { subject: 's-bob' }));
      await saveCode(records, 'unused');
      const ended = await records.disconnectApp({ subject: 's-alice', clientId: 'shop', now });
      t.strictSame([...ended].sort(), ['a', 'b']);
      t.equal(await isAlive(records, 'access a'), false);
      t.equal(await records.findConsent('s-alice', 'shop'), undefined);
      t.equal(await records.redeemCode(claim('unused'), minted('unused')), 'unknown');
      t.equal(await records.refuseCode(claim('a')), 'replayed', 'a used code is kept, so that a replay is known');
      t.ok((await isAlive(records, 'access other client')) && (await isAlive(records, 'access other user')));
      t.strictSame(await records.disconnectApp({ subject: 's-alice', clientId: 'shop', now }), []);
    },
  ],
  [
    'all grants of one user end at once',
    async (t, records) => {
      for (const name of ['a', 'b']) await records.saveTokens(minted(name));
      await records.saveTokens(minted('c', { subject: 's-bob' }));
      t.equal(await records.revokeGrantsOfSubject('s-alice', now), 2);
      t.equal(await records.revokeGrantsOfSubject('s-alice', now), 0);
      t.strictSame(await Promise.all(['a', 'b', 'c'].map((name) => isAlive(records, `access ${name}`))), [
        false,
        false,
        true,
      ]);
    },
  ],
];
