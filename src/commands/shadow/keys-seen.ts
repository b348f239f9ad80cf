import type { ShadowLine } from './read-line.ts';

/** Where the requests of a group bring what looks like an API key. */
export interface KeysSeen {
  readonly in: string;
  readonly name: string;
  /** Run of a gateway → its prints of keys. Each run has other prints of the same keys. */
  readonly prints: Map<string, Set<string>>;
}

/** A stranger can send any number of keys. */
const MOST = 1_000;

export function keysOf({ key }: ShadowLine): KeysSeen | undefined {
  if (key === undefined) return undefined;
  const keys: KeysSeen = { in: key.in, name: key.name, prints: new Map() };
  addPrint(keys, key.print);
  return keys;
}

export function addPrint({ prints }: KeysSeen, print: string): void {
  const [run = '', key = ''] = print.split('-');
  const known = prints.get(run) ?? new Set();
  if (known.size < MOST) known.add(key);
  if (prints.size < MOST) prints.set(run, known);
}

export function merged(all: readonly KeysSeen[]): KeysSeen | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const keys: KeysSeen = { ...first, prints: new Map() };
  for (const { prints } of all)
    for (const [run, known] of prints) for (const key of known) addPrint(keys, `${run}-${key}`);
  return keys;
}

/** There are at least so many different keys: the most of one run. */
export function differentKeys({ prints }: KeysSeen): number {
  return Math.max(0, ...[...prints.values()].map(({ size }) => size));
}
