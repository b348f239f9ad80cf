import fc from 'fast-check';
import { isFullSize, isLong } from './long.ts';

/**
 * Everybody's `npm test` tries the same cases, and the long run of an evening finds others each time. A failure prints
 * its seed, and `GATEHOUSE_SEED=…` starts from that one again.
 */
const chosen = Number(process.env.GATEHOUSE_SEED ?? (isLong ? Number.NaN : 9110));
if (Number.isSafeInteger(chosen)) fc.configureGlobal({ seed: chosen });

export default fc;

/** How many cases a property is tried with: `quick` belongs to `npm test`, `ci` to GATEHOUSE_LONG=ci. */
export function tries(quick: number, ci: number): { numRuns: number } {
  return { numRuns: isLong ? ci * 5 : isFullSize ? ci : quick };
}
