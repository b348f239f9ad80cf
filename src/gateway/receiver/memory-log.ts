import type { Clock } from '../../base/clock.ts';
import type { OpenFeed } from '../revocation/follow-feed.ts';
import { type Appended, type EventLog, entryKey, FULL, type LogEntry } from './event-log.ts';
import { LiveEntries } from './live-entries.ts';

/** Writes an entry where a restart finds it. Rejects if it cannot. */
export type Keep = (entry: LogEntry) => Promise<void>;

/** The log of one process. Without `keep`, a restart forgets it. */
export class MemoryLog implements EventLog {
  readonly #live: LiveEntries;
  readonly #keep: Keep | undefined;
  /** Entries that are being written. */
  readonly #under = new Map<string, Promise<Appended>>();

  constructor(clock: Clock, keep?: Keep) {
    this.#live = new LiveEntries(clock);
    this.#keep = keep;
  }

  append(entry: LogEntry): Promise<Appended> {
    const key = entryKey(entry);
    if (this.#live.has(key)) return Promise.resolve({ kind: 'again' });
    const writing = this.#under.get(key);
    if (writing !== undefined) return writing.then((first) => (first.kind === 'added' ? { kind: 'again' } : first));
    const written = this.#write(entry).finally(() => this.#under.delete(key));
    this.#under.set(key, written);
    return written;
  }

  has(entry: Pick<LogEntry, 'issuer' | 'id'>): boolean {
    return this.#live.has(entryKey(entry));
  }

  feed(issuer: string): OpenFeed {
    return this.#live.feed(issuer);
  }

  async start(): Promise<void> {
    this.#live.become('in_step');
  }

  /** An entry of an earlier process, before the start. */
  restore(entry: LogEntry): void {
    this.#live.add(entry);
  }

  all(): Iterable<LogEntry> {
    return this.#live.all();
  }

  size(): number {
    return this.#live.size;
  }

  async close(): Promise<void> {
    this.#live.close();
  }

  async #write(entry: LogEntry): Promise<Appended> {
    // Entries that are being written need their places too.
    if (!this.#live.hasRoom(entry.issuer, this.#under.size + 1)) return { kind: 'out', detail: FULL };
    try {
      await this.#keep?.(entry);
    } catch (error) {
      return { kind: 'out', detail: `the file of received events: ${(error as Error).message}` };
    }
    this.#live.add(entry);
    return { kind: 'added' };
  }
}
