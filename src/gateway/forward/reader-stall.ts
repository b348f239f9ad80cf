import type { Clock } from '../../base/clock.ts';
import type { ClientResponse } from './client-message.ts';
import type { Stalls, Watched } from './stalls.ts';

/** Waits for a client that does not take what was written to it, and not for ever. */
export class ReaderStall implements Watched {
  readonly #response: ClientResponse;
  readonly #clock: Clock;
  readonly #stalls: Stalls;
  readonly #patience: number;
  #since = 0;
  #waiting = false;
  #resume: () => void = () => undefined;

  constructor(response: ClientResponse, clock: Clock, stalls: Stalls, patience: number) {
    this.#response = response;
    this.#clock = clock;
    this.#stalls = stalls;
    this.#patience = patience;
  }

  /** Calls `resume` once the client has taken what it was given. */
  wait(resume: () => void): void {
    if (!this.#waiting) this.#stalls.watch(this);
    this.#waiting = true;
    this.#since = this.#clock.monotonic();
    this.#resume = resume;
    this.#response.once('drain', this.#drained);
  }

  check(now: number): void {
    const { socket } = this.#response;
    // An answer that waits for the ones before it on its connection (RFC 9112 §9.3.2) has no reader to blame.
    if (socket === null) this.#since = now;
    else if (now - this.#since >= this.#patience) socket.destroy();
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
