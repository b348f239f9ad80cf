import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { StoreOutage } from '../../storage/engine/store-outage.ts';
import type { EventRecord, Records } from '../../storage/records/records.ts';
import { PAGE } from './pages.ts';

/** Milliseconds. An older read says nothing about the present. */
const FRESH = 3_000;

export interface TailDependencies {
  readonly records: Pick<Records, 'listEvents' | 'findFeedPosition' | 'watchEvents'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  /** Reports outages of the store. Undefined: this class reports them. */
  readonly outage?: Pick<StoreOutage, 'met'> | undefined;
}

/** Reads new rows of the event table, once for all followers. */
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

  /** All events up to this number have been delivered. */
  get position(): number {
    return this.#position;
  }

  /** True if the last read is recent. Then a follower that received nothing has missed nothing. */
  get isFresh(): boolean {
    return this.#deps.clock.monotonic() - this.#readAt < FRESH;
  }

  /** Called for the first listener. Rejects with `StorageUnavailable`; the next call tries again. */
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

  /** If many calls arrive at once, one reads. It reads once more for the calls that arrive meanwhile. */
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
    // In the same step as the last check, so that a later call starts a new read.
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
    if (this.#deps.outage?.met(error) === true) return;
    if (!this.#isOut) this.#deps.log.warn({ err: error }, 'cannot read the events; followers receive nothing');
    this.#isOut = true;
  }

  #back(): void {
    if (this.#isOut) this.#deps.log.info('reading events works again');
    this.#isOut = false;
  }
}
