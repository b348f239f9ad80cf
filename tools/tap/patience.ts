// The limit of a file is for a file that hangs, and a slow machine is not a hang. `.ci/run` runs on machines of every
// speed: it sets GATEHOUSE_PATIENCE, and each limit is that many times as long, up to a quarter of an hour.
import type { Test } from 'tap';

const PATIENCE = Number(process.env.GATEHOUSE_PATIENCE || 1);
if (!(PATIENCE >= 1)) throw new Error(`GATEHOUSE_PATIENCE=${process.env.GATEHOUSE_PATIENCE}: write a number from 1 up`);

/** Milliseconds. A limit of this length or above is not extended: it suits a slow machine already. */
export const ENOUGH = 900_000;

/** Milliseconds for a file that sets no limit. tools/tap.ts passes it to tap. `.taprc` has 30 s for a direct call. */
export const LIMIT = patient(30_000);

export function patient(milliseconds: number, patience = PATIENCE): number {
  return Math.max(milliseconds, Math.min(milliseconds * patience, ENOUGH));
}

/** Makes each limit that `test` is given later that much longer. */
export function givePatience(test: Pick<Test, 'setTimeout'>): void {
  const set = test.setTimeout.bind(test);
  test.setTimeout = (milliseconds) => set(patient(milliseconds));
}
