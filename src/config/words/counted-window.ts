import type { Finding, Pointer } from './problem.ts';

const SECOND = 1000;
const DAY = 86_400 * SECOND;

/** Milliseconds of a counting window. A window of zero would never count. */
export function countedWindowFaults(pointer: Pointer, window: number): readonly Finding[] {
  if (window >= SECOND && window <= DAY) return [];
  const message = window < SECOND ? 'a window of less than a second' : 'a window of more than a day';
  return [{ pointer, message, hint: 'write 1s to 1d, such as 1m' }];
}
