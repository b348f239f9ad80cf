import type { Verb } from './verb.ts';
import type { WatchEvents } from './watch.ts';

/** A database for reading verbs. Every failure that is not our own bug is a `StorageUnavailable`. */
export interface ReadEngine {
  /** For statements that only read. It sees committed data. */
  read<Outcome>(verb: () => Verb<Outcome>): Promise<Outcome>;
  /** Closes after all earlier requests are settled. */
  close(): Promise<void>;
}

/** A database that can also be written. */
export interface WritableEngine extends ReadEngine {
  /** Runs one transaction, and settles when its result is durable. */
  write<Outcome>(verb: () => Verb<Outcome>): Promise<Outcome>;
  /** Does the same for a verb with only one statement. PostgreSQL answers it in one round trip. */
  writeOne<Outcome>(verb: () => Verb<Outcome>): Promise<Outcome>;
  /** Also reports commits of other processes. */
  readonly watchEvents: WatchEvents;
}
