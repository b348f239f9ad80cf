import { sha256 } from '../../../src/base/secret.ts';
import { accessToken, isAlive, now, plain, type Rule, times } from './samples.ts';

export const accessTokenRules: readonly Rule[] = [
  [
    'a saved token is found unchanged',
    async (t, records) => {
      const bare = accessToken('a', { audience: ['https://a.example', 'https://b.example'] });
      const claims = { nested: { text: 'ü\0"', list: [1, null] } };
      const whole = accessToken('b', { username: 'alice', claims, authTime: now - 5, scope: '' });
      for (const token of [bare, whole]) {
        await records.saveAccessToken(token);
        t.strictSame(plain(await records.findAccessToken(token.hash, now)), plain(token));
      }
    },
  ],
  [
    'an unknown hash finds nothing',
    async (t, records) => {
      t.equal(await records.findAccessToken(sha256('a'), now), undefined);
      t.equal(await records.findAccessToken(new Uint8Array(0), now), undefined);
    },
  ],
  [
    'a token is found until the second in which it expires',
    async (t, records) => {
      await records.saveAccessToken(accessToken('a'));
      t.equal(await isAlive(records, 'a', now + 59), true);
      t.equal(await isAlive(records, 'a', now + 60), false);
    },
  ],
  [
    'a token cannot be saved twice; the second attempt is a bug, not an outage',
    async (t, records) => {
      await records.saveAccessToken(accessToken('a'));
      const error = await records.saveAccessToken(accessToken('a', { clientId: 'other' })).then(
        () => undefined,
        (failure) => failure,
      );
      t.ok(error instanceof Error && error.name !== 'StorageUnavailable');
      t.equal((await records.findAccessToken(sha256('a'), now))?.clientId, 'shop');
    },
  ],
  [
    'an invalid hash is refused',
    async (t, records) => {
      await t.rejects(records.saveAccessToken(accessToken('a', { hash: sha256('a').subarray(1) })));
    },
  ],
  [
    'a verb that fails does not affect other verbs of the same turn',
    async (t, records) => {
      await records.saveAccessToken(accessToken('taken'));
      const asked = ['a', 'taken', 'b', 'taken', 'c'].map((text) => records.saveAccessToken(accessToken(text)));
      const outcomes = (await Promise.allSettled(asked)).map(({ status }) => status);
      t.strictSame(outcomes, ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
      for (const text of ['a', 'b', 'c']) t.equal(await isAlive(records, text), true, text);
    },
  ],
  [
    'a revocation returns the owner of the token',
    async (t, records) => {
      await records.saveAccessToken(accessToken('a'));
      const revoke = (text: string, clientId: string) =>
        records.revokeAccessToken({ hash: sha256(text), clientId, now });
      t.equal(await revoke('unknown', 'shop'), 'unknown');
      t.equal(await revoke('a', 'other'), 'other_client');
      t.equal(await isAlive(records, 'a'), true, 'and leaves that of another client as it is');
      t.equal(await revoke('a', 'shop'), 'revoked');
      t.equal(await isAlive(records, 'a'), false);
      t.equal(await revoke('a', 'shop'), 'revoked', 'again');
      t.equal(await revoke('a', 'other'), 'other_client');
    },
  ],
  [
    'many simultaneous revocations of one token all agree',
    async (t, records) => {
      await records.saveAccessToken(accessToken('a'));
      const asked = times(50, (index) =>
        records.revokeAccessToken({ hash: sha256('a'), clientId: index % 2 === 0 ? 'shop' : 'other', now }),
      );
      const outcomes = await Promise.all(asked);
      t.ok(outcomes.every((outcome, index) => outcome === (index % 2 === 0 ? 'revoked' : 'other_client')));
    },
  ],
  [
    'a denied jti is denied until its time, and a later denial never shortens it',
    async (t, records) => {
      t.equal(await records.isJwtDenied('j', now), false);
      await Promise.all([records.denyJwt('j', now + 60, now), records.denyJwt('j', now + 30, now)]);
      t.equal(await records.isJwtDenied('j', now + 59), true);
      t.equal(await records.isJwtDenied('j', now + 60), false);
      t.equal(await records.isJwtDenied('J', now), false);
    },
  ],
];
