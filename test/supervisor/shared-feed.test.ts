import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { FeedMessage, FeedSink } from '../../src/gateway/revocation/events.ts';
import { sharedFeed } from '../../src/supervisor/shared-feed.ts';
import { heldClock } from '../gateway/issuer.ts';
import { until } from '../support/until.ts';

/** Milliseconds. */
const SKEW = 30_000;

function feed(most?: number) {
  const clock = heldClock();
  const state = { starts: 0, news: 0 };
  let sink: FeedSink = () => {};
  const shared = sharedFeed(
    (to) => {
      sink = to;
      return { start: () => state.starts++, close() {} };
    },
    { clock, skew: SKEW, news: () => state.news++, ...(most !== undefined && { most }) },
  );
  const until = clock.now() / 1000 + 1_000;
  const revoke = (key: string) => sink({ kind: 'event', event: { kind: 'jti', key, until } });
  const follower = () => {
    const heard: FeedMessage[] = [];
    const stop = shared.follow((messages) => heard.push(...messages));
    return { heard, stop, kinds: () => heard.map(({ kind }) => kind) };
  };
  t.teardown(() => shared.close());
  return { clock, state, say: (message: FeedMessage) => sink(message), revoke, follower };
}

t.test('the feed is followed once, and every worker gets its events', async (t) => {
  const { state, say, revoke, follower } = feed();
  const [one, two] = [follower(), follower()];
  await pause(5);
  revoke('a');
  say({ kind: 'in_step' });
  say({ kind: 'lost' });
  for (const each of [one, two]) t.strictSame(each.kinds(), ['event', 'in_step', 'lost']);
  t.equal(state.starts, 1);
  t.equal(state.news, 1);
});

t.test('a worker that joins late gets all active events, and only then becomes up to date', async (t) => {
  const { say, revoke, follower } = feed();
  follower();
  for (let each = 0; each < 2_500; each++) revoke(`token ${each}`);
  say({ kind: 'in_step' });
  const late = follower();
  say({ kind: 'in_step' });
  revoke('while it catches up');
  t.ok(await until(() => late.kinds().includes('in_step')));
  const keys = new Set(late.heard.flatMap((each) => (each.kind === 'event' ? [each.event.key] : [])));
  t.equal(keys.size, 2_501);
  t.equal(late.kinds().indexOf('in_step'), late.kinds().length - 1);
  t.equal(late.kinds().filter((kind) => kind === 'in_step').length, 1);
});

t.test('a feed that was followed and is refused now does not look unconfigured to any worker', async (t) => {
  const { say, follower } = feed();
  follower();
  say({ kind: 'absent' });
  const early = follower();
  await pause(5);
  t.strictSame(early.kinds(), ['absent'], 'until then it is');
  say({ kind: 'in_step' });
  say({ kind: 'absent' });
  const late = follower();
  await pause(5);
  t.strictSame(late.kinds(), ['lost']);
  t.strictSame(early.kinds(), ['absent', 'in_step', 'lost']);
});

t.test('an event without a place here makes the feed incomplete for a new worker, until it has expired', async (t) => {
  const { clock, say, revoke, follower } = feed(2);
  const first = follower();
  await pause(5);
  for (const key of ['a', 'b', 'c']) revoke(key);
  say({ kind: 'in_step' });
  const late = follower();
  await pause(5);
  say({ kind: 'in_step' });
  t.strictSame(late.kinds(), ['event', 'event'], 'it cannot know of the third');
  t.strictSame(first.kinds(), ['event', 'event', 'event', 'in_step', 'in_step']);
  clock.advance(1_000_000 + SKEW);
  say({ kind: 'in_step' });
  t.strictSame(late.kinds(), ['event', 'event', 'in_step']);
});

t.test('a worker that leaves during the catch-up gets nothing more, and does not become up to date', async (t) => {
  const { say, revoke, follower } = feed();
  const first = follower();
  for (let each = 0; each < 2_500; each++) revoke(`token ${each}`);
  say({ kind: 'in_step' });
  const late = follower();
  late.stop();
  const before = late.heard.length;
  const other = follower();
  t.ok(await until(() => other.kinds().includes('in_step')), 'who came after it has caught up');
  t.equal(late.heard.length, before);
  t.notOk(late.kinds().includes('in_step'));
  t.ok(first.kinds().includes('in_step'));
});

t.test('a worker that joins late gets a revocation as long as its token could still be accepted', async (t) => {
  const { clock, revoke, follower } = feed();
  follower();
  revoke('a');
  const heard = async () => {
    const late = follower();
    await pause(5);
    return late.heard;
  };
  const end = (clock.now() + 1_000_000) / 1000;
  const told = [{ kind: 'event', event: { kind: 'jti', key: 'a', until: end } }];
  clock.advance(1_000_000 + SKEW - 1_000);
  // Expired events are deleted once a second.
  await pause(1_100);
  t.strictSame(await heard(), told, 'past its end, but not past the clock skew');
  clock.advance(1_000);
  t.ok(await until(async () => (await heard()).length === 0));
});

t.test('a worker that joins a silent feed does not become up to date', async (t) => {
  const { clock, say, follower } = feed();
  follower();
  say({ kind: 'in_step' });
  clock.advance(7_000);
  const late = follower();
  await pause(5);
  t.strictSame(late.kinds(), []);
  say({ kind: 'in_step' });
  t.strictSame(late.kinds(), ['in_step']);
});

t.test('a worker that has left gets nothing', async (t) => {
  const { say, follower } = feed();
  const one = follower();
  await pause(5);
  one.stop();
  say({ kind: 'in_step' });
  t.strictSame(one.kinds(), []);
});
