import { sha256 } from '../../../src/base/secret.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import {
  accessToken,
  claim,
  client,
  isAlive,
  minted,
  now,
  type Rule,
  refreshToken,
  saveCode,
  session,
  sessionKey,
  signingKey,
  times,
} from './samples.ts';

/** One row of every kind that expires, all at the same second. */
async function saveOneOfEach(records: Records, name: string, expiresAt: number): Promise<void> {
  await records.saveTokens({
    ...minted(name, { expiresAt }),
    access: accessToken(`access ${name}`, { expiresAt }),
    refresh: refreshToken(`refresh ${name}`, name, { expiresAt }),
  });
  await records.denyJwt(name, expiresAt, now);
  await saveCode(records, name, { expiresAt });
  await records.saveSession(session(name, { expiresAt }));
  await saveCode(records, `for key ${name}`, { expiresAt, use: 'session', subject: name });
  await records.redeemSessionCode(
    claim(`for key ${name}`, { use: 'session' }),
    sessionKey(`key ${name}`, { expiresAt, subject: name }),
  );
  const secrets = [{ hash: sha256(`secret ${name}`), createdAt: now, expiresAt }];
  await records.addClient(client(name, { secrets }));
  await records.useOnce({ hash: sha256(name), until: expiresAt });
}

async function left(records: Records, name: string): Promise<readonly boolean[]> {
  const found = await Promise.all([
    records.findAccessToken(sha256(`access ${name}`), now),
    records.findRefreshToken(sha256(`refresh ${name}`)),
    records.findCode(sha256(name)),
    records.findSession(sha256(name), now),
    records.findCode(sha256(`for key ${name}`)),
    records.findSessionKey(sha256(`key ${name}`), now),
    records.findClient(name, 0).then((found) => found?.secrets[0]),
  ]);
  return [...found.map((row) => row !== undefined), await records.isJwtDenied(name, 0)];
}

export const housekeepingRules: readonly Rule[] = [
  [
    'the cleanup deletes only expired rows, a batch at a time',
    async (t, records) => {
      const ended = times(7, (index) => records.saveAccessToken(accessToken(`old ${index}`, { expiresAt: now })));
      const denied = times(4, (index) => records.denyJwt(`old ${index}`, now - index, now));
      await Promise.all([
        ...ended,
        ...denied,
        records.saveAccessToken(accessToken('a')),
        records.denyJwt('j', now + 1, now),
      ]);
      t.equal(await records.sweep(now, 5), 9, 'five of the tokens, four of the denials');
      t.equal(await records.sweep(now, 5), 2);
      t.equal(await records.sweep(now, 5), 0);
      t.equal(await isAlive(records, 'a'), true);
      t.equal(await records.isJwtDenied('j', now), true);
      t.equal(await records.findAccessToken(sha256('old 0'), now - 1), undefined, 'gone, not only ended');
    },
  ],
  [
    'the cleanup knows every kind of row that expires',
    async (t, records) => {
      await saveOneOfEach(records, 'a', now + 10);
      await saveOneOfEach(records, 'b', now + 20);
      t.equal(await records.sweep(now + 9, 100), 0);
      t.equal(await records.sweep(now + 10, 100), 10);
      t.strictSame(
        await left(records, 'a'),
        times(8, () => false),
      );
      t.strictSame(
        await left(records, 'b'),
        times(8, () => true),
      );
      t.equal(await records.useOnce({ hash: sha256('b'), until: now }), false);
      t.equal(await records.useOnce({ hash: sha256('a'), until: now }), true);
    },
  ],
  [
    'a used code is kept until its grant ends, an unused one until it expires',
    async (t, records) => {
      await saveCode(records, 'used');
      await saveCode(records, 'unused');
      await records.redeemCode(claim('used'), minted('used'));
      await records.sweep(now + 100, 100);
      t.equal(await records.findCode(sha256('unused')), undefined);
      t.equal(await records.refuseCode(claim('used', { now: now + 100 })), 'replayed');
      await records.sweep(now + 3600, 100);
      t.equal(await records.findCode(sha256('used')), undefined);
    },
  ],
  [
    'many cleanups at once delete each row once, and a row that is extended in the meantime stays',
    async (t, records) => {
      await Promise.all(times(40, (index) => records.denyJwt(`old ${index}`, now, now)));
      const [counts] = await Promise.all([
        Promise.all(times(4, () => records.sweep(now, 100))),
        ...times(40, (index) => records.denyJwt(`old ${index}`, now + 60, now)),
      ]);
      t.ok(counts.reduce((sum, count) => sum + count, 0) <= 40);
      const denied = await Promise.all(times(40, (index) => records.isJwtDenied(`old ${index}`, now)));
      t.ok(denied.every(Boolean));
    },
  ],
  [
    'a ping is answered',
    async (t, records) => {
      await records.ping(now);
      await Promise.all(times(20, (index) => records.ping(now + index)));
      t.pass();
    },
  ],
  [
    'after close every verb is an outage; close may be called twice',
    async (t, records) => {
      const last = records.saveAccessToken(accessToken('last'));
      await records.close();
      await records.close();
      await last;
      const asked = [
        records.saveAccessToken(accessToken('a')),
        records.findAccessToken(sha256('a'), now),
        records.revokeAccessToken({ hash: sha256('a'), clientId: 'shop', now }),
        records.refuseCode(claim('a')),
        records.denyJwt('j', now, now),
        records.isJwtDenied('j', now),
        records.adoptSigningKey(signingKey('k')),
        records.listSigningKeys(),
        records.sweep(now, 1),
        records.ping(now),
      ];
      for (const outcome of await Promise.allSettled<unknown>(asked)) {
        t.equal(outcome.status === 'rejected' && outcome.reason.name, 'StorageUnavailable');
      }
    },
  ],
];
