/** Milliseconds for which undici serves a URL, and in which this many answers start the fallback. */
const TIME = 600_000;
const ANSWERS = 2;

export interface FallbackEvents {
  /** `because`: what our engine did not understand in the last answer. */
  readonly onBegin: (because: string) => void;
  readonly onEnd: () => void;
}

/**
 * Whether undici serves a URL whose answers our own engine does not understand. One such answer may be an accident. One
 * request must not switch the engine for all others. Times are monotonic milliseconds.
 */
export class EngineFallback {
  readonly #now: () => number;
  readonly #events: FallbackEvents;
  readonly #members: ((isOn: boolean) => void)[] = [];
  /** The times of the last answers that our engine did not understand, as far as they count. */
  #met: number[] = [];
  #until: number | undefined;

  constructor(now: () => number, events: FallbackEvents) {
    this.#now = now;
    this.#events = events;
  }

  /** Calls `member` at each change. */
  join(member: (isOn: boolean) => void): void {
    this.#members.push(member);
  }

  get isOn(): boolean {
    if (this.#until === undefined) return false;
    if (this.#now() < this.#until) return true;
    this.#until = undefined;
    this.#tell(false);
    this.#events.onEnd();
    return false;
  }

  /** Call it once for each such request. Requests that were in flight when undici took over no longer count. */
  met(because: string): void {
    if (this.isOn) return;
    const now = this.#now();
    this.#met = [...this.#met.filter((time) => now < time + TIME), now];
    if (this.#met.length < ANSWERS) return;
    this.#met = [];
    this.#until = now + TIME;
    this.#tell(true);
    this.#events.onBegin(because);
  }

  #tell(isOn: boolean): void {
    for (const member of this.#members) member(isOn);
  }
}
