import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Test } from 'tap';

/**
 * Records work that takes time and must not reveal which names exist. Tests compare this work and not durations,
 * because durations change on a busy machine.
 */

const lengthOf = (data: string | NodeJS.ArrayBufferView) => (typeof data === 'string' ? data.length : data.byteLength);

/**
 * Each `crypto.hash` with its algorithm and its input, and each comparison of bytes, since the list was last emptied.
 */
export function computed(t: Test): string[] {
  const list: string[] = [];
  const { hash, timingSafeEqual } = crypto;
  crypto.hash = ((algorithm: string, data: string | NodeJS.ArrayBufferView, ...rest: []) => {
    list.push(`${algorithm} of ${lengthOf(data)}`);
    return hash(algorithm, data, ...rest);
  }) as typeof hash;
  crypto.timingSafeEqual = (one, other) => {
    list.push(`comparison of ${one.byteLength}`);
    return timingSafeEqual(one, other);
  };
  syncBuiltinESMExports();
  t.teardown(() => {
    Object.assign(crypto, { hash, timingSafeEqual });
    syncBuiltinESMExports();
  });
  return list;
}

/**
 * The longest text that was normalized since the last reset. The time of a normalization grows with the square of the
 * length.
 */
export function longestNormalized(t: Test): () => number {
  let longest = 0;
  const { normalize } = String.prototype;
  String.prototype.normalize = function (this: string, ...form) {
    longest = Math.max(longest, this.length);
    return normalize.apply(this, form);
  };
  t.teardown(() => {
    String.prototype.normalize = normalize;
  });
  return () => {
    const most = longest;
    longest = 0;
    return most;
  };
}

/** The revocation feed calls these on its own schedule, independent of requests. */
const OF_THE_FEED: ReadonlySet<string> = new Set(['listEvents', 'findFeedPosition', 'watchEvents']);

/** Records the names of an object's methods in `list` as they are called, except for methods that no request calls. */
export function noteCalls(t: Test, target: object, list: string[]): void {
  const methods = Object.entries(target).filter(
    ([name, value]) => typeof value === 'function' && !OF_THE_FEED.has(name),
  );
  for (const [name, method] of methods)
    Object.assign(target, {
      [name]: (...values: unknown[]) => {
        list.push(name);
        return method.apply(target, values);
      },
    });
  t.teardown(() => void Object.assign(target, Object.fromEntries(methods)));
}
