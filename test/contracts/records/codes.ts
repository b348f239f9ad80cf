import { sha256 } from '../../../src/base/secret.ts';
import type { CodeClaim, CodeRecord } from '../../../src/storage/records/records.ts';
import { claim, code, grant, isAlive, minted, now, plain, type Rule, saveCode, tally, times } from './samples.ts';

const wrong: Readonly<Record<string, [changes: Partial<CodeClaim>, outcome: string]>> = {
  'another client': [{ clientId: 'other' }, 'wrong_client'],
  'the other use': [{ use: 'session' }, 'mismatch'],
  'another redirect address': [{ redirectUri: 'https://shop.example/back/' }, 'mismatch'],
  'another challenge': [{ challenge: 'Challenge' }, 'mismatch'],
  'no challenge': [{ challenge: undefined }, 'mismatch'],
};

/**
 * RFC 6749 §4.1.3: an address in the first request must be repeated. With a challenge it may be omitted, as in OAuth
 * 2.1.
 */
const addresses: readonly [name: string, code: Partial<CodeRecord>, claim: Partial<CodeClaim>, outcome: string][] = [
  ['sent, with a challenge, then left out', {}, { redirectUri: undefined }, 'redeemed'],
  [
    'sent, without a challenge, then left out',
    { challenge: undefined },
    { challenge: undefined, redirectUri: undefined },
    'mismatch',
  ],
  [
    'not sent, then left out',
    { redirectUriSent: false, challenge: undefined },
    { challenge: undefined, redirectUri: undefined },
    'redeemed',
  ],
  ['not sent, then named', { redirectUriSent: false }, {}, 'redeemed'],
  ['not sent, then another', { redirectUriSent: false }, { redirectUri: 'https://evil.example' }, 'mismatch'],
  ['none at all, then one', { redirectUri: undefined, redirectUriSent: false }, {}, 'mismatch'],
];

const bindingRules: readonly Rule[] = [
  [
    'a code is found as it was saved',
    async (t, records) => {
      const whole = code('a');
      const bare = code('b', { redirectUri: undefined, redirectUriSent: false, challenge: undefined, use: 'session' });
      for (const record of [whole, bare]) {
        t.equal(await records.saveCode({ code: record, consent: undefined, transaction: undefined }), 'saved');
        t.strictSame(plain(await records.findCode(record.hash)), plain(record));
      }
      t.equal(await records.findCode(sha256('c')), undefined);
    },
  ],
  [
    'a code is redeemed only with all values that it is bound to, and a wrong value does not use it up',
    async (t, records) => {
      for (const [name, [changes, outcome]] of Object.entries(wrong)) {
        await saveCode(records, name);
        t.equal(await records.redeemCode(claim(name, changes), minted(name)), outcome, name);
        t.equal(await isAlive(records, `access ${name}`), false, `${name}: nothing is saved`);
        t.equal(await records.redeemCode(claim(name), minted(name)), 'redeemed', `${name}: and then right`);
      }
      t.equal(await records.redeemCode(claim('unknown'), minted('unknown')), 'unknown');
    },
  ],
  [
    'the redirect address of a code may be omitted if PKCE or the request allows it',
    async (t, records) => {
      for (const [name, asSaved, asShown, outcome] of addresses) {
        await saveCode(records, name, asSaved);
        t.equal(await records.redeemCode(claim(name, asShown), minted(name)), outcome, name);
      }
    },
  ],
  [
    'a code without a challenge is not redeemed with one',
    async (t, records) => {
      await saveCode(records, 'a', { challenge: undefined });
      t.equal(await records.redeemCode(claim('a', { challenge: 'x' }), minted('a')), 'mismatch');
      t.equal(await records.redeemCode(claim('a', { challenge: undefined }), minted('a')), 'redeemed');
    },
  ],
  [
    'the fifth wrong attempt of any client destroys a code',
    async (t, records) => {
      await saveCode(records, 'four');
      await saveCode(records, 'five');
      for (const [index, text] of ['four', 'four', 'four', 'four', 'five', 'five', 'five', 'five', 'five'].entries()) {
        await records.refuseCode(claim(text, index % 2 === 0 ? { clientId: 'x' } : { challenge: 'x' }));
      }
      t.equal(await records.redeemCode(claim('four'), minted('four')), 'redeemed');
      t.equal(await records.redeemCode(claim('five'), minted('five')), 'unknown');
    },
  ],
  [
    'of many wrong attempts at once each counts',
    async (t, records) => {
      await saveCode(records, 'a');
      await Promise.all(times(5, () => records.refuseCode(claim('a', { challenge: 'x' }))));
      t.equal(await records.redeemCode(claim('a'), minted('a')), 'unknown');
    },
  ],
  [
    'a code is valid until the second in which it expires, and a wrong attempt at an expired one reveals nothing',
    async (t, records) => {
      await saveCode(records, 'a');
      await saveCode(records, 'b');
      t.equal(await records.redeemCode(claim('a', { now: now + 59 }), minted('a')), 'redeemed');
      t.equal(await records.redeemCode(claim('b', { now: now + 60 }), minted('b')), 'unknown');
      t.equal(await records.redeemCode(claim('b', { now: now + 60, clientId: 'x' }), minted('b')), 'unknown');
    },
  ],
];

const useRules: readonly Rule[] = [
  [
    'a redeemed code saves the grant and its tokens with it',
    async (t, records) => {
      await saveCode(records, 'a');
      t.equal(await records.redeemCode(claim('a'), minted('a')), 'redeemed');
      t.equal(await isAlive(records, 'access a'), true);
      const found = await records.findRefreshToken(sha256('refresh a'));
      t.strictSame(plain(found?.grant), plain(grant('a')));
    },
  ],
  [
    'a failed save leaves the code unused',
    async (t, records) => {
      await records.saveAccessToken(minted('a').access);
      await saveCode(records, 'a');
      await t.rejects(records.redeemCode(claim('a'), minted('a')));
      t.equal(await records.findRefreshToken(sha256('refresh a')), undefined);
      const bare = { grant: grant('a'), access: undefined, refresh: undefined };
      t.equal(await records.redeemCode(claim('a'), bare), 'redeemed');
    },
  ],
  [
    'of 50 redemptions at once one succeeds; the others are replays, and end what it got',
    async (t, records) => {
      await saveCode(records, 'a');
      const outcomes = await Promise.all(times(50, () => records.redeemCode(claim('a'), minted('a'))));
      t.strictSame(tally(outcomes), { redeemed: 1, replayed: 49 });
      t.equal(await isAlive(records, 'access a'), false);
      t.equal((await records.findRefreshToken(sha256('refresh a')))?.grantRevoked, true);
    },
  ],
  [
    'a claim that cannot be granted does not use up a valid code, and a second use of it is still detected',
    async (t, records) => {
      await saveCode(records, 'a');
      t.equal(await records.refuseCode(claim('a')), 'unknown', 'it fits, and is not granted');
      t.equal(await records.refuseCode(claim('a', { clientId: 'other' })), 'wrong_client');
      t.equal(await records.redeemCode(claim('a'), minted('a')), 'redeemed');
      t.equal(await records.refuseCode(claim('a')), 'replayed');
      t.equal(await isAlive(records, 'access a'), false);
    },
  ],
  [
    'a replay by another client ends nothing',
    async (t, records) => {
      await saveCode(records, 'a');
      await records.redeemCode(claim('a'), minted('a'));
      for (const [name, [changes]] of Object.entries(wrong)) {
        t.equal(await records.refuseCode(claim('a', changes)), 'unknown', name);
      }
      t.equal(await isAlive(records, 'access a'), true);
      t.equal(await records.refuseCode(claim('a', { now: now + 3000 })), 'replayed', 'long after it expired');
      t.equal(await isAlive(records, 'access a'), false);
    },
  ],
  [
    'a transaction counts once: the second time nothing is saved',
    async (t, records) => {
      const transaction = { hash: sha256('page'), until: now + 60 };
      const consent = {
        subject: 's-alice',
        clientId: 'shop',
        asked: ['orders.read'],
        granted: ['orders.read'],
        grantedAt: now,
      };
      const save = (text: string, scope: string) =>
        records.saveCode({ code: code(text), consent: { ...consent, asked: [scope], granted: [scope] }, transaction });
      const outcomes = await Promise.all(times(20, (index) => save(`code ${index}`, `scope ${index}`)));
      t.strictSame(tally(outcomes), { saved: 1, used: 19 });
      const winner = outcomes.indexOf('saved');
      t.equal((await records.findConsent('s-alice', 'shop'))?.scope, `scope ${winner}`);
      const found = await Promise.all(times(20, (index) => records.findCode(sha256(`code ${index}`))));
      t.strictSame(
        found.flatMap((record, index) => (record === undefined ? [] : [index])),
        [winner],
      );
    },
  ],
  [
    'a token in the redirect is saved with its grant and consent, once a transaction',
    async (t, records) => {
      const transaction = { hash: sha256('page'), until: now + 60 };
      const consent = {
        subject: 's-alice',
        clientId: 'shop',
        asked: ['orders.read'],
        granted: ['orders.read'],
        grantedAt: now,
      };
      const save = (name: string) =>
        records.saveImplicit({ grant: grant(name), access: minted(name).access, consent, transaction });
      const names = times(10, (index) => `implicit ${index}`);
      const outcomes = await Promise.all(names.map(save));
      t.strictSame(tally(outcomes), { saved: 1, used: 9 });
      const alive = await Promise.all(names.map((name) => isAlive(records, `access ${name}`)));
      t.strictSame(
        alive,
        outcomes.map((outcome) => outcome === 'saved'),
      );
      t.equal((await records.listConnectedApps('s-alice', now)).length, 1);
      await t.rejects(
        records.saveImplicit({
          grant: grant(names[0] ?? ''),
          access: minted(names[outcomes.indexOf('saved')] ?? '').access,
          consent: { ...consent, subject: 's-bob' },
          transaction: undefined,
        }),
      );
      t.equal(await records.findConsent('s-bob', 'shop'), undefined, 'with it or not at all');
    },
  ],
  [
    'a verb that fails at its first statement does not affect the next one',
    async (t, records) => {
      const transaction = { hash: sha256('page').subarray(1), until: now + 60 };
      await t.rejects(records.saveCode({ code: code('a'), consent: undefined, transaction }));
      t.equal(await saveCode(records, 'a'), 'saved');
      t.ok(await records.findCode(sha256('a')));
    },
  ],
  [
    'a value for one use is used once',
    async (t, records) => {
      const once = { hash: sha256('nonce'), until: now + 60 };
      const outcomes = await Promise.all(times(50, () => records.useOnce(once)));
      t.strictSame(tally(outcomes), { true: 1, false: 49 });
      t.equal(await records.useOnce({ hash: sha256('other'), until: now }), true);
    },
  ],
];

export const codeRules: readonly Rule[] = [...bindingRules, ...useRules];
