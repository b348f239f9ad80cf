import fc from 'fast-check';
import { isFullSize, isLong } from './long.ts';

/**
 * Every `npm test` tries the same cases, and a long run tries new ones each time. A failure prints its seed, and
 * `GATEHOUSE_SEED=…` starts with that seed again.
 */
const chosen = Number(process.env.GATEHOUSE_SEED ?? (isLong ? Number.NaN : 9110));
if (Number.isSafeInteger(chosen)) fc.configureGlobal({ seed: chosen });

export default fc;

/**
 * How many cases a property test tries: `quick` for `npm test`, `ci` for GATEHOUSE_LONG=ci. `.ci/run` tries the same
 * cases each time, so more of them there find a fault only in new code. GATEHOUSE_LONG=1 tries many other cases.
 */
export function tries(quick: number, ci: number): { numRuns: number } {
  return { numRuns: isLong ? ci * 20 : isFullSize ? ci : quick };
}
