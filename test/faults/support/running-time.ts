/** Milliseconds between two looks. */
const EVERY = 10;

let stood = 0;
let due = performance.now() + EVERY;
setInterval(() => {
  const now = performance.now();
  stood += Math.max(0, now - due);
  due = now + EVERY;
}, EVERY).unref();

/**
 * Begins to count the milliseconds in which this process ran, or waited for nothing but others: the time in which it wanted
 * to run and something else had the processor says nothing about a promise.
 */
export function runningTime(): () => number {
  const start = performance.now();
  const before = stood;
  return () => {
    const now = performance.now();
    return Math.max(0, now - start - (stood + Math.max(0, now - due) - before));
  };
}
