import { Readable } from 'node:stream';
import type { ClientRequest } from './client-message.ts';
import { relayed } from './stream-garbage.ts';

export class BodyTooLarge extends Error {}
export class ClientGone extends Error {}

/**
 * The client's body on its way to the upstream. It stands between the two so that neither end can tear down the other:
 * what destroys this leaves the client's connection open for an answer, and it counts what a limit or a rate is about.
 */
export class RequestBody extends Readable {
  readonly #request: ClientRequest;
  readonly #limit: number;
  /** Bytes so far. */
  received = 0;
  /** Whether the next byte is the client's to send; otherwise the upstream is the slow one. */
  waiting = false;

  constructor(request: ClientRequest, limit: number) {
    super({ highWaterMark: 64 * 1024 });
    this.#request = request;
    this.#limit = limit;
    request.on('data', this.#data).on('end', this.#end).on('error', this.#gone).on('close', this.#gone);
    request.pause();
    // Whoever reads it listens for as long as that takes; after that a failure concerns nobody, and ends nothing.
    this.on('error', nothing);
  }

  override _read(): void {
    this.waiting = true;
    this.#request.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.waiting = false;
    const request = this.#request;
    request.off('data', this.#data).off('end', this.#end).off('close', this.#gone);
    request.pause();
    done(error);
  }

  readonly #data = (chunk: Buffer): void => {
    this.received += chunk.length;
    relayed(chunk.length);
    if (this.received > this.#limit) {
      this.destroy(new BodyTooLarge());
      return;
    }
    if (!this.push(chunk)) {
      this.waiting = false;
      this.#request.pause();
    }
  };

  readonly #end = (): void => {
    this.waiting = false;
    this.push(null);
  };

  /** A body whose framing turned bad, or whose sender left, is never completed upstream. */
  readonly #gone = (): void => {
    if (!this.#request.complete) this.destroy(new ClientGone());
  };
}

function nothing(): void {}
