import t from 'tap';
import { openStreams } from '../../../src/gateway/revocation/open-streams.ts';
import { until } from '../../support/until.ts';

/** A clock of this test, and the streams that use it. */
function watched() {
  let now = 1_800_000_000_000;
  const streams = openStreams({ now: () => now, monotonic: () => now });
  const settled = async () => {
    const next = { ended: false };
    streams.add({ marks: undefined, endsAt: now / 1000 - 1, end: () => (next.ended = true) });
    return until(() => next.ended);
  };
  return { streams, pass: (milliseconds: number) => (now += milliseconds), settled };
}

t.test('a stream ends when the gateway no longer accepts its token', async (t) => {
  const { streams, pass, settled } = watched();
  t.teardown(() => streams.close());
  const ends: string[] = [];
  const at = (seconds: number, name: string) =>
    streams.add({ marks: undefined, endsAt: 1_800_000_000 + seconds, end: (why) => ends.push(`${name} ${why}`) });
  at(10, 'soon');
  at(100, 'later');
  t.ok(await settled());
  t.strictSame(ends, []);
  pass(11_000);
  t.ok(await settled());
  t.strictSame(ends, ['soon token_expired']);
});

t.test('a stream that was removed is not ended again, also if the clock goes back', async (t) => {
  const { streams, pass, settled } = watched();
  t.teardown(() => streams.close());
  let ends = 0;
  const remove = streams.add({ marks: undefined, endsAt: 1_800_000_000 - 1, end: () => ends++ });
  // The stream gets its place by the time of the last tick, and the next tick sees an earlier time.
  pass(-1_000);
  streams.add({ marks: undefined, endsAt: 1_800_001_000, end: () => {} });
  await new Promise((resolve) => setTimeout(resolve, 600));
  remove();
  t.equal(streams.size, 1);
  const before = ends;
  pass(5_000);
  t.ok(await settled());
  t.equal(ends, before);
});
