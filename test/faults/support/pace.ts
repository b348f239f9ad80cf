import { sized } from './size.ts';

/** `npm run test:faults` judges it, in the sizes that are promised; `npm test` runs the same with fewer requests. */
export const isPaceTold = process.env.FAULTS_PACE === 'told' || sized(true, false, false);

/**
 * Whether good requests keep their pace beside a fault. On a machine that others share (`FAULTS_PACE=told`, as in `.ci/run`)
 * their pace says more of the others, and is told without being judged.
 */
export function keepsPace(p99: number, most: number): boolean {
  return isPaceTold || p99 <= most;
}
