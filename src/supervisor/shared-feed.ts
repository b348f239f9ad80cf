import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, forgettingClock, seconds } from '../base/clock.ts';
import { DenyList, MOST_REVOCATIONS } from '../gateway/revocation/deny-list.ts';
import type { FeedMessage } from '../gateway/revocation/events.ts';
import type { OpenFeed } from '../gateway/revocation/follow-feed.ts';

/** One feed, followed once. Late followers also get its earlier messages. */
export interface SharedFeed {
  /**
   * Sends all live events first, then whether the feed is up to date, then new messages. Returns a function that ends
   * the subscription.
   */
  follow(tell: Tell): () => void;
  readonly isFollowed: boolean;
  close(): void;
}

type Tell = (messages: readonly FeedMessage[]) => void;

interface Follower {
  readonly tell: Tell;
  /** A new follower counts as behind until it has all earlier messages. */
  behind: boolean;
  /** NumericDate, seconds. Until then, the follower lacks events that had no place here. */
  readonly lacksUntil: number;
}

/** Events in one message. Other work of the primary runs between messages. */
const AT_ONCE = 1_000;
const SWEEP_EVERY = 1_000;
/** Milliseconds. A feed sends a sign of life every five seconds. */
const SIGN_OF_LIFE = 6_000;

/** More than a worker stores. A worker that joins late notices by itself that it cannot store everything. */
const MOST = 2 * MOST_REVOCATIONS;

export interface SharedFeedOptions {
  readonly clock: Clock;
  /** Milliseconds after its `exp` for which a worker still accepts a token. */
  readonly skew: number;
  readonly news: () => void;
  /** The maximum number of live entries. */
  readonly most?: number;
}

const LOST: FeedMessage = { kind: 'lost' };

export function sharedFeed(open: OpenFeed, { clock, skew, news, most = MOST }: SharedFeedOptions): SharedFeed {
  const list = new DenyList({ most, leeway: Math.ceil(skew / 1000) });
  const followers = new Set<Follower>();
  let standing: FeedMessage | undefined;
  let since = 0;
  let wasInStep = false;
  const forgetting = forgettingClock(clock);
  let sweeping: NodeJS.Timeout | undefined;

  const mayHear = ({ behind, lacksUntil }: Follower, { kind }: FeedMessage) =>
    kind !== 'in_step' || (!behind && seconds(clock) >= lacksUntil);

  const source = open((said) => {
    wasInStep ||= said.kind === 'in_step';
    // A feed that worked before and is now refused never counts as absent, even for late followers.
    const message = said.kind === 'absent' && wasInStep ? LOST : said;
    if (message.kind === 'event') list.add(message.event);
    if (message.kind === 'event' || message.kind === 'reset') news();
    else [standing, since] = [message, clock.monotonic()];
    for (const follower of followers) if (mayHear(follower, message)) follower.tell([message]);
  });
  /** A new follower must not treat an old "up to date" as current. The next sign of life comes soon. */
  const isOld = () => standing?.kind === 'in_step' && clock.monotonic() - since > SIGN_OF_LIFE;
  const catchUp = async (follower: Follower) => {
    let messages: FeedMessage[] = [];
    for (const event of list.events()) {
      messages.push({ kind: 'event', event });
      if (messages.length < AT_ONCE) continue;
      follower.tell(messages);
      messages = [];
      await turn();
      // Otherwise a new follower of the same worker would treat the end of this catch-up as its own.
      if (!followers.has(follower)) return;
    }
    follower.behind = false;
    if (standing !== undefined && !isOld() && mayHear(follower, standing)) messages.push(standing);
    follower.tell(messages);
  };
  return {
    follow(tell) {
      const follower: Follower = { tell, behind: true, lacksUntil: list.lacksUntil };
      followers.add(follower);
      if (sweeping === undefined) {
        sweeping = setInterval(() => list.sweep(forgetting()), SWEEP_EVERY).unref();
        source.start();
      }
      void catchUp(follower);
      return () => followers.delete(follower);
    },
    get isFollowed() {
      return followers.size > 0;
    },
    close() {
      clearInterval(sweeping);
      source.close();
    },
  };
}
