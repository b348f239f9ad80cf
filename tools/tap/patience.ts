// The limit of a file is for a file that hangs, and a slow machine is not a hang. `.ci/run` runs on machines of every
// speed: it sets GATEHOUSE_PATIENCE, and each limit is that many times as long.
import type { Test } from 'tap';

const PATIENCE = Number(process.env.GATEHOUSE_PATIENCE || 1);
/** Milliseconds. Limits of this length and above have room for a slow machine already. */
const ENOUGH = 900_000;

/** Milliseconds for a file that sets no limit. `.taprc` has it for the program `tap`. */
export const LIMIT = patient(30_000);

export function patient(milliseconds: number): number {
  return Math.max(milliseconds, Math.min(milliseconds * PATIENCE, ENOUGH));
}

/** Makes each limit that `test` is given later that much longer. */
export function givePatience(test: Pick<Test, 'setTimeout'>): void {
  const set = test.setTimeout.bind(test);
  test.setTimeout = (milliseconds) => set(patient(milliseconds));
}
