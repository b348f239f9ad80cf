import type { EventRecord } from '../../storage/records/records.ts';
import { type Start, startAt } from './cursor.ts';
import { PAGE, sharedPages } from './pages.ts';
import { Tail, type TailDependencies } from './tail.ts';

/** Receives events from now on. */
export interface FeedListener {
  /** In the order of their numbers. */
  hear(events: readonly EventRecord[]): void;
  /** Called every five seconds while all events have been sent. */
  inStep?(): void;
  /** Called when the service stops. */
  end(): void;
}

export interface Feed {
  /** The start of a follower that has read up to `cursor`. Rejects with `StorageUnavailable`. */
  begin(cursor: number): Promise<Start>;
  /** Reads the stored events after a number, one page at a time. */
  read(since: number): Promise<readonly EventRecord[]>;
  /**
   * Undefined if events after `since` must be read first. Otherwise sends later events until the returned function is called.
   */
  listen(since: number, listener: FeedListener): (() => void) | undefined;
  /** Sends events that are committed after this call, with little delay. Rejects with `StorageUnavailable`. */
  follow(listener: FeedListener): Promise<void>;
  /** True if all events have been sent. */
  readonly isInStep: boolean;
  /** Reserves a place for a follower, and returns the function that releases it. Undefined if all places are taken. */
  take(): (() => void) | undefined;
  /** Ends all listeners: they get no further events. */
  close(): Promise<void>;
}

/** Milliseconds. */
const HEARTBEAT = 5_000;

/** The limit for one process: a thousand gateways, and as many that come from another process after its end. */
const MOST_FOLLOWERS = 2_000;

/** The same array for every follower that gets all of them, so that they share its bytes. */
function after(since: number, events: readonly EventRecord[]): readonly EventRecord[] {
  const [first] = events;
  return first !== undefined && first.seq > since ? events : events.filter(({ seq }) => seq > since);
}

export function buildFeed(deps: TailDependencies): Feed {
  const listeners = new Map<FeedListener, number>();
  const followers = new Set<symbol>();
  const tail = new Tail(deps, (events) => {
    for (const [listener, since] of listeners) {
      const news = after(since, events);
      if (news.length > 0) listener.hear(news);
    }
  });
  const beat = () => {
    if (tail.isFresh) for (const listener of listeners.keys()) listener.inStep?.();
  };
  let heartbeat: NodeJS.Timeout | undefined;
  let isClosed = false;
  return {
    async begin(cursor) {
      await tail.open();
      if (!isClosed) heartbeat ??= setInterval(beat, HEARTBEAT).unref();
      return startAt(cursor, await deps.records.findFeedPosition(cursor));
    },
    read: sharedPages((since) => deps.records.listEvents(since, PAGE)),
    listen(since, listener) {
      if (since < tail.position && !isClosed) return undefined;
      if (isClosed) listener.end();
      else listeners.set(listener, since);
      return () => void listeners.delete(listener);
    },
    async follow(listener) {
      await tail.open();
      if (!isClosed) listeners.set(listener, tail.position);
    },
    get isInStep() {
      return tail.isFresh;
    },
    take() {
      if (isClosed || followers.size >= MOST_FOLLOWERS) return undefined;
      const follower = Symbol();
      followers.add(follower);
      return () => void followers.delete(follower);
    },
    async close() {
      isClosed = true;
      clearInterval(heartbeat);
      for (const listener of listeners.keys()) listener.end();
      listeners.clear();
      await tail.close();
    },
  };
}
