import { Readable } from 'node:stream';

/** Bytes. A reader that is so far behind comes back with its cursor, to be told from the table. */
const MOST_BEHIND = 1024 * 1024;
const HIGH_WATER = 64 * 1024;

/** Milliseconds for a reader to take what it was sent, before it is sent more of the past. */
const PATIENCE = 30_000;

/** Text that is sent as fast as the other side reads, and never kept beyond a bound. */
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
  write(text: string): boolean {
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

  /** When the other side has read on, or is gone. One that does neither is gone for us. */
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
