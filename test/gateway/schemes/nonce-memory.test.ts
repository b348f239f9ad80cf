import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { openNonces, openUsedNonces } from '../../../src/gateway/schemes/nonces.ts';
import { isFullSize } from '../../support/long.ts';
import { ownMemory } from '../../support/memory.ts';
import { settableClock } from '../../support/settable-clock.ts';

/** A million nonces take 12 s in .ci/run, and more on a busy machine. */
t.setTimeout(120_000);

t.test('T47: unused nonces leave nothing behind', async (t) => {
  const nonces = openNonces(undefined, openUsedNonces(settableClock()));
  const flood = async (count: number) => {
    for (let index = 0; index < count; index++) {
      if (nonces.read(nonces.issue('r'), 'r') === undefined) t.fail('not read');
      // what a hash held outside of the heap is freed between two turns of the event loop
      if (index % 1000 === 0) await turn();
    }
  };
  await flood(10_000);
  const { heapUsed: before } = await ownMemory();
  await flood(isFullSize ? 1_000_000 : 100_000);
  t.equal(nonces.counts.size, 0);
  const grown = ((await ownMemory()).heapUsed - before) / 1_048_576;
  t.ok(grown < 10, `${grown.toFixed(2)} MiB`);
});
