/** Numbers that look random but are the same in every run, so that a failure can be repeated. */
export interface Random {
  /** From 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
  text(alphabet: string, length: number): string;
}

/**
 * The period of the text, in characters: a prime number, so that no two buffers of Node.js begin with the same text.
 */
const BLOCK = 4093;

export function random(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32: one 32-bit word of state, good enough to choose test cases.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    chance: (probability) => next() < probability,
    text(alphabet, length) {
      let block = '';
      while (block.length < Math.min(length, BLOCK)) block += alphabet[below(alphabet.length)];
      return block.repeat(Math.ceil(length / BLOCK)).slice(0, length);
    },
  };
}
