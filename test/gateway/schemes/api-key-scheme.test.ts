import t from 'tap';
import type { Asker } from '../../../src/base/bounded-queue.ts';
import { outage } from '../../../src/base/verdict.ts';
import type { Throttle } from '../../../src/counters/throttle.ts';
import { apiKeyScheme } from '../../../src/gateway/schemes/api_key/api-key-scheme.ts';
import type { KnownKey, KnownKeys } from '../../../src/gateway/schemes/api_key/known-keys.ts';
import { foundOr } from '../../../src/gateway/schemes/lookup-result.ts';
import { hashApiKey, makeApiKey } from '../../../src/http-auth/api-key.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { headOf } from '../head.ts';
import { fullAfter, present, throttleOf } from './presenting.ts';

const meter: KnownKey = { id: 'ghk_1', client: 'meter-7', scopes: ['read'], expiresAt: undefined };

/** Keys of a store, which answers later. */
function open({ throttle, find }: { throttle?: Throttle; find?: KnownKeys['find'] } = {}) {
  const clock = settableClock();
  const keys = new Map([['right', meter]]);
  const askers: Asker[] = [];
  const scheme = apiKeyScheme({
    realm: 'r',
    challenge: 'ApiKey',
    throttle: throttle ?? throttleOf(clock),
    clock,
    share: 0.5,
    keys: {
      async find(sent, asker) {
        askers.push(asker);
        return (
          find?.(sent, asker) ?? foundOr([...keys].find(([key]) => hashApiKey(Buffer.from(key)) === sent.hash)?.[1])
        );
      },
    },
  });
  const tell = async (value: string) => {
    const verdict = await scheme.verify(present(value, { address: '192.0.2.1' }));
    return verdict.kind === 'refused' ? verdict.code : verdict.kind === 'verified' ? verdict.cache : verdict.kind;
  };
  return { clock, keys, askers, tell };
}

t.test('a key that was right waits in a separate line, which no stranger can join', async (t) => {
  const { tell, askers, clock } = open();
  t.strictSame([await tell('right'), await tell('right')], ['miss', 'hit']);
  const known = { block: hashApiKey(Buffer.from('right')), share: 0.5, isKnown: true };
  t.strictSame(askers, [{ block: '192.0.2.1', share: 0.5 }, known]);
  clock.advance(60_000);
  t.equal(await tell('right'), 'miss', 'after a minute the counters are asked again');
});

t.test('the right key in a burst of guesses is refused, and not cached as right', async (t) => {
  const { tell, askers } = open({ throttle: fullAfter(1) });
  t.equal(await tell('right'), 'throttled', 'others failed while it was looked up');
  t.equal(await tell('right'), 'throttled');
  t.equal(askers.length, 1, 'nothing is looked up above the limit');
});

t.test('a key that was right and is revoked counts as a wrong one', async (t) => {
  const { tell, keys } = open();
  t.equal(await tell('right'), 'miss');
  keys.clear();
  const told = [];
  for (let index = 0; index < 4; index++) told.push(await tell('right'));
  t.strictSame(told, ['api_key_invalid', 'api_key_invalid', 'api_key_invalid', 'throttled']);
});

t.test('an unavailable store is an outage for every key, and counts against no address', async (t) => {
  const { tell } = open({ find: () => outage('users', 1, 'gone') });
  const told = [];
  for (let index = 0; index < 10; index++) told.push(await tell('right'));
  t.strictSame([...new Set(told)], ['outage']);
});

/** Keys of a file, which answers immediately. */
function openFile(known: Readonly<Record<string, KnownKey>>, throttle?: Throttle) {
  const clock = settableClock(1_700_000_000_000);
  const keys: KnownKeys = {
    find: ({ hash }) => foundOr(Object.entries(known).find(([key]) => hashApiKey(Buffer.from(key)) === hash)?.[1]),
  };
  const parts = { realm: 'meters', challenge: 'ApiKey realm="meters"', share: 1 };
  const scheme = apiKeyScheme({ ...parts, keys, clock, throttle: throttle ?? throttleOf(clock, 100) });
  return { clock, scheme, verify: (key: string) => scheme.verify(present(key)) };
}

t.test('a key identifies its client in the realm of the scheme, with one identity', async (t) => {
  const { scheme, verify } = openFile({ a: meter, b: { ...meter, id: 'ghk_2', client: 'meter-8' } });
  const [first, again, other] = [verify('a'), verify('a'), verify('b')];
  t.match(first, { kind: 'verified', cache: 'miss', identity: { issuer: 'api_key:meters', subject: 'meter-7' } });
  t.match(again, { kind: 'verified', cache: 'hit' });
  t.match(other, { identity: { subject: 'meter-8', claims: { key_id: 'ghk_2' } } });
  const identityOf = (verdict: unknown) => (verdict as { identity: object }).identity;
  t.equal(identityOf(again), identityOf(first), 'more is remembered by it');
  t.equal(scheme.name, 'api_key');
  t.strictSame(scheme.challenges(headOf(), false), ['ApiKey realm="meters"']);
  t.equal(scheme.wantsEntity(headOf(['Content-Length', '9'])), undefined);
});

t.test('a key is refused from the second of its expiry on, and the log has its id', async (t) => {
  const now = 1_700_000_000;
  const { clock, verify } = openFile({
    ended: { ...meter, id: 'ghk_e', expiresAt: now },
    ending: { ...meter, expiresAt: now + 1 },
    endless: meter,
  });
  t.strictSame(verify('ended'), { kind: 'refused', code: 'api_key_expired', detail: 'key ghk_e' });
  t.match(verify('ending'), { kind: 'verified', cache: 'miss' });
  clock.advance(999);
  t.match(verify('ending'), { kind: 'verified', cache: 'hit' });
  clock.advance(1);
  t.match(verify('ending'), { code: 'api_key_expired' }, 'also one that was right a moment ago');
  clock.advance(1_000_000_000_000);
  t.match(verify('endless'), { kind: 'verified' });
});

t.test('a damaged key of ours is refused like any wrong one, and the log says so', async (t) => {
  const { verify } = openFile({});
  t.strictSame(verify('foreign'), { kind: 'refused', code: 'api_key_invalid' });
  t.strictSame(verify(makeApiKey()), { kind: 'refused', code: 'api_key_invalid' });
  t.strictSame(verify(makeApiKey().slice(0, -1)), {
    kind: 'refused',
    code: 'api_key_invalid',
    detail: 'the checksum of the key is wrong: a part of the key is missing or mistyped',
  });
});

t.test('a wrong key is counted by a part of its hash, so the stored part opens nothing', async (t) => {
  const names: string[] = [];
  const attempt: Throttle['attempt'] = (name, address) => {
    names.push(`${name} ${address}`);
    return { retryAfter: undefined, fail: () => undefined };
  };
  const { verify } = openFile({ right: meter }, { attempt });
  for (const key of ['one', 'two', 'right', 'right']) verify(key);
  const counted = (key: string) => `api_key ${hashApiKey(Buffer.from(key)).slice(0, 12)} 192.0.2.1`;
  t.strictSame(names, ['one', 'two', 'right'].map(counted), 'a key that was right is not counted again');
});
