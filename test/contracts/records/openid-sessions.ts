import { sha256 } from '../../../src/base/secret.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import { claim, minted, now, type Rule, saveCode, session, times } from './samples.ts';

/** Seconds. */
const DAY = 24 * 3600;

/** A client logs the user in. The client, the code and the grant have the same name. */
async function logIn(records: Records, sessionName: string, name: string, scope = 'openid'): Promise<void> {
  const sessionId = `id ${sessionName}`;
  await saveCode(records, name, { clientId: name, sessionId, openid: {} });
  await redeem(records, sessionName, name, scope);
}

function redeem(records: Records, sessionName: string, name: string, scope = 'openid') {
  const grant = { clientId: name, sessionId: `id ${sessionName}`, openid: {}, scope };
  return records.redeemCode(claim(name, { clientId: name }), minted(name, grant));
}

async function told(records: Records, at = now): Promise<readonly string[]> {
  const taken = await records.takeLogoutNotices({ now: at, leaseUntil: at + 10, limit: 100, share: 1_000 }, []);
  return taken.map(({ clientId }) => clientId).sort();
}

async function isRevoked(records: Records, name: string): Promise<boolean | undefined> {
  return (await records.findRefreshToken(sha256(`refresh ${name}`)))?.grantRevoked;
}

export const openidSessionRules: readonly Rule[] = [
  [
    'the end of a session ends its codes and its grants without offline_access, and makes a notice for each client',
    async (t, records) => {
      for (const name of ['a', 'b']) await records.saveSession(session(name));
      await logIn(records, 'a', 'web');
      await logIn(records, 'a', 'mail', 'openid offline_access');
      await logIn(records, 'b', 'elsewhere');
      await saveCode(records, 'unused', { sessionId: 'id a', openid: {} });
      t.equal(await records.endSession('id a', 's-alice', now), true);
      t.strictSame(await Promise.all(['web', 'mail', 'elsewhere'].map((name) => isRevoked(records, name))), [
        true,
        false,
        false,
      ]);
      t.equal(await records.findCode(sha256('unused')), undefined);
      t.strictSame(
        (await records.listEvents(0, 10)).map(({ kind, key }) => `${kind} ${key}`),
        ['gid web'],
      );
      t.strictSame(await told(records), ['mail', 'web']);
    },
  ],
  [
    'a session that the same user renews keeps its id and its clients, and has one cookie',
    async (t, records) => {
      await records.saveSession(session('a'));
      await logIn(records, 'a', 'web');
      const next = { authenticatedAt: now + 500, expiresAt: now + 1100 };
      await records.saveSession(session('b', next), {}, sha256('a'));
      t.equal(await records.findSession(sha256('a'), now), undefined);
      t.match(await records.findSession(sha256('b'), now + 1000), { id: 'id a', ...next });
      await records.sweep(now + 700, 100);
      t.equal(await records.endSession('id a', 's-alice', now + 1000), true);
      t.strictSame(await told(records, now + 1000), ['web'], 'after the end that the session had at first');
    },
  ],
  [
    'a session of another user is not renewed',
    async (t, records) => {
      await records.saveSession(session('a', { subject: 's-bob' }));
      await records.saveSession(session('b'), {}, sha256('a'));
      t.match(await records.findSession(sha256('a'), now), { id: 'id a', subject: 's-bob' });
      t.match(await records.findSession(sha256('b'), now), { id: 'id b', subject: 's-alice' });
    },
  ],
  [
    'a session that has expired is forgotten, and its clients with their used codes',
    async (t, records) => {
      await records.saveSession(session('a'));
      await logIn(records, 'a', 'web');
      t.equal(await records.sweep(now + 600, 100), 3, 'the session and its two tokens');
      t.ok(await records.findCode(sha256('web')));
      await records.sweep(now + DAY, 100);
      t.equal(await records.findCode(sha256('web')), undefined);
      t.equal(await records.sweep(now + DAY, 100), 0);
    },
  ],
  [
    'a client is known as long as its session, also if the session is longer than a day and the tokens are not',
    async (t, records) => {
      await records.saveSession(session('a', { expiresAt: now + 3 * DAY }));
      await logIn(records, 'a', 'web');
      await saveCode(records, 'unused', { clientId: 'web', sessionId: 'id a', openid: {} });
      await records.sweep(now + 2 * DAY, 100);
      t.equal(await records.findCode(sha256('unused')), undefined, 'a code that was never used has expired');
      t.equal(await records.endSession('id a', 's-alice', now + 2 * DAY), true);
      t.strictSame(await told(records, now + 2 * DAY), ['web']);
      await records.sweep(now + 2 * DAY, 100);
      t.equal(await records.findCode(sha256('web')), undefined, 'its session has ended');
    },
  ],
  [
    'a code that is exchanged while its session ends fails, or its grant ends and its client gets a notice',
    async (t, records) => {
      const endings = [
        (name: string) => records.endSession(`id ${name}`, 's-alice', now),
        () => records.signOutEverywhere({ subject: 's-alice', now, keysUntil: undefined }),
      ];
      for (const [index, end] of endings.entries()) {
        const names = times(20, (each) => `${index} ${each}`);
        for (const name of names) {
          await records.saveSession(session(name));
          await saveCode(records, name, { clientId: name, sessionId: `id ${name}`, openid: {} });
        }
        const outcomes = await Promise.all(
          names.map(async (name) => (await Promise.all([redeem(records, name, name), end(name)]))[0]),
        );
        const redeemed = names.filter((_, each) => outcomes[each] === 'redeemed').sort();
        t.strictSame(await told(records), redeemed);
        t.ok((await Promise.all(redeemed.map((name) => isRevoked(records, name)))).every(Boolean));
      }
    },
  ],
  [
    'a logout while the same user logs in again ends the session, before the login or after it',
    async (t, records) => {
      for (const index of times(20, String)) {
        await records.saveSession(session(index));
        await logIn(records, index, `web ${index}`);
        const renewed = session(`new ${index}`, { authenticatedAt: now + 1 });
        await Promise.all([
          records.saveSession(renewed, {}, sha256(index)),
          records.endSession(`id ${index}`, 's-alice', now),
        ]);
        const after = await records.findSession(sha256(`new ${index}`), now);
        t.not(after?.id, `id ${index}`);
        t.strictSame(await told(records), [`web ${index}`]);
      }
    },
  ],
  [
    'a notice waits until its time, goes to one of many processes, and comes again after the lease',
    async (t, records) => {
      await records.saveSession(session('a'));
      await logIn(records, 'a', 'web');
      await records.endSession('id a', 's-alice', now);
      const takes = await Promise.all(times(4, () => told(records)));
      t.strictSame(takes.flat(), ['web']);
      t.strictSame(await told(records, now + 9), []);
      const [notice] = await records.takeLogoutNotices(
        { now: now + 10, leaseUntil: now + 20, limit: 1, share: 1_000 },
        [],
      );
      t.match(notice, { sessionId: 'id a', clientId: 'web', subject: 's-alice', createdAt: now, attempts: 2 });
      if (notice === undefined) return;
      await records.delayLogoutNotice(notice, now + 100);
      t.strictSame(await told(records, now + 99), []);
      t.equal(await records.countLogoutNotices(), 1);
      await records.dropLogoutNotice(notice);
      t.strictSame(await told(records, now + 100), []);
      t.equal(await records.countLogoutNotices(), 0);
    },
  ],
  [
    'a first attempt comes before the retries',
    async (t, records) => {
      for (const name of ['down', 'healthy']) await records.saveSession(session(name));
      await logIn(records, 'down', 'down');
      await logIn(records, 'healthy', 'healthy');
      await records.endSession('id down', 's-alice', now);
      await told(records);
      await records.endSession('id healthy', 's-alice', now + 20);
      const [next] = await records.takeLogoutNotices(
        { now: now + 20, leaseUntil: now + 30, limit: 1, share: 1_000 },
        [],
      );
      t.equal(next?.clientId, 'healthy');
    },
  ],
];
