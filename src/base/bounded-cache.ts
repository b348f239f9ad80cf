import { LRUCache } from 'lru-cache';

/**
 * An LRU cache that allocates its places with its first entry. lru-cache allocates all of them when it is made: 50,000
 * places need 2 MiB and milliseconds, and many caches of a gateway never get an entry.
 */
export class BoundedCache<Value extends object | number> {
  readonly #max: number;
  #cache: LRUCache<string, Value> | undefined;

  /** `max`: entries. Above this number, the least recently used entry is dropped. */
  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#cache?.size ?? 0;
  }

  get(key: string): Value | undefined {
    return this.#cache?.get(key);
  }

  set(key: string, value: Value): void {
    this.#cache ??= new LRUCache<string, Value>({ max: this.#max });
    this.#cache.set(key, value);
  }

  delete(key: string): void {
    this.#cache?.delete(key);
  }

  clear(): void {
    this.#cache?.clear();
  }
}
