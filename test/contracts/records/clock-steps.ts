import { sha256 } from '../../../src/base/secret.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import {
  accessToken,
  claim,
  grant,
  minted,
  now,
  type Rule,
  rotation,
  saveCode,
  session,
  sessionKey,
} from './samples.ts';

const [DAY, YEAR] = [86_400, 31_536_000];

/** What was issued by a clock that was so many seconds ahead, and is valid for an hour by that clock. */
async function giveOut(records: Records, ahead: number): Promise<void> {
  const [at, end] = [now + ahead, now + ahead + 3600];
  await records.saveAccessToken(accessToken('a', { issuedAt: at, expiresAt: end }));
  const { refresh, access } = minted('g');
  const tokens = { access, refresh: { ...refresh, issuedAt: at, expiresAt: end } };
  await records.saveTokens({ ...tokens, grant: grant('g', { createdAt: at, expiresAt: end }) });
  await records.saveSession(session('s', { authenticatedAt: at, expiresAt: end }));
  await saveCode(records, 'c', { use: 'session', issuedAt: at, expiresAt: end });
  const key = sessionKey('k', { issuedAt: at, expiresAt: end });
  await records.redeemSessionCode(claim('c', { use: 'session', now: at }), key);
}

async function good(records: Records): Promise<Record<string, boolean>> {
  return {
    token: (await records.findAccessToken(sha256('a'), now)) !== undefined,
    session: (await records.findSession(sha256('s'), now)) !== undefined,
    key: (await records.findSessionKey(sha256('k'), now)) !== undefined,
    openid: (await records.findSessionKeyByOpenid('shop', 'o-alice', now)) !== undefined,
    refreshed: await records.rotateRefreshToken(rotation('refresh g', 'next', 'g')).then((how) => how === 'rotated'),
  };
}

const all = (value: boolean) => ({ token: value, session: value, key: value, openid: value, refreshed: value });

/** A clock that was ahead by mistake, and was then corrected. */
export const clockRules: readonly Rule[] = [
  [
    'tokens from a clock that was up to a day ahead stay valid',
    async (t, records) => {
      await giveOut(records, DAY);
      t.strictSame(await good(records), all(true));
    },
  ],
  [
    'tokens from a clock that was further ahead are invalid, because they would outlive their time by as much',
    async (t, records) => {
      await giveOut(records, DAY + 1);
      t.strictSame(await good(records), all(false));
    },
  ],
  [
    'a year is as much too far as a day',
    async (t, records) => {
      await giveOut(records, YEAR);
      t.strictSame(await good(records), all(false));
    },
  ],
  [
    'a code that was created more than a minute ahead is not redeemed before its time',
    async (t, records) => {
      await saveCode(records, 'soon', { issuedAt: now + 60, expiresAt: now + 120 });
      await saveCode(records, 'late', { issuedAt: now + 61, expiresAt: now + 121, grantId: 'other' });
      t.equal(await records.redeemCode(claim('late'), minted('late')), 'unknown');
      t.equal(await records.redeemCode(claim('soon'), minted('soon')), 'redeemed');
      t.equal(await records.redeemCode(claim('late', { now: now + 1 }), minted('late')), 'redeemed', 'nor burnt by it');
    },
  ],
];
