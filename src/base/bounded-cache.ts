import { LRUCache } from 'lru-cache';

/** `max`: entries. Above this number, the least recently used entry is dropped. */
export type BoundedCacheOptions<Value extends object | number> = LRUCache.OptionsMaxLimit<string, Value, unknown>;

/**
 * An LRU cache that exists from its first entry on. lru-cache allocates all places when it is made: 50,000 places need 2 MiB
 * and milliseconds, and many caches of a gateway never get an entry.
 */
export class BoundedCache<Value extends object | number> {
  readonly #options: BoundedCacheOptions<Value>;
  #cache: LRUCache<string, Value> | undefined;

  constructor(options: BoundedCacheOptions<Value>) {
    this.#options = options;
  }

  get size(): number {
    return this.#cache?.size ?? 0;
  }

  get(key: string): Value | undefined {
    return this.#cache?.get(key);
  }

  /** Does not count as a use. */
  has(key: string): boolean {
    return this.#cache?.has(key) ?? false;
  }

  set(key: string, value: Value): void {
    this.#cache ??= new LRUCache<string, Value>(this.#options);
    this.#cache.set(key, value);
  }

  delete(key: string): void {
    this.#cache?.delete(key);
  }

  /** The memory of the places is free too. */
  clear(): void {
    this.#cache = undefined;
  }
}
