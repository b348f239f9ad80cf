import type { EventRecord } from '../../storage/records/records.ts';
import { type Start, startAt } from './cursor.ts';
import { PAGE, Tail, type TailDependencies } from './tail.ts';

/** A follower of commits from now on. */
export interface FeedListener {
  /** In the order of their numbers. */
  hear(events: readonly EventRecord[]): void;
  /** Every five seconds while all events were sent. */
  inStep?(): void;
  /** The service stops. */
  end(): void;
}

export interface Feed {
  /** How a follower begins that has read up to `cursor`; rejects with `StorageUnavailable`. */
  begin(cursor: number): Promise<Start>;
  /** Reads the stored events after a number, one page at a time. */
  read(since: number): Promise<readonly EventRecord[]>;
  /** Undefined where there is more to read after `since` first. Otherwise tells from there on, until it is called off. */
  listen(since: number, listener: FeedListener): (() => void) | undefined;
  /** Tells of what is committed after this call, and soon after it; rejects with `StorageUnavailable`. */
  follow(listener: FeedListener): Promise<void>;
  /** Whether all events were sent. */
  readonly isInStep: boolean;
  /** A place for a follower, from its first page on; gives the way to leave it. Undefined where there is none. */
  take(): (() => void) | undefined;
  /** For all listeners: they get no further events. */
  close(): Promise<void>;
}

/** Milliseconds. */
const HEARTBEAT = 5_000;

/** The limit of one process: each follower costs a socket and a buffer. */
const MOST_FOLLOWERS = 1_000;

export function buildFeed(deps: TailDependencies): Feed {
  const listeners = new Map<FeedListener, number>();
  const followers = new Set<symbol>();
  const tail = new Tail(deps, (events) => {
    for (const [listener, since] of listeners) {
      const news = events.filter(({ seq }) => seq > since);
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
    read: (since) => deps.records.listEvents(since, PAGE),
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
