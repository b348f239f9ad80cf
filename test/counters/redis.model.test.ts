import { deepStrictEqual } from 'node:assert/strict';
import t from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { openCounters } from '../../src/counters/open.ts';
import { mayTake, nonceUse, note, type Taken, type Use } from '../contracts/nonce-uses.ts';
import fc, { tries } from '../support/properties.ts';
import { redisServer, skipWithoutRedis as skip } from '../support/redis.ts';

/** Starts Redis: 9 s in .ci/run on a busy machine. */
t.setTimeout(1_800_000);

const NONCES = 3;
/** Milliseconds. A nonce from before the first contact with Redis is rejected, so these times are a while later. */
const LATER = 60_000;

/**
 * Simultaneous calls run one after the other in some order. The accepted counts of a nonce are the same in each order.
 */
function explained(taken: Taken, uses: readonly (readonly [Use, string | undefined])[]): Taken | undefined {
  if (uses.length === 0) return taken;
  for (const [index, [use, told]] of uses.entries()) {
    const fresh = mayTake(taken, use);
    if (told !== (fresh ? 'fresh' : 'repeated')) continue;
    const after = { counts: new Set(taken.counts), last: taken.last };
    if (fresh) note(after, use);
    const found = explained(after, uses.toSpliced(index, 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

t.test('processes that share nonces count them as one process does', { skip }, async (t) => {
  const { url } = await redisServer(t);
  const log = { warn() {}, info() {} };
  const all = [0, 1].map(() => openCounters(url, { clock: systemClock, log, deadline: 20_000 }));
  for (const counters of all) {
    t.teardown(() => counters.close());
    await counters.start();
  }
  let run = 0;
  const moment = fc.array(fc.tuple(nonceUse, fc.nat(1)), { minLength: 1, maxLength: 4 });
  const property = fc.asyncProperty(fc.array(moment, { maxLength: 25, size: 'max' }), async (moments) => {
    run++;
    const issuedAt = Date.now() + LATER;
    let taken: readonly Taken[] = Array.from({ length: NONCES }, () => ({ counts: new Set<number>(), last: false }));
    for (const uses of moments) {
      const told = await Promise.all(
        uses.map(([{ pick, count, mode }, process]) =>
          all[process]?.useNonce?.({ id: `${run} ${pick % NONCES}`, issuedAt, lifetime: LATER, count, mode }),
        ),
      );
      taken = taken.map((each, nonce) => {
        const seen = uses.flatMap(([use], index) => (use.pick % NONCES === nonce ? [[use, told[index]] as const] : []));
        const after = explained(each, seen);
        if (after === undefined) deepStrictEqual(seen, 'an order that explains it', JSON.stringify([...each.counts]));
        return after ?? each;
      });
    }
  });
  const { numRuns } = tries(40, 1000);
  await fc.assert(property, { numRuns });
  t.pass(`${numRuns} histories`);
});
