import type { Lease } from '../message/lease.ts';

interface Held<Thing> {
  readonly thing: Thing;
  users: number;
}

/**
 * Resources that one file opened and the next one reuses because its settings for them are the same: connections,
 * caches, keys. A resource closes when no generation uses it any more.
 */
export class SharedPool<Thing> {
  readonly #held = new Map<string, Held<Thing>>();
  readonly #close: (thing: Thing) => Promise<unknown>;

  constructor(close: (thing: Thing) => Promise<unknown>) {
    this.#close = close;
  }

  /**
   * `block`: everything that the resource is made from, as in the file. The resource stays in use until the lease ends.
   */
  take(lease: Lease, block: unknown, open: () => Thing): Thing {
    const key = JSON.stringify(block);
    const held = this.#held.get(key) ?? { thing: open(), users: 0 };
    this.#held.set(key, held);
    held.users++;
    lease.onEnd(() => this.#release(key, held));
    return held.thing;
  }

  /** Closes everything, even what is still in use. */
  async close(): Promise<void> {
    const all = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(all.map(({ thing }) => this.#close(thing)));
  }

  #release(key: string, held: Held<Thing>): void {
    held.users--;
    if (held.users > 0 || this.#held.get(key) !== held) return;
    this.#held.delete(key);
    // A closed resource has no user, so no code waits for it or could handle a failure.
    this.#close(held.thing).catch(() => {});
  }
}
