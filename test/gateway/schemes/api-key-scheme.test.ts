import t from 'tap';
import type { Asker } from '../../../src/base/bounded-queue.ts';
import { outage } from '../../../src/base/verdict.ts';
import type { Throttle } from '../../../src/counters/throttle.ts';
import { apiKeyScheme } from '../../../src/gateway/schemes/api_key/api-key-scheme.ts';
import type { KnownKey, KnownKeys } from '../../../src/gateway/schemes/api_key/known-keys.ts';
import { foundOr } from '../../../src/gateway/schemes/lookup-result.ts';
import { hashApiKey } from '../../../src/http-auth/api-key.ts';
import { settableClock } from '../../support/settable-clock.ts';
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

t.test('a key that was right waits in a line of its own, which no stranger can join', async (t) => {
  const { tell, askers, clock } = open();
  t.strictSame([await tell('right'), await tell('right')], ['miss', 'hit']);
  const known = { block: hashApiKey(Buffer.from('right')), share: 0.5, isKnown: true };
  t.strictSame(askers, [{ block: '192.0.2.1', share: 0.5 }, known]);
  clock.advance(60_000);
  t.equal(await tell('right'), 'miss', 'after a minute the counters are asked again');
});

t.test('the right key of a burst of guesses is refused, and not remembered as right', async (t) => {
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

t.test('a store that is out is an outage for every key, and counts against nobody', async (t) => {
  const { tell } = open({ find: () => outage('users', 1, 'gone') });
  const told = [];
  for (let index = 0; index < 10; index++) told.push(await tell('right'));
  t.strictSame([...new Set(told)], ['outage']);
});
