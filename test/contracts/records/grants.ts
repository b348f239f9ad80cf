import { sha256 } from '../../../src/base/secret.ts';
import {
  claim,
  code,
  grant,
  isAlive,
  minted,
  now,
  plain,
  type Rule,
  rotation,
  saveCode,
  sessionKey,
} from './samples.ts';

const consent = {
  subject: 's-alice',
  clientId: 'shop',
  asked: ['orders.read'],
  granted: ['orders.read'],
  grantedAt: now,
};

export const grantRules: readonly Rule[] = [
  [
    'the tokens of a grant without a code are saved with it, or not at all',
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
    'the end of a grant ends everything from it, once',
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
    'an access token of a missing grant is not active',
    async (t, records) => {
      const { access } = minted('a');
      await records.saveAccessToken(access);
      t.equal(await isAlive(records, 'access a'), false);
    },
  ],
  [
    'a consent is by one user for one client, and the latest decision on each scope counts',
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
    'a consent counts for the grants for which its page was shown, and for no other',
    async (t, records) => {
      const save = (text: string, grantType?: string) =>
        records.saveCode({ code: code(text), consent: { ...consent, grantType }, transaction: undefined });
      const rests = (text: string, grantType: string) => {
        const relied = { subject: 's-alice', clientId: 'shop', scope: 'orders.read', grantType };
        const asked = { code: code(text), consent: undefined, transaction: undefined };
        return records.saveCode(asked, { consent: relied });
      };
      await save('a');
      const known = async () => (await records.findConsent('s-alice', 'shop'))?.byGrant;
      t.strictSame(await known(), { authorization_code: ['orders.read'] });
      t.strictSame([await rests('b', 'implicit'), await rests('c', 'authorization_code')], ['outdated', 'saved']);
      const one = { ...consent, asked: ['orders.write'], granted: ['orders.write'], grantType: 'implicit' };
      await records.saveCode({ code: code('e'), consent: one, transaction: undefined });
      t.strictSame(await known(), { authorization_code: ['orders.read'], implicit: ['orders.write'] });
      t.equal(await rests('f', 'implicit'), 'outdated', 'what the other page granted is not granted by this one');
      await save('g', 'implicit');
      t.equal(await rests('h', 'implicit'), 'saved');
      const refusal = { ...consent, asked: ['orders.write'], granted: [], grantType: 'implicit' };
      await records.saveCode({ code: code('i'), consent: refusal, transaction: undefined });
      t.strictSame(
        await known(),
        { authorization_code: ['orders.read'], implicit: ['orders.read'] },
        'a No is for all',
      );
    },
  ],
  [
    'a refused scope ends what was granted with it: codes, session keys and grants, with events in the feed',
    async (t, records) => {
      const both = 'orders.read orders.write';
      const answer = (text: string, granted: string[]) =>
        records.saveCode({
          code: code(text, { scope: granted.join(' ') }),
          consent: { ...consent, asked: both.split(' '), granted },
          transaction: undefined,
        });
      await answer('a', both.split(' '));
      await records.redeemCode(claim('a'), minted('a'));
      await saveCode(records, 'unused', { scope: both });
      await saveCode(records, 'unused read', { scope: 'orders.read' });
      await records.saveTokens(minted('read', { scope: 'orders.read' }));
      await records.saveTokens(minted('other client', { clientId: 'other' }));
      await records.saveTokens(minted('other user', { subject: 's-bob' }));
      for (const [text, changes] of [
        ['key', { scope: both }],
        ['other key', { scope: both, subject: 's-bob', openid: 'o-bob' }],
      ] as const) {
        await saveCode(records, `code of ${text}`, { use: 'session', scope: both });
        await records.redeemSessionCode(claim(`code of ${text}`, { use: 'session' }), sessionKey(text, changes));
      }
      const { last } = await records.findFeedPosition(0);
      await answer('b', ['orders.read']);
      t.strictSame(
        await Promise.all(
          ['a', 'read', 'other client', 'other user'].map((name) => isAlive(records, `access ${name}`)),
        ),
        [false, true, true, true],
      );
      t.equal(await records.rotateRefreshToken(rotation('refresh a', 'next', 'a')), 'lost');
      t.equal(await records.rotateRefreshToken(rotation('refresh read', 'next read', 'read')), 'rotated');
      t.equal(await records.isJwtDenied('j', now, { grantId: 'a' }), true);
      t.equal(await records.redeemCode(claim('unused'), minted('unused')), 'unknown');
      t.equal(await records.redeemCode(claim('unused read'), minted('unused read')), 'redeemed');
      t.equal(await records.redeemCode(claim('b'), minted('b')), 'redeemed');
      t.equal(await records.findSessionKey(sha256('key'), now), undefined);
      t.ok(await records.findSessionKey(sha256('other key'), now));
      t.match(await records.listEvents(last, 9), [
        { kind: 'gid', key: 'a' },
        { kind: 'token_hash', key: sha256('key').toString('base64url') },
      ]);
      t.equal((await records.listEvents(last, 9)).length, 2);
    },
  ],
  [
    'a scope that is refused during a redemption or refresh leaves nothing active that has it',
    async (t, records) => {
      const both = ['orders.read', 'orders.write'];
      for (let round = 0; round < 20; round++) {
        const [name, page] = [`race ${round}`, `page ${round}`];
        await saveCode(records, name, { scope: both.join(' ') });
        await records.saveTokens(minted(`old ${round}`));
        await Promise.all([
          records.redeemCode(claim(name), minted(name)),
          records.rotateRefreshToken(rotation(`refresh old ${round}`, `next ${round}`, `old ${round}`)),
          records.saveCode({
            code: code(page),
            consent: { ...consent, asked: both, granted: ['orders.read'] },
            transaction: undefined,
          }),
        ]);
        for (const text of [`access ${name}`, `access of next ${round}`, `access old ${round}`])
          t.equal(await isAlive(records, text), false, text);
      }
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
      const apps = await records.listConnectedApps('s-alice', now);
      t.strictSame(
        apps.map(({ clientId, usedAt }) => [clientId, usedAt]),
        [
          ['Zoo', undefined],
          ['other', undefined],
          ['shop', now + 9],
        ],
      );
      t.match(
        await records.listConnectedApps('s-bob', now),
        [{ clientId: 'shop', usedAt: now + 20 }],
        'without a consent',
      );
      t.strictSame(await records.listConnectedApps('s-nobody', now), []);
    },
  ],
  [
    'an application is connected while it has a consent, an active grant or a session key, with all their scopes',
    async (t, records) => {
      const { scope: both } = grant('x');
      await records.saveTokens(minted('by password', { clientId: 'robot', scope: both }));
      await records.saveTokens(minted('ended', { clientId: 'past', scope: both }));
      await records.revokeGrant('ended', now);
      await saveCode(records, 'k', { clientId: 'keyed', use: 'session' });
      const keyed = { clientId: 'keyed', use: 'session' } as const;
      await records.redeemSessionCode(claim('k', keyed), sessionKey('key', { clientId: 'keyed', issuedAt: now + 1 }));
      const read = { code: code('r', { clientId: 'robot' }), consent: { ...consent, clientId: 'robot' } };
      await records.saveCode({ ...read, transaction: undefined });
      const listed = async (at: number) =>
        (await records.listConnectedApps('s-alice', at)).map(({ clientId, scope, grantedAt }) => [
          clientId,
          scope.split(' ').toSorted().join(' '),
          grantedAt,
        ]);
      t.strictSame(await listed(now + 1), [
        ['robot', both, now],
        ['keyed', 'orders.read', now + 1],
      ]);
      t.strictSame(await listed(now + 3600), [['robot', 'orders.read', now]], 'the consent is left');
      for (const clientId of ['robot', 'keyed'])
        t.not(await records.disconnectApp({ subject: 's-alice', clientId, now }), undefined);
      t.strictSame(await listed(now + 1), []);
      t.equal(await records.findSessionKey(sha256('key'), now), undefined);
      t.equal(await isAlive(records, 'access by password'), false);
    },
  ],
  [
    'a refresh is a use of the application',
    async (t, records) => {
      await records.saveCode({ code: code('a'), consent, transaction: undefined });
      await records.redeemCode(claim('a'), minted('a'));
      await records.rotateRefreshToken(rotation('refresh a', 'next', 'a', { now: now + 30 }));
      t.equal((await records.listConnectedApps('s-alice', now))[0]?.usedAt, now + 30);
    },
  ],
  [
    'disconnecting an application ends everything that one user allowed it, and returns the grants',
    async (t, records) => {
      await records.saveCode({ code: code('a'), consent, transaction: undefined });
      await records.redeemCode(claim('a'), minted('a'));
      await records.saveTokens(minted('b'));
      await records.saveTokens(minted('other client', { clientId: 'other' }));
      await records.saveTokens(minted('other user', { subject: 's-bob' }));
      await saveCode(records, 'unused');
      const ended = await records.disconnectApp({ subject: 's-alice', clientId: 'shop', now });
      t.strictSame(ended?.toSorted(), ['a', 'b']);
      t.equal(await isAlive(records, 'access a'), false);
      t.equal(await records.findConsent('s-alice', 'shop'), undefined);
      t.equal(await records.redeemCode(claim('unused'), minted('unused')), 'unknown');
      t.equal(await records.refuseCode(claim('a')), 'replayed', 'a used code is kept, so that a replay is known');
      t.ok((await isAlive(records, 'access other client')) && (await isAlive(records, 'access other user')));
      t.equal(await records.disconnectApp({ subject: 's-alice', clientId: 'shop', now }), undefined, 'nothing is left');
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
