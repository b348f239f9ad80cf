import { generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import { DenyList } from '../../../src/gateway/revocation/deny-list.ts';
import { type UserKeyCache, userKeyCache } from '../../../src/gateway/revocation/user-keys.ts';
import { callLimit } from '../../../src/gateway/server-client/call-limit.ts';
import type { JsonObject } from '../../../src/jwt/json.ts';
import { subjectHash } from '../../../src/oauth/user-key.ts';
import { type SettableClock, settableClock } from '../../support/settable-clock.ts';

const ISSUER = 'https://auth.example.com';
const KID = 'AAAAAAAAAAAAAAAAAAAAAA';
const MINUTE = 60_000;

function keyOfAlice(): JsonObject {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const named = { kid: KID, alg: 'ES256', use: 'sig', sub_hash: subjectHash(ISSUER, 'alice') };
  return { keys: [{ ...publicKey.export({ format: 'jwk' }), ...named }] };
}

interface Scene {
  readonly clock: SettableClock;
  readonly keys: UserKeyCache;
  readonly list: DenyList;
  /** The feed sent an event about the key. */
  rotate(): void;
  inStep: boolean;
  span: number;
  /** Whether the service still has the key. */
  there: boolean;
}

function scene(): Scene {
  const clock = settableClock();
  const list = new DenyList({ leeway: 30 });
  const set = keyOfAlice();
  const open: Scene = {
    clock,
    list,
    inStep: true,
    span: 1,
    there: true,
    rotate() {
      open.there = false;
      list.add({ kind: 'kid', key: KID, until: clock.now() / 1000 + 600 });
      open.keys.ended(KID);
    },
    keys: userKeyCache({
      issuer: ISSUER,
      ask: async () =>
        open.there ? { kind: 'json', value: set } : { kind: 'failed', detail: 'status 404', status: 404 },
      algorithms: ['ES256'],
      size: 10,
      maxAge: 30_000,
      staleIfError: 0,
      limit: callLimit(4, 4),
      budget: { take: () => true, give() {} },
      revocations: {
        isDead: (kid) => list.isDead(kid),
        inStep: () => open.inStep,
        epoch: 0,
        get span() {
          return open.span;
        },
      },
      clock,
    }),
  };
  return open;
}

const found = async ({ keys }: Scene) => (await keys.find('ES256', KID, 'alice'))?.kind;

t.test('a rotated key verifies nothing, even when the feed no longer has its event', async (t) => {
  const open = scene();
  t.equal(await found(open), 'keys');
  open.rotate();
  t.equal(await found(open), 'revoked');
  open.clock.advance(20 * MINUTE);
  for (let time = 0; time < 20; time++) open.list.sweep(open.clock.now() / 1000);
  t.equal(open.list.size, 0, 'the entry left with the last token that the key signed');
  t.equal(await found(open), 'unknown', 'who has the old key could make new tokens with it');
});

t.test('what a rotated key verified no longer counts', async (t) => {
  const open = scene();
  const before = await open.keys.find('ES256', KID, 'alice');
  const key = before?.kind === 'keys' ? before.keys[0] : undefined;
  if (key === undefined) throw new Error('no key');
  t.ok(open.keys.holds(key));
  open.rotate();
  t.notOk(open.keys.holds(key));
});

t.test('a key from a time without rotation events is fetched again, whatever the feed says later', async (t) => {
  const open = scene();
  open.inStep = false;
  t.equal(await found(open), 'keys');
  // Rotated. The event expired before the feed was reached.
  open.there = false;
  open.clock.advance(20 * MINUTE);
  open.inStep = true;
  t.equal(await found(open), 'unknown');
});

t.test('a key from before a long loss of the feed is fetched again when the feed is back', async (t) => {
  const open = scene();
  t.equal(await found(open), 'keys');
  // Rotated in the meantime. The event has expired, and for a reader without any event yet it is not a gap.
  open.there = false;
  open.clock.advance(20 * MINUTE);
  open.span++;
  t.equal(await found(open), 'unknown');
});

t.test('a key from a time when the feed was up to date is valid as long as the feed stays up to date', async (t) => {
  const open = scene();
  t.equal(await found(open), 'keys');
  open.there = false;
  open.clock.advance(20 * MINUTE);
  t.equal(await found(open), 'keys', 'nothing was told of it');
  open.inStep = false;
  t.equal(await found(open), 'unknown');
});
