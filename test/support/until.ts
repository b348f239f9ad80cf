import { setTimeout as pause } from 'node:timers/promises';

/** A machine that stalled may leave no time for a check, so there are at least this many checks. */
const LOOKS = 10;
/** A condition that does not hold by then will never hold. lateness.ts judges promised times. */
const HANGS = 60_000;

/** Resolves to true once the condition holds, to false when it does not within the deadline. */
export async function until(condition: () => boolean | Promise<boolean>, milliseconds = HANGS): Promise<boolean> {
  const end = performance.now() + milliseconds;
  for (let looks = 0; looks < LOOKS || performance.now() < end; looks++) {
    if (await condition()) return true;
    await pause(5);
  }
  return condition();
}

/** The value, or an error that says what the caller waited for. */
export async function within<T>(promise: Promise<T>, milliseconds: number, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what}: not within ${milliseconds} ms`)), milliseconds);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
