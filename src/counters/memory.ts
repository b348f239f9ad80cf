import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { type Counters, digest, type Failures, type Limit, PARTS } from './counters.ts';

/** Counters that answer at once. */
export interface MemoryCounters extends Counters {
  take(key: string, limit: Limit): number;
  failures(key: string): Failures;
  fail(key: string, window: number): Failures;
}

/** Keys of one kind. Above this number, the least recently used key is dropped. */
const CAPACITY = 50_000;

/** Longer keys are stored as a digest, so that they cannot fill the memory. */
const LONGEST_KEY = 128;

/** Accepted requests, oldest first, in numbered parts of the window. */
interface Passed {
  total: number;
  /** `last`: the time of the last request in the part, monotonic milliseconds. */
  readonly parts: { readonly part: number; count: number; last: number }[];
}

interface Failed {
  readonly count: number;
  /** Monotonic milliseconds. */
  readonly until: number;
}

const NONE: Failures = { count: 0, endsIn: 0 };

/** Counters for this process only. */
export function memoryCounters(clock: Clock): MemoryCounters {
  const passed = new Bounded<Passed>();
  const failed = new FailedKeys();
  const current = (key: string, now: number) => {
    const known = failed.get(key);
    return known !== undefined && known.until > now ? known : undefined;
  };
  return {
    take(name, limit) {
      const key = `${limit.window} ${keyOf(name)}`;
      const known = passed.get(key);
      if (known !== undefined) return takeFrom(known, limit, clock.monotonic());
      const fresh: Passed = { total: 0, parts: [] };
      passed.set(key, fresh);
      return takeFrom(fresh, limit, clock.monotonic());
    },
    failures(name) {
      const now = clock.monotonic();
      const known = current(keyOf(name), now);
      return known === undefined ? NONE : { count: known.count, endsIn: known.until - now };
    },
    fail(name, window) {
      const [key, now] = [keyOf(name), clock.monotonic()];
      const { count, until } = current(key, now) ?? { count: 0, until: now + window };
      failed.set(key, { count: count + 1, until }, window);
      return { count: count + 1, endsIn: until - now };
    },
    start: async () => {},
    reachable: () => true,
    close: async () => {},
  };
}

/** A key with this many failures is stored separately from keys with fewer. */
const OFTEN = 5;

/**
 * Failures in a minute do not evict failures in a day. A stranger can make any number of keys with one or two failures, and
 * these do not evict a key with many.
 */
class FailedKeys {
  readonly #byWindow = new Map<number, Bounded<Failed>>();
  readonly #often = new Bounded<Failed>();

  get(key: string): Failed | undefined {
    for (const cache of [this.#often, ...this.#byWindow.values()]) {
      const known = cache.get(key);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  /** `window`: milliseconds. There are as many windows as limits in the file. */
  set(key: string, failures: Failed, window: number): void {
    const ofWindow = this.#byWindow.get(window) ?? new Bounded<Failed>();
    this.#byWindow.set(window, ofWindow);
    const cache = failures.count >= OFTEN ? this.#often : ofWindow;
    // If a limit changes its window, old counts in other windows are not read again.
    for (const other of [this.#often, ...this.#byWindow.values()]) if (other !== cache) other.delete(key);
    cache.set(key, failures);
  }
}

/**
 * The cache is created with its first value, because it allocates its memory at once. A class of its own, and not
 * `BoundedCache`, because test/trips.test.ts bounds how many files the exchange of a code passes through.
 */
class Bounded<Value extends object> {
  #cache: LRUCache<string, Value> | undefined;

  get(key: string): Value | undefined {
    return this.#cache?.get(key);
  }

  set(key: string, value: Value): void {
    this.#cache ??= new LRUCache<string, Value>({ max: CAPACITY });
    this.#cache.set(key, value);
  }

  delete(key: string): void {
    this.#cache?.delete(key);
  }
}

function keyOf(name: string): string {
  return name.length > LONGEST_KEY ? digest(name) : name;
}

function takeFrom(passed: Passed, { requests, window }: Limit, now: number): number {
  forget(passed, now - window);
  if (passed.total >= requests) return waitFor(passed, requests, window, now);
  const part = Math.floor(now / (window / PARTS));
  const current = passed.parts.at(-1);
  if (current?.part === part) {
    current.count++;
    current.last = now;
  } else passed.parts.push({ part, count: 1, last: now });
  passed.total++;
  return 0;
}

/** A part counts while any of its requests is within the window. */
function forget(passed: Passed, before: number): void {
  const first = passed.parts.findIndex(({ last }) => last > before);
  const gone = passed.parts.splice(0, first === -1 ? passed.parts.length : first);
  for (const { count } of gone) passed.total -= count;
}

/** The time until enough parts have left the window. */
function waitFor({ total, parts }: Passed, requests: number, window: number, now: number): number {
  let left = total;
  for (const { count, last } of parts) {
    left -= count;
    if (left < requests) return Math.min(window, Math.max(1, Math.ceil(last + window - now)));
  }
  return window;
}
