import { setImmediate as giveWay } from 'node:timers/promises';
import { sha256 } from '../../../src/base/secret.ts';
import type { EventRecord, Records } from '../../../src/storage/records/records.ts';
import {
  accessToken,
  account,
  claim,
  client,
  minted,
  now,
  type Rule,
  rotation,
  saveCode,
  sessionKey,
  signingKey,
  times,
} from './samples.ts';

const day = 86_400;
const hashKey = (text: string) => sha256(text).toString('base64url');

async function told(records: Records, since = 0): Promise<readonly (readonly unknown[])[]> {
  const events = await records.listEvents(since, 1000);
  return events.map(({ kind, key, until, nbf }) => [kind, key, until - now, ...(nbf === undefined ? [] : [nbf - now])]);
}

/** In any order, because events of one verb have none. */
const sorted = (rows: readonly (readonly unknown[])[]) => rows.map(String).sort();

const reportRules: readonly Rule[] = [
  [
    'a revoked access token has one event, until it would have expired',
    async (t, records) => {
      await records.saveAccessToken(accessToken('a'));
      await records.saveAccessToken(accessToken('ended', { expiresAt: now - 1 }));
      const revoke = (text: string, clientId: string) =>
        records.revokeAccessToken({ hash: sha256(text), clientId, now });
      for (const clientId of ['other', 'shop', 'shop', 'other']) await revoke('a', clientId);
      await revoke('ended', 'shop');
      await revoke('unknown', 'shop');
      t.strictSame(await told(records), [['token_hash', hashKey('a'), 60]]);
    },
  ],
  [
    'a denied JWT has one event, and another only if it is denied for longer',
    async (t, records) => {
      for (const until of [30, 30, 20, 40]) await records.denyJwt('j', now + until, now);
      await records.denyJwt('ended', now, now);
      t.strictSame(await told(records), [
        ['jti', 'j', 30],
        ['jti', 'j', 40],
      ]);
    },
  ],
  [
    'a revoked grant has one event, until the last of its access tokens would have expired',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      await records.rotateRefreshToken(rotation('refresh a', 'r2', 'a', { now: now + 10 }));
      await records.rotateRefreshToken(rotation('r2', 'r3', 'a', { now: now + 20, tokensUntil: now + 50 }));
      t.equal(await records.revokeGrant('a', now + 21), true);
      t.equal(await records.revokeGrant('a', now + 22), false);
      t.strictSame(await told(records), [['gid', 'a', 70]]);
    },
  ],
  [
    'a grant whose tokens have all expired has no event',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      t.equal(await records.revokeGrant('a', now + 60), true);
      t.strictSame(await told(records), []);
    },
  ],
  [
    'a code that is used twice, and a refresh token that is revoked, end their grants',
    async (t, records) => {
      await saveCode(records, 'a');
      for (let time = 0; time < 3; time++) await records.redeemCode(claim('a'), minted('a'));
      await records.saveTokens(minted('b'));
      await records.revokeRefreshToken({ hash: sha256('refresh b'), clientId: 'shop', now });
      t.strictSame(await told(records), [
        ['gid', 'a', 60],
        ['gid', 'b', 60],
      ]);
    },
  ],
  [
    'a disconnected app has events for its grants and session key, and no other app has',
    async (t, records) => {
      for (const [name, clientId] of [
        ['a', 'shop'],
        ['b', 'shop'],
        ['c', 'other'],
      ] as const)
        await records.saveTokens(minted(name, { clientId }));
      await saveCode(records, 's', { use: 'session' });
      await records.redeemSessionCode(claim('s', { use: 'session' }), sessionKey('k'));
      await records.disconnectApp({ subject: 's-alice', clientId: 'shop', now });
      const { hash } = sessionKey('k');
      t.strictSame(
        sorted(await told(records)),
        sorted([
          ['gid', 'a', 60],
          ['gid', 'b', 60],
          ['token_hash', Buffer.from(hash).toString('base64url'), Math.min(sessionKey('k').expiresAt - now, day)],
        ]),
      );
    },
  ],
  [
    'a replaced session key has an event, and the new key is valid',
    async (t, records) => {
      for (const name of ['k1', 'k2']) {
        await saveCode(records, name, { use: 'session' });
        await records.redeemSessionCode(claim(name, { use: 'session' }), sessionKey(name));
      }
      const key = (name: string) => Buffer.from(sessionKey(name).hash).toString('base64url');
      t.match(await told(records), [['token_hash', key('k1')]]);
      t.equal(await records.findSessionKey(sessionKey('k1').hash, now), undefined);
      t.ok(await records.findSessionKey(sessionKey('k2').hash, now));
      await records.revokeSessionKey({ hash: sessionKey('k2').hash, clientId: 'shop', now });
      t.match((await told(records))[1], ['token_hash', key('k2')]);
    },
  ],
  [
    'a new password and a sign-out everywhere have an event for each grant, so that a later login is not affected',
    async (t, records) => {
      await records.addAccount(account('alice'));
      const ends = [
        () => records.setPassword({ username: 'alice', passwordHash: 'new', now }),
        () => records.signOutEverywhere({ subject: 's-alice', now }),
      ];
      for (const [index, end] of ends.entries()) {
        await records.saveTokens(minted(`a${index}`));
        await records.saveTokens(minted(`bob${index}`, { subject: 's-bob' }));
        await end();
        await records.saveTokens(minted(`after${index}`));
        t.equal(await records.isJwtDenied('j', now, { grantId: `a${index}` }), true);
        t.equal(await records.isJwtDenied('j', now, { grantId: `after${index}` }), false);
        await records.revokeGrant(`after${index}`, now + 60);
      }
      t.strictSame(await told(records), [
        ['gid', 'a0', 60],
        ['gid', 'a1', 60],
      ]);
    },
  ],
  [
    'a removed user has an event by subject, for tokens of any time, because the subject never comes back',
    async (t, records) => {
      await records.addAccount(account('alice'));
      for (const name of ['a', 'b']) await records.saveTokens(minted(name));
      await records.removeAccount('alice', now);
      t.strictSame(await told(records), [['sub_nbf', account('alice').subject, day, day]]);
    },
  ],
  [
    'a removed client has an event by its name, also for tokens without a record',
    async (t, records) => {
      await records.addClient(client('shop'));
      await records.saveTokens(minted('a', { tokensUntil: now + 2 * day }));
      await records.removeClient('shop', now);
      t.strictSame(await told(records), [['client_nbf', 'shop', 2 * day, 5]]);
      t.equal(await records.isJwtDenied('j', now, { clientId: 'shop', issuedAt: now + 4 }), true);
      t.equal(await records.isJwtDenied('j', now, { clientId: 'shop', issuedAt: now + 5 }), false);
      t.equal(await records.isJwtDenied('j', now, { clientId: 'other', issuedAt: now }), false);
    },
  ],
  [
    'tokens of a client from before a second end, and tokens from that second stay valid',
    async (t, records) => {
      const nbf = now + 10;
      await records.saveAccessToken(accessToken('before', { issuedAt: nbf - 1 }));
      await records.saveAccessToken(accessToken('after', { issuedAt: nbf }));
      await records.saveTokens(minted('idle'));
      await records.saveTokens(minted('used'));
      await records.rotateRefreshToken(rotation('refresh used', 'r2', 'used', { now: nbf }));
      await records.saveTokens(minted('new', { createdAt: nbf, tokensUntil: nbf + 60 }));
      await records.revokeTokensOfClient({ id: 'shop', nbf, now: nbf, lifetime: 3600 });
      t.strictSame(await told(records), [
        ['client_nbf', 'shop', 3610, 10],
        ['gid', 'used', 70],
      ]);
      const alive = async (text: string) => (await records.findAccessToken(sha256(text), now)) !== undefined;
      t.strictSame([await alive('before'), await alive('after')], [false, true]);
      const denied = (grantId: string) => records.isJwtDenied('j', nbf, { grantId });
      t.strictSame([await denied('idle'), await denied('used'), await denied('new')], [true, true, false]);
    },
  ],
  [
    "the issuer's keys that are replaced immediately have events",
    async (t, records) => {
      await records.adoptSigningKey(signingKey('k1'));
      await records.announceSigningKey(signingKey('k2'));
      await records.replaceSigningKeys(signingKey('k3'));
      t.strictSame(
        sorted(await told(records)),
        sorted([
          ['kid', 'k1', day],
          ['kid', 'k2', day],
        ]),
      );
    },
  ],
  [
    'a change that fails has no event',
    async (t, records) => {
      await records.saveTokens(minted('a'));
      await t.rejects(records.rotateRefreshToken(rotation('refresh a', 'refresh a', 'a')));
      t.strictSame(await told(records), []);
    },
  ],
];

const seqs = (events: readonly EventRecord[]) => events.map(({ seq }) => seq);

const orderRules: readonly Rule[] = [
  [
    'numbers increase, follow the time, and keep increasing if the time does not',
    async (t, records) => {
      await records.denyJwt('a', now + 60, now);
      await records.denyJwt('b', now + 60, now);
      await records.denyJwt('c', now + 60, now - 1000);
      await records.denyJwt('d', now + 60, now + 1);
      const [first = 0, ...rest] = seqs(await records.listEvents(0, 10));
      t.equal(first, now * 1_000_000);
      t.strictSame(rest, [first + 1, first + 2, (now + 1) * 1_000_000]);
      t.strictSame(seqs(await records.listEvents(first, 2)), rest.slice(0, 2), 'a page after a number');
      t.strictSame(seqs(await records.listEvents(rest[2] ?? 0, 10)), []);
    },
  ],
  [
    'a reader beside many writers skips nothing: what it read up to a number is complete',
    async (t, records) => {
      const written = times(200, (index) => `j${index}`);
      let isOver = false;
      const writing = Promise.all(written.map((jti) => records.denyJwt(jti, now + 60, now))).finally(() => {
        isOver = true;
      });
      const read: string[] = [];
      let since = 0;
      for (let last = false; ; ) {
        // SQLite answers without yielding
        await giveWay();
        const events = await records.listEvents(since, 7);
        read.push(...events.map(({ key }) => key));
        since = events.at(-1)?.seq ?? since;
        if (events.length === 0 && last) break;
        last = isOver;
      }
      await writing;
      t.strictSame([...read].sort(), [...written].sort());
      t.equal(new Set(read).size, written.length);
    },
  ],
  [
    'a watcher is notified in good time that there is something to read',
    async (t, records) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = records.watchEvents(() => {
        void records.listEvents(0, 1).then((events) => events.length > 0 && resolve());
      });
      t.teardown(stop);
      await records.denyJwt('j', now + 60, now);
      await promise;
      await stop();
    },
  ],
  [
    'events are deleted some time after their tokens have expired, and the position says up to where',
    async (t, records) => {
      t.strictSame(await records.findFeedPosition(5), { last: 0, pruned: 0, known: false });
      await records.denyJwt('long', now + 1000, now);
      await records.denyJwt('short', now + 60, now);
      await records.denyJwt('last', now + 2000, now);
      const [long = 0, short = 0, last = 0] = seqs(await records.listEvents(0, 10));
      t.strictSame(await records.findFeedPosition(short), { last, pruned: 0, known: true });
      await records.sweep(now + 60 + 299, 100);
      t.equal((await records.listEvents(0, 10)).length, 3);
      await records.sweep(now + 60 + 300, 100);
      t.strictSame(seqs(await records.listEvents(0, 10)), [long, last]);
      t.strictSame(await records.findFeedPosition(short), { last, pruned: short, known: false });
      await records.sweep(now + 5000, 1);
      t.strictSame(seqs(await records.listEvents(0, 10)), [last], 'a few at a time');
      await records.sweep(now + 5000, 100);
      t.strictSame(await records.findFeedPosition(last), { last, pruned: last, known: false });
      await records.denyJwt('next', now + 9000, now);
      t.strictSame(seqs(await records.listEvents(0, 10)), [last + 1], 'no number is given out twice');
    },
  ],
];

export const eventRules: readonly Rule[] = [...reportRules, ...orderRules];
