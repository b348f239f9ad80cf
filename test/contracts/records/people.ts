import { sha256 } from '../../../src/base/secret.ts';
import {
  account,
  claim,
  code,
  isAlive,
  minted,
  now,
  plain,
  type Rule,
  saveCode,
  session,
  sessionKey,
  tally,
  times,
} from './samples.ts';

const sessionRules: readonly Rule[] = [
  [
    'a session is found as it was saved, until the second in which it expires',
    async (t, records) => {
      const whole = session('a');
      const bare = session('b', { userAgent: undefined, address: undefined, seenAt: undefined });
      for (const record of [whole, bare]) {
        await records.saveSession(record);
        t.strictSame(plain(await records.findSession(record.hash, now + 599)), plain(record));
        t.equal(await records.findSession(record.hash, now + 600), undefined);
      }
      t.equal(await records.findSession(sha256('c'), now), undefined);
    },
  ],
  [
    'the active sessions of one user are listed, the latest first',
    async (t, records) => {
      await records.saveSession(session('a'));
      await records.saveSession(session('b', { authenticatedAt: now + 1 }));
      await records.saveSession(session('ended', { expiresAt: now }));
      await records.saveSession(session('other', { subject: 's-bob' }));
      t.strictSame(
        (await records.listSessions('s-alice', now)).map(({ id }) => id),
        ['id b', 'id a'],
      );
    },
  ],
  [
    'a session that the browser uses has the time and the address of this use, and an ended session stays ended',
    async (t, records) => {
      const { hash } = session('a');
      const use = { hash, address: '2001:db8::9', seenAt: now + 400 };
      await records.saveSession(session('a'));
      await records.seeSession(use);
      t.match(await records.findSession(hash, now), { id: 'id a', address: '2001:db8::9', seenAt: now + 400 });
      await records.endSession('id a', 's-alice', now);
      await records.seeSession(use);
      t.equal(await records.findSession(hash, now), undefined);
    },
  ],
  [
    'only its own user can end a session, one or all',
    async (t, records) => {
      for (const text of ['a', 'b', 'c']) await records.saveSession(session(text));
      await records.saveSession(session('d', { subject: 's-bob' }));
      t.equal(await records.endSession('id a', 's-bob', now), false);
      t.ok(await records.findSession(sha256('a'), now));
      t.equal(await records.endSession('id a', 's-alice', now), true);
      t.equal(await records.endSession('id a', 's-alice', now), false);
      t.equal(await records.findSession(sha256('a'), now), undefined);
      await records.signOutEverywhere({ subject: 's-alice', now, keysUntil: undefined });
      t.strictSame(await records.listSessions('s-alice', now), []);
      t.ok(await records.findSession(sha256('d'), now));
    },
  ],
];

const accountRules: readonly Rule[] = [
  [
    'an account is found by name and by subject as it was saved',
    async (t, records) => {
      const alice = account('alice', { name: 'Alice Ünal', claims: { groups: ['a', 'b'] } });
      t.equal(await records.addAccount(alice), true);
      t.strictSame(await records.findAccount('alice'), alice);
      t.strictSame(await records.findAccountBySubject('s-alice'), alice);
      t.equal(await records.findAccount('Alice'), undefined);
      t.equal(await records.findAccountBySubject('alice'), undefined);
    },
  ],
  [
    'a text that no database can store finds nothing, and is neither an outage nor a bug',
    async (t, records) => {
      await records.addAccount(account('alice'));
      for (const text of ['alice\0', '\0', 'alice\uD800', '\uDFFF']) {
        t.equal(await records.findAccount(text), undefined);
        t.equal(await records.findClient(text, now), undefined);
      }
    },
  ],
  [
    'a name and a subject are given once, even to many callers at once',
    async (t, records) => {
      const add = (index: number) => records.addAccount(account('alice', { subject: `s-${index}` }));
      t.strictSame(tally(await Promise.all(times(20, add))), { true: 1, false: 19 });
      const [taken] = await records.listAccounts();
      t.equal(await records.addAccount(account('bob', { subject: taken?.subject ?? '' })), false);
      t.equal((await records.listAccounts()).length, 1);
    },
  ],
  [
    'accounts are listed by name, in the order of their bytes',
    async (t, records) => {
      for (const username of ['b', 'a', 'B', 'ä', 'a-1', 'a1']) await records.addAccount(account(username));
      t.strictSame(
        (await records.listAccounts()).map(({ username }) => username),
        ['B', 'a', 'a-1', 'a1', 'b', 'ä'],
      );
    },
  ],
  [
    'the hashes of passwords are sampled, for the costs that occur',
    async (t, records) => {
      t.strictSame(await records.samplePasswordHashes(), []);
      for (const username of ['b', 'a']) await records.addAccount(account(username));
      t.strictSame([...(await records.samplePasswordHashes())].sort(), ['$hash$a', '$hash$b']);
    },
  ],
  [
    'a stronger hash replaces only the hash that was checked',
    async (t, records) => {
      await records.addAccount(account('alice'));
      await records.rehashPassword('s-alice', 'not the hash', 'x');
      t.equal((await records.findAccount('alice'))?.passwordHash, '$hash$alice');
      await records.rehashPassword('s-alice', '$hash$alice', 'stronger');
      t.equal((await records.findAccount('alice'))?.passwordHash, 'stronger');
    },
  ],
];

const endings: readonly [name: string, end: 'setPassword' | 'removeAccount'][] = [
  ['a new password', 'setPassword'],
  ['the removal of an account', 'removeAccount'],
];

const endingRules: readonly Rule[] = endings.flatMap(([name, end]) => {
  const rules: readonly Rule[] = [
    [
      `${name} ends sessions, grants, session keys and unused codes of this user only`,
      async (t, records) => {
        for (const username of ['alice', 'bob']) {
          const subject = `s-${username}`;
          await records.addAccount(account(username));
          await records.saveSession(session(username, { subject }));
          await records.saveTokens(minted(username, { subject }));
          await saveCode(records, `code ${username}`, { subject });
          await saveCode(records, `for key ${username}`, { subject, use: 'session' });
          await records.redeemSessionCode(
            claim(`for key ${username}`, { use: 'session' }),
            sessionKey(`key ${username}`, { subject, username }),
          );
        }
        const change = { username: 'alice', passwordHash: 'new', now };
        const done = end === 'setPassword' ? records.setPassword(change) : records.removeAccount('alice', now);
        t.equal(await done, true);
        const left = (username: string) =>
          Promise.all([
            records.findSession(sha256(username), now).then((found) => found !== undefined),
            isAlive(records, `access ${username}`),
            records.findSessionKey(sha256(`key ${username}`), now).then((found) => found !== undefined),
            records.findCode(sha256(`code ${username}`)).then((found) => found !== undefined),
          ]);
        t.strictSame(await left('alice'), [false, false, false, false]);
        t.strictSame(await left('bob'), [true, true, true, true]);
      },
    ],
    [
      `${name} during the exchange of a code ends the resulting tokens, or the code`,
      async (t, records) => {
        for (const round of times(20, String)) {
          await records.addAccount(account('alice'));
          await saveCode(records, round);
          await Promise.all([
            records.redeemCode(claim(round), minted(round)),
            end === 'setPassword'
              ? records.setPassword({ username: 'alice', passwordHash: 'new', now })
              : records.removeAccount('alice', now),
          ]);
          t.equal(await isAlive(records, `access ${round}`), false, round);
        }
      },
    ],
  ];
  return rules;
});

const removalRules: readonly Rule[] = [
  [
    'a new password is saved, but not for an unknown user',
    async (t, records) => {
      await records.addAccount(account('alice'));
      t.equal(await records.setPassword({ username: 'bob', passwordHash: 'new', now }), false);
      t.equal(await records.setPassword({ username: 'alice', passwordHash: 'new', now }), true);
      t.equal((await records.findAccount('alice'))?.passwordHash, 'new');
    },
  ],
  [
    'a removed account leaves no consent, and its name is free',
    async (t, records) => {
      await records.addAccount(account('alice'));
      const consent = { subject: 's-alice', clientId: 'shop', asked: ['a'], granted: ['a'], grantedAt: now };
      await records.saveCode({ code: code('a'), consent, transaction: undefined });
      t.equal(await records.removeAccount('alice', now), true);
      t.equal(await records.removeAccount('alice', now), false);
      t.equal(await records.findAccount('alice'), undefined);
      t.equal(await records.findConsent('s-alice', 'shop'), undefined);
      t.equal(await records.addAccount(account('alice', { subject: 's-alice-2' })), true);
    },
  ],
];

export const peopleRules: readonly Rule[] = [...sessionRules, ...accountRules, ...endingRules, ...removalRules];
