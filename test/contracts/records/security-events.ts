import { sha256 } from '../../../src/base/secret.ts';
import type { EventNotice, Records, SentEventName } from '../../../src/storage/records/records.ts';
import { account, minted, now, type Rule, session, tally, times } from './samples.ts';

const every = ['session-revoked', 'credential-change', 'token-claims-change'] as const;
const receiver = (id: string, ...events: SentEventName[]) => ({ id, events: events.length > 0 ? events : every });

interface Taking {
  readonly at?: number;
  readonly only?: readonly string[];
  readonly limit?: number;
  readonly share?: number;
}

function take(
  records: Records,
  { at = now, only = ['crm'], limit = 100, share = 100 }: Taking = {},
): Promise<readonly EventNotice[]> {
  return records.takeSecurityEvents({ now: at, leaseUntil: at + 10, limit, share }, only);
}

const shown = (notices: readonly EventNotice[]) => notices.map(({ event, subject }) => `${event} ${subject}`).sort();

/** What a receiver hears of a change. */
async function heard(records: Records, change: () => Promise<unknown>): Promise<readonly string[]> {
  await change();
  const notices = await take(records);
  for (const notice of notices) await records.dropSecurityEvent(notice);
  return shown(notices);
}

const alice = { subject: 's-file', passwordDigest: sha256('old') };
const signOut = { subject: 's-file', now, keysUntil: undefined };
const newFile = { subject: 's-file', now, after: '{"tenant":"new"}', changed: { tenant: 'new' } };

export const securityEventRules: readonly Rule[] = [
  [
    'each end of a session, new password and change of claims is an event, once',
    async (t, records) => {
      await records.setEventReceivers([receiver('crm')]);
      await records.addAccount(account('alice'));
      await records.addFileUsers([{ ...alice, tokenClaims: '{"tenant":"old"}' }]);
      await records.saveSession(session('a'));
      const claims = () => records.changeTokenClaims({ ...newFile, before: '{"tenant":"old"}' });
      const password = () => records.changeFileUser({ ...signOut, passwordDigest: sha256('new') });
      const changes: readonly [() => Promise<unknown>, string[]][] = [
        [() => records.endSession('id a', 's-alice', now), ['session-revoked s-alice']],
        [() => records.endSession('id a', 's-alice', now), []],
        [() => records.signOutEverywhere({ ...signOut, subject: 's-alice' }), ['session-revoked s-alice']],
        [
          () => records.setPassword({ username: 'alice', passwordHash: 'next', now }),
          ['credential-change s-alice', 'session-revoked s-alice'],
        ],
        [() => records.setPassword({ username: 'nobody', passwordHash: 'next', now }), []],
        [() => records.removeAccount('alice', now), ['session-revoked s-alice']],
        [password, ['credential-change s-file', 'session-revoked s-file']],
        [password, []],
        [claims, ['token-claims-change s-file']],
        [claims, []],
        [() => records.removeFileUser(signOut), ['session-revoked s-file']],
        [() => records.removeFileUser(signOut), []],
      ];
      for (const [change, events] of changes) t.strictSame(await heard(records, change), events);
    },
  ],
  [
    'an event says which session, application, credential or claim it is about',
    async (t, records) => {
      await records.setEventReceivers([receiver('crm')]);
      await records.addAccount(account('alice'));
      await records.addFileUsers([{ ...alice, tokenClaims: '{}' }]);
      await records.saveSession(session('a'));
      await records.saveTokens(minted('shop', { clientId: 'shop', subject: 's-alice' }));
      await records.endSession('id a', 's-alice', now);
      await records.disconnectApp({ subject: 's-alice', clientId: 'shop', now });
      await records.disconnectApp({ subject: 's-alice', clientId: 'unknown', now });
      await records.changeTokenClaims({ ...newFile, before: '{}' });
      await records.setPassword({ username: 'alice', passwordHash: 'next', now });
      const notices = await take(records);
      const told = notices.map(({ event, sessionId, clientId, details }) => ({ event, sessionId, clientId, details }));
      const about = { sessionId: undefined, clientId: undefined, details: {} };
      const password = { credential_type: 'password', change_type: 'update' };
      t.same(
        new Set(told),
        new Set([
          { ...about, event: 'session-revoked', sessionId: 'id a' },
          { ...about, event: 'session-revoked', clientId: 'shop' },
          { ...about, event: 'session-revoked' },
          { ...about, event: 'credential-change', details: password },
          { ...about, event: 'token-claims-change', details: { claims: { tenant: 'new' } } },
        ]),
      );
      t.equal(new Set(notices.map(({ id }) => id)).size, 5);
    },
  ],
  [
    'claims that are stored for the first time are no event, and simultaneous starts report a change once',
    async (t, records) => {
      await records.setEventReceivers([receiver('crm')]);
      await records.addFileUsers([alice]);
      const first = [{ ...alice, tokenClaims: '{"tenant":"old"}' }];
      t.strictSame(await heard(records, () => records.addFileUsers(first)), []);
      await records.addFileUsers([{ ...alice, tokenClaims: '{"tenant":"other"}' }]);
      t.match(await records.listFileUsers(), [{ tokenClaims: '{"tenant":"old"}' }]);
      const change = () => records.changeTokenClaims({ ...newFile, before: '{"tenant":"old"}' });
      t.equal((await heard(records, () => Promise.all(times(10, change)))).length, 1);
    },
  ],
  [
    'without a receiver nothing is stored, and each receiver gets its own events',
    async (t, records) => {
      await records.signOutEverywhere({ ...signOut, subject: 's-alice' });
      t.equal(await records.countSecurityEvents(), 0);
      await records.addFileUsers([alice]);
      await records.setEventReceivers([receiver('crm'), receiver('mail', 'credential-change')]);
      await records.changeFileUser({ ...signOut, passwordDigest: sha256('new') });
      t.equal(await records.countSecurityEvents(), 3);
      t.strictSame(shown(await take(records, { only: ['mail'] })), ['credential-change s-file']);
      t.strictSame(shown(await take(records, { only: ['unknown'] })), []);
      t.strictSame(shown(await take(records)), ['credential-change s-file', 'session-revoked s-file']);
    },
  ],
  [
    'the events of a receiver that left the file are removed, and the others stay',
    async (t, records) => {
      await records.setEventReceivers([receiver('crm'), receiver('mail')]);
      await records.signOutEverywhere({ ...signOut, subject: 's-alice' });
      await Promise.all(times(4, () => records.setEventReceivers([receiver('mail', 'credential-change')])));
      t.equal(await records.countSecurityEvents(), 1);
      t.strictSame(shown(await take(records, { only: ['crm', 'mail'] })), ['session-revoked s-alice']);
      t.strictSame(await heard(records, () => records.signOutEverywhere({ ...signOut, subject: 's-alice' })), []);
    },
  ],
  [
    'one process gets an event, another gets it after the lease, and an answer removes it',
    async (t, records) => {
      await records.setEventReceivers([receiver('crm')]);
      await records.signOutEverywhere({ ...signOut, subject: 's-alice' });
      t.strictSame(tally((await Promise.all(times(4, () => take(records)))).map(({ length }) => length)), {
        0: 3,
        1: 1,
      });
      t.strictSame(await take(records, { at: now + 9 }), []);
      const [notice] = await take(records, { at: now + 10 });
      t.match(notice, { receiverId: 'crm', subject: 's-alice', createdAt: now, attempts: 2 });
      if (notice === undefined) return;
      await records.delaySecurityEvent(notice, now + 100);
      t.strictSame(await take(records, { at: now + 99 }), []);
      const [again] = await take(records, { at: now + 100 });
      t.equal(again?.id, notice.id);
      await records.dropSecurityEvent(notice);
      t.equal(await records.countSecurityEvents(), 0);
    },
  ],
  [
    'receivers take turns, and none gets more than its share',
    async (t, records) => {
      await records.setEventReceivers([receiver('crm'), receiver('mail')]);
      for (let count = 0; count < 5; count++) await records.signOutEverywhere({ ...signOut, subject: `s-${count}` });
      const only = ['crm', 'mail'];
      const taken = await take(records, { only, share: 2 });
      t.strictSame(tally(taken.map(({ receiverId }) => receiverId)), { crm: 2, mail: 2 });
      t.strictSame(tally((await take(records, { only, limit: 2 })).map(({ receiverId }) => receiverId)), {
        crm: 1,
        mail: 1,
      });
    },
  ],
];
