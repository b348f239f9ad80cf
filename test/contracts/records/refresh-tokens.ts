import { sha256 } from '../../../src/base/secret.ts';
import type { RefreshRotation } from '../../../src/storage/records/records.ts';
import {
  accessToken,
  isAlive,
  minted,
  now,
  plain,
  type Rule,
  refreshToken,
  rotation,
  tally,
  times,
} from './samples.ts';

const lost: Readonly<Record<string, Partial<RefreshRotation>>> = {
  'another client': { clientId: 'other' },
  'the second in which it expires': { now: now + 600 },
  'an unknown token': { hash: sha256('unknown') },
};

export const refreshRules: readonly Rule[] = [
  [
    'a refresh token is found with its grant, used or not',
    async (t, records) => {
      const { refresh, ...rest } = minted('a');
      await records.saveTokens({
        ...rest,
        refresh: { ...refresh, audience: ['https://a.example'], carried: sha256('c') },
      });
      const found = await records.findRefreshToken(sha256('refresh a'));
      t.strictSame(plain(found), {
        grant: plain(rest.grant),
        grantRevoked: false,
        scope: 'orders.read',
        audience: ['https://a.example'],
        issuedAt: now,
        expiresAt: now + 600,
        usedAt: undefined,
        response: undefined,
        successorUsed: false,
        carried: plain(sha256('c')),
      });
      t.equal(await records.findRefreshToken(sha256('b')), undefined);
    },
  ],
  [
    'a rotation saves the successor, its access token and the answer, and records whether the successor was used',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      t.equal(await records.rotateRefreshToken(rotation('refresh a', 'r2', 'a', { now: now + 1 })), 'rotated');
      const old = await records.findRefreshToken(sha256('refresh a'));
      t.strictSame(
        [old?.usedAt, plain(old?.response), old?.successorUsed],
        [now + 1, plain(sha256('response r2')), false],
      );
      t.equal(await isAlive(records, 'access of r2'), true);
      t.equal((await records.findRefreshToken(sha256('r2')))?.usedAt, undefined);
      await records.rotateRefreshToken(rotation('r2', 'r3', 'a', { response: undefined }));
      t.equal((await records.findRefreshToken(sha256('refresh a')))?.successorUsed, true);
      t.equal((await records.findRefreshToken(sha256('r2')))?.response, undefined);
    },
  ],
  [
    'of 50 rotations at once one succeeds, and the others save nothing',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      const rotate = (index: number) => records.rotateRefreshToken(rotation('refresh a', `r${index}`, 'a'));
      const outcomes = await Promise.all(times(50, rotate));
      t.strictSame(tally(outcomes), { rotated: 1, lost: 49 });
      const successors = await Promise.all(times(50, (index) => records.findRefreshToken(sha256(`r${index}`))));
      const alive = await Promise.all(times(50, (index) => isAlive(records, `access of r${index}`)));
      t.strictSame(
        successors.map((record) => record !== undefined),
        outcomes.map((outcome) => outcome === 'rotated'),
      );
      t.strictSame(
        alive,
        outcomes.map((outcome) => outcome === 'rotated'),
      );
    },
  ],
  [
    'a rotation that is not due changes nothing',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      for (const [name, changes] of Object.entries(lost)) {
        t.equal(await records.rotateRefreshToken(rotation('refresh a', name, 'a', changes)), 'lost', name);
        t.equal(await records.findRefreshToken(sha256(name)), undefined, name);
        t.equal(await isAlive(records, `access of ${name}`), false, name);
      }
      t.equal((await records.findRefreshToken(sha256('refresh a')))?.usedAt, undefined);
      t.equal(await records.rotateRefreshToken(rotation('refresh a', 'r2', 'a', { now: now + 599 })), 'rotated');
    },
  ],
  [
    'a refresh token ends with its grant, by time and by revocation',
    async (t, records) => {
      await records.saveTokens({ ...minted('short', { expiresAt: now + 10 }) });
      await records.saveTokens(minted('revoked'));
      await records.revokeGrant('revoked', now);
      t.equal(await records.rotateRefreshToken(rotation('refresh short', 'r1', 'short', { now: now + 10 })), 'lost');
      t.equal(await records.rotateRefreshToken(rotation('refresh revoked', 'r2', 'revoked')), 'lost');
      t.equal((await records.findRefreshToken(sha256('refresh revoked')))?.grantRevoked, true);
      t.equal(await records.rotateRefreshToken(rotation('refresh short', 'r1', 'short', { now: now + 9 })), 'rotated');
    },
  ],
  [
    'a rotation that cannot be saved leaves the token unused',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      await t.rejects(records.rotateRefreshToken(rotation('refresh a', 'refresh a', 'a')));
      t.equal((await records.findRefreshToken(sha256('refresh a')))?.usedAt, undefined);
      t.equal(await records.rotateRefreshToken(rotation('refresh a', 'r2', 'a')), 'rotated');
    },
  ],
  [
    'a rotation may extend an active access token, and revives no expired one',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      await records.saveAccessToken(accessToken('ended', { expiresAt: now }));
      const extend = (from: string, to: string, text: string) =>
        records.rotateRefreshToken(
          rotation(from, to, 'a', { access: undefined, extended: { hash: sha256(text), expiresAt: now + 500 } }),
        );
      t.equal(await extend('refresh a', 'r2', 'access a'), 'rotated');
      t.equal(await isAlive(records, 'access a', now + 499), true);
      t.equal(await extend('r2', 'r3', 'ended'), 'rotated');
      t.equal(await isAlive(records, 'ended', now), false);
      await records.revokeAccessToken({ hash: sha256('access a'), clientId: 'shop', now });
      await extend('r3', 'r4', 'access a');
      t.equal(await isAlive(records, 'access a'), false);
    },
  ],
  [
    'revoking a refresh token returns its owner, and ends the family',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      await records.rotateRefreshToken(rotation('refresh a', 'r2', 'a'));
      const revoke = (text: string, clientId: string) =>
        records.revokeRefreshToken({ hash: sha256(text), clientId, now });
      t.equal(await revoke('unknown', 'shop'), 'unknown');
      t.equal(await revoke('r2', 'other'), 'other_client');
      t.equal(await isAlive(records, 'access of r2'), true);
      t.equal(await revoke('refresh a', 'shop'), 'revoked', 'by a used one too');
      t.equal(await isAlive(records, 'access of r2'), false);
      t.equal(await records.rotateRefreshToken(rotation('r2', 'r3', 'a')), 'lost');
      t.equal(await revoke('r2', 'shop'), 'revoked', 'again');
    },
  ],
  [
    "a revocation during a rotation also ends the rotation's result",
    async (t, records) => {
      for (const name of times(20, (index) => `grant ${index}`)) {
        await records.saveTokens(minted(name));
        await Promise.all([
          records.rotateRefreshToken(rotation(`refresh ${name}`, `next ${name}`, name)),
          records.revokeGrant(name, now),
        ]);
        t.equal(await isAlive(records, `access of next ${name}`), false, name);
        t.equal(await records.rotateRefreshToken(rotation(`next ${name}`, `last ${name}`, name)), 'lost', name);
      }
    },
  ],
  [
    'a refresh token cannot be saved twice',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      await t.rejects(records.saveTokens({ ...minted('b'), refresh: refreshToken('refresh a', 'b') }));
      t.equal((await records.findRefreshToken(sha256('refresh a')))?.grant.id, 'a');
    },
  ],
];
