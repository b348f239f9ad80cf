import type { Verb } from './verb.ts';
import type { WatchEvents } from './watch.ts';

/** A database of which verbs are read. Every failure that is not a defect of ours is a `StorageUnavailable`. */
export interface ReadEngine {
  /** For statements that only read. Sees committed data. */
  read<Outcome>(verb: () => Verb<Outcome>): Promise<Outcome>;
  /** After what was asked before is settled. */
  close(): Promise<void>;
}

/** One that is written, too. */
export interface WritableEngine extends ReadEngine {
  /** One transaction; settles when its outcome is durable. */
  write<Outcome>(verb: () => Verb<Outcome>): Promise<Outcome>;
  /** The same for a verb that never has a second statement, which PostgreSQL answers in one round trip. */
  writeOne<Outcome>(verb: () => Verb<Outcome>): Promise<Outcome>;
  /** Also of what other processes commit. */
  readonly watchEvents: WatchEvents;
}
