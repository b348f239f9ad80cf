import { type Clock, forgettingClock, seconds } from '../../base/clock.ts';
import type { FeedMessage, FeedSink } from '../revocation/events.ts';
import type { FeedSource, OpenFeed } from '../revocation/follow-feed.ts';
import { entryKey, type LogEntry, MOST_ENTRIES } from './event-log.ts';

/** Milliseconds. A feed confirms that it is up to date at least this often. */
const SIGN_OF_LIFE = 5_000;
/** Milliseconds between two searches for expired entries. */
const SWEEP_EVERY = 10_000;

/**
 * One server's entries may fill this part of the places that the entries of other servers do not use. So a flood of one
 * server leaves places for each other server.
 */
const SHARE = 0.9;

const IN_STEP: FeedMessage = { kind: 'in_step' };
const LOST: FeedMessage = { kind: 'lost' };

interface Follower {
  readonly issuer: string;
  readonly sink: FeedSink;
  /** NumericDate, seconds. Until then, it lacks entries that had no place here when it began. */
  lacksUntil: number;
}

/** The entries of a log in this process, and the feeds that report them. */
export class LiveEntries {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #entries = new Map<string, LogEntry>();
  /** Keys of entries that had ended when they came. They count only if the clock is set back. */
  readonly #ended = new Set<string>();
  /** Issuer → the number of its entries. */
  readonly #counts = new Map<string, number>();
  readonly #followers = new Set<Follower>();
  /** Issuer → NumericDate, seconds. Until then, a later follower lacks entries that had no place here. */
  readonly #lacksUntil = new Map<string, number>();
  #isInStep = false;
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(clock: Clock, most = MOST_ENTRIES) {
    this.#clock = clock;
    this.#most = most;
    const forgetting = forgettingClock(clock);
    this.#timers = [
      setInterval(() => this.#confirm(), SIGN_OF_LIFE).unref(),
      setInterval(() => this.#sweep(forgetting()), SWEEP_EVERY).unref(),
    ];
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Whether a new entry may be accepted. */
  hasRoom(issuer: string, places: number): boolean {
    if (!this.#fits(issuer, places)) this.#dropEnded();
    return this.#fits(issuer, places);
  }

  #fits(issuer: string, places: number): boolean {
    const own = this.#countOf(issuer);
    return own + places <= Math.ceil((this.#most - (this.size - own)) * SHARE);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  all(): Iterable<LogEntry> {
    return this.#entries.values();
  }

  /**
   * Reports the events at once. An entry that is already there changes nothing. An accepted entry gets a place as long as
   * one is free, even if another process accepted it.
   */
  add(entry: LogEntry): void {
    const key = entryKey(entry);
    if (this.#entries.has(key)) return;
    if (this.size >= this.#most) this.#dropEnded();
    if (this.size < this.#most) this.#keep(key, entry);
    else this.#lack(entry);
    for (const follower of this.#followers) if (follower.issuer === entry.issuer) report(entry, follower.sink);
  }

  /** Whether all entries of all replicas are here. */
  become(state: 'in_step' | 'lost'): void {
    const was = this.#isInStep;
    this.#isInStep = state === 'in_step';
    if (this.#isInStep) this.#confirm();
    else if (was) for (const { sink } of this.#followers) sink(LOST);
  }

  /** Cached answers must be fetched again. */
  reset(): void {
    for (const { sink } of this.#followers) sink({ kind: 'reset' });
  }

  feed(issuer: string): OpenFeed {
    return (sink): FeedSource => {
      const follower = { issuer, sink, lacksUntil: 0 };
      return {
        start: () => this.#follow(follower),
        close: () => void this.#followers.delete(follower),
      };
    };
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#followers.clear();
  }

  /** All entries first, so that a new follower never counts as up to date without them. */
  #follow(follower: Follower): void {
    for (const entry of this.#entries.values()) if (entry.issuer === follower.issuer) report(entry, follower.sink);
    follower.lacksUntil = this.#lacksUntil.get(follower.issuer) ?? 0;
    this.#followers.add(follower);
    follower.sink(this.#isComplete(follower) ? IN_STEP : LOST);
  }

  #isComplete({ lacksUntil }: Follower): boolean {
    return this.#isInStep && seconds(this.#clock) >= lacksUntil;
  }

  #confirm(): void {
    for (const follower of this.#followers) if (this.#isComplete(follower)) follower.sink(IN_STEP);
  }

  #keep(key: string, entry: LogEntry): void {
    this.#entries.set(key, entry);
    this.#count(entry.issuer, 1);
    if (entry.until <= seconds(this.#clock)) this.#ended.add(key);
  }

  #drop(key: string, { issuer }: LogEntry): void {
    this.#entries.delete(key);
    this.#ended.delete(key);
    this.#count(issuer, -1);
  }

  #lack({ issuer, until, events }: LogEntry): void {
    if (events.length > 0) this.#lacksUntil.set(issuer, Math.max(this.#lacksUntil.get(issuer) ?? 0, until));
  }

  /** Live entries need these places. If the clock is set back, a later follower knows that it lacks the others. */
  #dropEnded(): void {
    for (const key of this.#ended) {
      const entry = this.#entries.get(key) as LogEntry;
      this.#lack(entry);
      this.#drop(key, entry);
    }
  }

  #sweep(now: number): void {
    for (const [key, entry] of this.#entries) if (entry.until <= now) this.#drop(key, entry);
    for (const [issuer, until] of this.#lacksUntil) if (until <= now) this.#lacksUntil.delete(issuer);
  }

  #count(issuer: string, change: 1 | -1): void {
    const count = this.#countOf(issuer) + change;
    if (count === 0) this.#counts.delete(issuer);
    else this.#counts.set(issuer, count);
  }

  #countOf(issuer: string): number {
    return this.#counts.get(issuer) ?? 0;
  }
}

function report({ events }: LogEntry, sink: FeedSink): void {
  for (const event of events) sink({ kind: 'event', event });
}
