import t from 'tap';
import type { FeedMessage, FeedSink } from '../../src/gateway/revocation/events.ts';
import { feedFollowers } from '../../src/supervisor/followers.ts';
import { remoteServers } from '../../src/supervisor/remote-servers.ts';
import { sharedFeed } from '../../src/supervisor/shared-feed.ts';
import { heldClock } from '../gateway/issuer.ts';

/** A worker and its primary in this process. */
function opened() {
  const clock = heldClock();
  let say: FeedSink = () => {};
  const open = (sink: FeedSink) => {
    say = sink;
    return { start() {}, close() {} };
  };
  const feed = sharedFeed(open, { clock, skew: 0, news() {} });
  const tell = (_news: 'feed', { desk, messages }: { desk: string; messages: readonly FeedMessage[] }) =>
    remote.feedSays(desk, messages);
  const worker = { process: { line: { tell } } } as never;
  const followers = feedFollowers({ find: () => ({ feed }) } as never);
  const line = { tell: (news: 'follow' | 'unfollow', desk: string) => followers[news](worker, desk) };
  const remote = remoteServers(line as never);
  return { clock, remote, feed, say: (message: FeedMessage) => say(message) };
}

t.test('every server object of a broker gets the earlier revocations before it counts as in step', async (t) => {
  const { clock, remote, feed, say } = opened();
  const [older, newer]: [FeedMessage[], FeedMessage[]] = [[], []];
  const first = remote.at('main', 1000).feed((message) => older.push(message));
  first.start();
  const until = Math.floor(clock.now() / 1000) + 3600;
  const event: FeedMessage = { kind: 'event', event: { kind: 'jti', key: 'stolen', until } };
  say(event);
  say({ kind: 'in_step' });
  const second = remote.at('main', 1000).feed((message) => newer.push(message));
  second.start();
  say({ kind: 'in_step' });
  t.strictSame(newer.slice(0, 2), [event, { kind: 'in_step' }]);
  first.close();
  t.ok(feed.isFollowed, 'one of two still follows');
  second.close();
  t.notOk(feed.isFollowed);
  feed.close();
});
