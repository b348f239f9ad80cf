import { ownText } from './own-text.ts';

/** Characters. Others may choose the texts, so a longer text is computed each time. */
const LONGEST = 1024;

/**
 * `compute` with a cache for the last texts; undefined is not cached. A flood of other texts clears the cache: clients repeat
 * only a few dozen.
 */
export function remembered<Value>(
  compute: (text: string) => Value,
  most = 1024,
  longest = LONGEST,
): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    if (text.length > longest) return compute(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const value = compute(text);
    if (value === undefined) return value;
    if (known.size >= most) known.clear();
    known.set(ownText(text), value);
    return value;
  };
}

/** Characters. A longer name is judged each time. Otherwise a client could fill the memory with names. */
const LONGEST_NAME = 64;

/** Remembers the results for names, at most 64 KiB of names. If there are too many, it forgets all of them. */
export function remembering(judge: (name: string) => boolean): (name: string) => boolean {
  return remembered(judge, 1024, LONGEST_NAME);
}
