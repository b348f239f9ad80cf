/**
 * Calls `wake` soon after a committed event, and at times without one. The table holds the truth, and the woken caller reads
 * it there. Returns a function that stops the calls.
 */
export type WatchEvents = (wake: () => void) => () => Promise<void>;

/** Calls `wake` every so many milliseconds: for engines without notifications, and for lost ones. */
export function pollEvents(every: number): WatchEvents {
  return (wake) => {
    const timer = setInterval(wake, every).unref();
    return async () => clearInterval(timer);
  };
}
