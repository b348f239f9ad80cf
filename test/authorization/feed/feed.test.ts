import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { buildFeed } from '../../../src/authorization/feed/feed.ts';
import { bytesOf } from '../../../src/authorization/feed/frames.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { EventRecord } from '../../../src/storage/records/records.ts';

t.test(
  'two thousand clients can follow, reading old events or waiting for new ones; one that leaves frees its place',
  async (t) => {
    const records = {
      findFeedPosition: async () => ({ last: 0, pruned: 0, known: true }),
      listEvents: async () => [],
      watchEvents: () => async () => {},
    };
    const feed = buildFeed({ records, clock: systemClock, log: { warn() {}, info() {} } });
    const places = Array.from({ length: 2_000 }, () => feed.take());
    t.ok(places.every((leave) => leave !== undefined));
    t.equal(feed.take(), undefined);
    places[0]?.();
    places[0]?.();
    t.ok(feed.take(), 'once for each who left');
    t.equal(feed.take(), undefined);
    await feed.close();
    t.equal(feed.take(), undefined, 'and none once it stops');
  },
);

t.test('followers get the same new events as one array, so that they share its bytes', async (t) => {
  const heard: (readonly EventRecord[])[] = [];
  const stored: EventRecord[] = [];
  let wake = () => {};
  const records = {
    findFeedPosition: async () => ({ last: 0, pruned: 0, known: true }),
    listEvents: async (since: number) => stored.filter(({ seq }) => seq > since),
    watchEvents: (told: () => void) => {
      wake = told;
      return async () => {};
    },
  };
  const feed = buildFeed({ records, clock: systemClock, log: { warn() {}, info() {} } });
  await feed.begin(0);
  for (let count = 0; count < 3; count++) feed.listen(0, { hear: (events) => heard.push(events), end() {} });
  stored.push({ seq: 1, kind: 'jti', key: 'a', until: 2, nbf: undefined, at: 1 });
  wake();
  await setImmediate();
  const [first = []] = heard;
  t.equal(heard.length, 3);
  for (const events of heard) t.equal(bytesOf(events), bytesOf(first));
  await feed.close();
});
