import t from 'tap';
import { openNonces, openUsedNonces } from '../../src/gateway/schemes/nonces.ts';
import { groupCounters } from '../../src/supervisor/group-counters.ts';
import { heldClock } from '../gateway/issuer.ts';

/** One more than the primary remembers. */
const TOO_MANY = 65_537;

t.test('a used nonce is not accepted again after the clock jumps ahead and back, even if memory is full', async (t) => {
  const clock = heldClock();
  const { useNonce } = groupCounters(clock);
  const issuedAt = clock.now() + 1;
  const use = (id: string) => useNonce({ id, issuedAt, lifetime: 300_000, count: 1, mode: 'strict' });
  t.equal(use('first'), 'fresh');
  for (let n = 2; n < TOO_MANY; n++) use(`${n}`);
  t.equal(use('2'), 'repeated');
  clock.step(7_200_000);
  use('last');
  clock.step(-7_200_000);
  t.equal(use('first'), 'forgotten');
});

t.test('a worker that starts after a fast clock was set right issues nonces that its group accepts', async (t) => {
  const clock = heldClock();
  clock.step(7_200_000);
  const { useNonce, nonceTime } = groupCounters(clock);
  clock.step(-7_200_000);
  const worker = openNonces(undefined, openUsedNonces(clock, nonceTime() - clock.monotonic()));
  const nonce = worker.read(worker.issue('r'), 'r');
  t.ok(nonce);
  t.equal(nonce && useNonce({ ...nonce, lifetime: 300_000, count: 1, mode: 'strict' }), 'fresh');
});
