import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { EventRecord, Records } from '../../storage/records/records.ts';

/** Events of one read. */
export const PAGE = 500;

/** Milliseconds: a read that is older says nothing of now. */
const FRESH = 3_000;

export interface TailDependencies {
  readonly records: Pick<Records, 'listEvents' | 'findFeedPosition' | 'watchEvents'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

/** The end of the table, read once for however many follow it. */
export class Tail {
  readonly #deps: TailDependencies;
  readonly #deliver: (events: readonly EventRecord[]) => void;
  #opening: Promise<void> | undefined;
  #stopWatching = async () => {};
  #position = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #wanted = false;
  #isOut = false;
  #isClosed = false;

  constructor(deps: TailDependencies, deliver: (events: readonly EventRecord[]) => void) {
    this.#deps = deps;
    this.#deliver = deliver;
  }

  /** Up to here everything was delivered. */
  get position(): number {
    return this.#position;
  }

  /** Whether the table was read just now: who hears nothing then misses nothing. */
  get isFresh(): boolean {
    return this.#deps.clock.monotonic() - this.#readAt < FRESH;
  }

  /** From the first listener on; rejects with `StorageUnavailable`, and can be tried again. */
  open(): Promise<void> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => {});
    await this.#stopWatching();
    await this.#reading;
  }

  async #open(): Promise<void> {
    const { records, clock } = this.#deps;
    const now = clock.monotonic();
    this.#position = (await records.findFeedPosition(0)).last;
    this.#readAt = now;
    if (!this.#isClosed) this.#stopWatching = records.watchEvents(() => this.#wake());
  }

  /** With many calls at once, one reads, and once more for the calls that came meanwhile. */
  #wake(): void {
    if (this.#isClosed) return;
    this.#wanted = true;
    this.#reading ??= this.#readAll();
  }

  async #readAll(): Promise<void> {
    while (this.#wanted) {
      this.#wanted = false;
      await this.#read().then(
        () => this.#back(),
        (error) => this.#out(error),
      );
    }
    // In the same step as the last look: a follower that wakes later reads again.
    this.#reading = undefined;
  }

  async #read(): Promise<void> {
    const { records, clock } = this.#deps;
    const began = clock.monotonic();
    const events = await records.listEvents(this.#position, PAGE);
    this.#position = events.at(-1)?.seq ?? this.#position;
    if (events.length > 0) this.#deliver(events);
    if (events.length === PAGE) this.#wanted = true;
    else this.#readAt = began;
  }

  #out(error: unknown): void {
    if (!this.#isOut) this.#deps.log.warn({ err: error }, 'cannot read the events; followers receive nothing');
    this.#isOut = true;
  }

  #back(): void {
    if (this.#isOut) this.#deps.log.info('reading events works again');
    this.#isOut = false;
  }
}
