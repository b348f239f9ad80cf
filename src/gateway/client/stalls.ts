import type { Clock } from '../../base/clock.ts';
import type { LimitsConfig } from '../../config/schema/gateway.ts';
import type { ClientResponse } from './client-message.ts';
import type { RequestBody } from './request-body.ts';

/** Something that a client can hold open. */
export interface Watched {
  /** Runs about once a second and ends the watched object after its timeout. `now` is monotonic milliseconds. */
  check(now: number): void;
}

/**
 * A check of many connections takes several turns of the event loop. Ending a thousand in one turn would delay all
 * other clients.
 */
const TURNS = 50;

/** One timer for everything that may stall. A timer for each request would cost more than the request. */
export class Stalls {
  readonly #watched = new Set<Watched>();
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  readonly #pause: number;
  #isLooking = false;

  constructor(clock: Clock, interval = 1000) {
    this.#clock = clock;
    // The turns end before the next check begins, although each is a little late.
    this.#pause = interval / (2 * TURNS);
    this.#timer = setInterval(() => this.#begin(), interval);
    this.#timer.unref();
  }

  watch(each: Watched): void {
    this.#watched.add(each);
  }

  forget(each: Watched): void {
    this.#watched.delete(each);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watched.clear();
  }

  #begin(): void {
    if (!this.#isLooking) this.#look([...this.#watched], 0);
  }

  #look(all: readonly Watched[], from: number): void {
    const to = from + Math.ceil(all.length / TURNS);
    const now = this.#clock.monotonic();
    for (const each of all.slice(from, to)) if (this.#watched.has(each)) each.check(now);
    this.#isLooking = to < all.length;
    if (this.#isLooking) setTimeout(() => this.#look(all, to), this.#pause).unref();
  }
}

/** What a listener provides for watching a body. */
interface Watching {
  readonly limits: Pick<LimitsConfig, 'body_rate'>;
  readonly clock: Clock;
  readonly stalls: Stalls;
}

export class BodyTooSlow extends Error {}

/**
 * The minimum rate of a body. Node's own `requestTimeout` limits the total time and would end large, honest uploads.
 * The rate counts only while the client must send, because a slow upstream is not the client's fault.
 */
export class BodyRate implements Watched {
  readonly #body: RequestBody;
  readonly #bytes: number;
  readonly #over: number;
  #since: number;
  #at = 0;

  constructor(body: RequestBody, { bytes, over }: { bytes: number; over: number }, now: number) {
    this.#body = body;
    this.#bytes = bytes;
    this.#over = over;
    this.#since = now;
  }

  /** Watches the body until it has been read or given up. */
  static watch(body: RequestBody, { limits, clock, stalls }: Watching): BodyRate {
    const rate = new BodyRate(body, limits.body_rate, clock.monotonic());
    stalls.watch(rate);
    body.on('close', () => stalls.forget(rate));
    return rate;
  }

  check(now: number): void {
    if (this.#body.waiting && now - this.#since < this.#over) return;
    const slow = this.#body.waiting && this.#body.received - this.#at < this.#bytes;
    this.#since = now;
    this.#at = this.#body.received;
    if (slow) this.#body.destroy(new BodyTooSlow());
  }
}

/** Waits a limited time for a client that does not read what was written. */
export class ReaderStall implements Watched {
  readonly #response: ClientResponse;
  readonly #clock: Clock;
  readonly #stalls: Stalls;
  readonly #patience: number;
  readonly #resume: () => void;
  #since = 0;
  #waiting = false;

  /** `patience`: milliseconds. `resume` runs once the client has read everything. */
  constructor(response: ClientResponse, clock: Clock, stalls: Stalls, patience: number, resume: () => void) {
    this.#response = response;
    this.#clock = clock;
    this.#stalls = stalls;
    this.#patience = patience;
    this.#resume = resume;
  }

  wait(): void {
    if (!this.#waiting) this.#stalls.watch(this);
    this.#waiting = true;
    this.#since = this.#clock.monotonic();
    this.#response.once('drain', this.#drained);
  }

  check(now: number): void {
    if (now - this.#since >= this.#patience) this.#response.socket?.destroy();
  }

  end(): void {
    if (this.#waiting) this.#stalls.forget(this);
    this.#waiting = false;
  }

  readonly #drained = (): void => {
    this.end();
    this.#resume();
  };
}
