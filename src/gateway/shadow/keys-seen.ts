import type { KeySeen } from '../telemetry/key-seen.ts';

/** The places of values that look like API keys, in the requests of a group. */
export interface KeysSeen {
  readonly in: KeySeen['in'];
  readonly name: string;
  /** Run of a gateway → its fingerprints of keys. Each run makes different fingerprints of the same key. */
  readonly prints: Map<string, Set<string>>;
}

/** A stranger can send any number of keys. */
const MOST = 1_000;
/** At most this many runs of gateways in one log. */
const MOST_RUNS = 16;

export function keysOf({ print, ...place }: KeySeen): KeysSeen {
  const keys: KeysSeen = { ...place, prints: new Map() };
  addPrint(keys, print);
  return keys;
}

export function addPrint({ prints }: KeysSeen, print: string): void {
  const [run = '', key = ''] = print.split('-');
  const known = prints.get(run) ?? new Set();
  if (known.size < MOST) known.add(key);
  if (prints.size < MOST_RUNS) prints.set(run, known);
}

export function merged(all: readonly KeysSeen[]): KeysSeen | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const keys: KeysSeen = { ...first, prints: new Map() };
  for (const { prints } of all)
    for (const [run, known] of prints) for (const key of known) addPrint(keys, `${run}-${key}`);
  return keys;
}

/** A lower bound for the number of different keys: the largest number of one run. */
export function differentKeys({ prints }: KeysSeen): number {
  return Math.max(0, ...[...prints.values()].map(({ size }) => size));
}
