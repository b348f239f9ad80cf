import { sized } from './size.ts';

/**
 * `npm run test:faults` checks the pace, with the promised sizes. `npm test` runs the same tests with fewer requests.
 */
export const isPaceTold = process.env.FAULTS_PACE === 'told' || sized(true, false, false);

/**
 * Whether good requests keep their pace during a fault. On a machine with other work (`FAULTS_PACE=told`, as in
 * `.ci/run`) the pace depends more on that work, so it is only printed.
 */
export function keepsPace(p99: number, most: number): boolean {
  return isPaceTold || p99 <= most;
}
