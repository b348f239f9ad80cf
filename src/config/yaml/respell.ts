import type { Schema } from '../schema/input-schema.ts';
import { closest, didYouMean } from '../words/closest.ts';
import type { Pointer } from '../words/problem.ts';
import type { Fault } from './parse.ts';
import type { Tree } from './tree.ts';

/** A tree in which known keys replace misspelt top-level keys, with a fault for each. */
export interface Respelt {
  readonly tree: Tree;
  readonly faults: readonly Fault[];
  /** True for the value of a replaced key. If this value does not fit, the guess was wrong. */
  isGuessed(pointer: Pointer): boolean;
}

/** A file with more top-level keys than this is neither of the two files. */
const MOST_KEYS = 1_000;

/**
 * Also checks a part of the file under a misspelt key, and finds references to it. Otherwise one typo would hide every other
 * mistake, or cause one for each reference. An existing key is not replaced.
 */
export function respell(tree: Tree, schema: Schema): Respelt {
  const faults: Fault[] = [];
  const guessed = new Set<string>();
  if (tree.kind !== 'map') return { tree, faults, isGuessed: () => false };
  const known = Object.keys(schema.properties ?? {});
  if (tree.entries.size > MOST_KEYS) return { tree, faults, isGuessed: () => false };
  const entries = [...tree.entries].map(([key, entry]) => {
    const meant = known.includes(key) || key.includes(':') ? undefined : closest(key, known);
    if (meant === undefined || tree.entries.has(meant) || guessed.has(meant)) return [key, entry] as const;
    guessed.add(meant);
    faults.push({ at: entry.key, message: `unknown key \`${key}\``, hint: didYouMean(key, known) });
    return [meant, entry] as const;
  });
  const isGuessed = ([key, ...rest]: Pointer) => rest.length === 0 && guessed.has(String(key));
  return { tree: { ...tree, entries: new Map(entries) }, faults, isGuessed };
}
