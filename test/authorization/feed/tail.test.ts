import t from 'tap';
import { Tail } from '../../../src/authorization/feed/tail.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { EventRecord } from '../../../src/storage/records/records.ts';

const event: EventRecord = { seq: 1, kind: 'jti', key: 'a', until: 2_000_000_000, nbf: undefined, at: 1_900_000_000 };

/**
 * What a follower gets if an event is committed so many steps of the innermost event loop queue after the table was
 * read.
 */
async function toldAfter(steps: number): Promise<number> {
  const table: EventRecord[] = [];
  const told: EventRecord[] = [];
  let wake = () => {};
  let reads = 0;
  const commit = async () => {
    for (let step = 0; step < steps; step++) await undefined;
    table.push(event);
    wake();
  };
  const records = {
    findFeedPosition: async () => ({ last: 0, pruned: 0, known: true }),
    async listEvents(since: number) {
      const page = table.filter(({ seq }) => seq > since);
      if (reads++ === 0) void commit();
      return page;
    },
    watchEvents(woken: () => void) {
      wake = woken;
      return async () => {};
    },
  };
  const log = { warn() {}, info() {} };
  const tail = new Tail({ records, clock: systemClock, log }, (events) => told.push(...events));
  await tail.open();
  wake();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await tail.close();
  return told.length;
}

t.test('a wake-up always leads to a read: at the end of a read, no event is missed until the next poll', async (t) => {
  for (let steps = 1; steps <= 20; steps++) t.equal(await toldAfter(steps), 1, `after ${steps} steps`);
});
