import { Readable } from 'node:stream';

/** Bytes. A reader that is further behind is disconnected. It returns with its cursor, and reads from the table. */
const MOST_BEHIND = 1024 * 1024;
const HIGH_WATER = 64 * 1024;

/** Milliseconds for a reader to take what was sent, before more old events are sent. */
const PATIENCE = 30_000;

/** A stream of text with a bounded buffer. It sends as fast as the other side reads. */
export class BoundedStream extends Readable {
  #drained: (() => void) | undefined;
  #isEnded = false;

  constructor() {
    super({ highWaterMark: HIGH_WATER });
  }

  override _read(): void {
    this.#drained?.();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#drained?.();
    done(error);
  }

  /** False: stop for now. `ready` tells when to continue. */
  write(text: string | Buffer): boolean {
    if (this.isOver) return false;
    if (this.readableLength > MOST_BEHIND) {
      this.destroy();
      return false;
    }
    return this.push(text);
  }

  get isOver(): boolean {
    return this.destroyed || this.#isEnded;
  }

  /**
   * Resolves when the other side has read, or has closed the connection. After the timeout, a side that did neither counts as
   * closed.
   */
  async ready(): Promise<void> {
    if (this.isOver || this.readableLength < HIGH_WATER) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    const timer = setTimeout(() => this.destroy(), PATIENCE).unref();
    await promise;
    clearTimeout(timer);
    this.#drained = undefined;
  }

  end(): void {
    if (!this.isOver) this.push(null);
    this.#isEnded = true;
  }
}
