import fc from '../support/properties.ts';

/** How far behind the highest count another may arrive. */
const WINDOW = 64;

/** What was accepted of a nonce, independent of how it is stored. */
export interface Taken {
  readonly counts: Set<number>;
  last: boolean;
}

export interface Use {
  /** Which of the nonces. */
  readonly pick: number;
  readonly count: number | 'last';
  readonly mode: 'strict' | 'window';
}

/** RFC 7616 §3.4.5: each count once, in order of creation or nearly so. */
export function mayTake({ counts, last }: Taken, { count, mode }: Omit<Use, 'pick'>): boolean {
  const max = Math.max(0, ...counts);
  if (last || count === 0) return false;
  if (count === 'last') return counts.size === 0;
  return mode === 'strict' ? count > max : !counts.has(count) && count > max - WINDOW;
}

export function note(taken: Taken, { count }: Pick<Use, 'count'>): void {
  if (count === 'last') taken.last = true;
  else taken.counts.add(count);
}

const count = fc.oneof(
  { weight: 6, arbitrary: fc.nat(6) },
  { weight: 2, arbitrary: fc.constantFrom(63, 64, 65, 66, 127, 128, 129) },
  { weight: 1, arbitrary: fc.constant('last' as const) },
  { weight: 2, arbitrary: fc.constantFrom(0xffff_ffff, 0xffff_ffff - 1, 0xffff_ffff - 63, 0xffff_ffff - 64) },
);

export const nonceUse: fc.Arbitrary<Use> = fc.record({
  pick: fc.nat(5),
  count,
  mode: fc.constantFrom('strict', 'window', 'window'),
});
