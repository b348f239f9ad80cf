import t from 'tap';
import { buildFeed } from '../../../src/authorization/feed/feed.ts';
import { systemClock } from '../../../src/base/clock.ts';

t.test(
  'a thousand clients can follow, reading old events or waiting for new ones; one that leaves frees its place',
  async (t) => {
    const records = {
      findFeedPosition: async () => ({ last: 0, pruned: 0, known: true }),
      listEvents: async () => [],
      watchEvents: () => async () => {},
    };
    const feed = buildFeed({ records, clock: systemClock, log: { warn() {}, info() {} } });
    const places = Array.from({ length: 1_000 }, () => feed.take());
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
