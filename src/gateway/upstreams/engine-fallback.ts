/** Milliseconds for which undici speaks with a url, and within which so many answers make that begin. */
const TIME = 600_000;
const ANSWERS = 2;

export interface FallbackEvents {
  /** `because`: what was not understood last. */
  readonly onBegin: (because: string) => void;
  readonly onEnd: () => void;
}

/**
 * Whether undici serves one url whose answers our own engine does not understand. One such answer may be an accident, and one
 * request is no reason to switch the engine for all. Times are monotonic milliseconds.
 */
export class EngineFallback {
  readonly #now: () => number;
  readonly #events: FallbackEvents;
  readonly #members: ((isOn: boolean) => void)[] = [];
  /** When the last answers were, as far as they count. */
  #met: number[] = [];
  #until: number | undefined;

  constructor(now: () => number, events: FallbackEvents) {
    this.#now = now;
    this.#events = events;
  }

  /** Receives each change. */
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

  /** Once for each request. What was on its way as undici took over counts no more. */
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
