/**
 * Calls `wake` soon after an event was committed, and now and then without one: what is true stands in the table, and
 * whoever is woken reads it there. Answers how to stop.
 */
export type WatchEvents = (wake: () => void) => () => Promise<void>;

/** `every` so many milliseconds, whatever happens: where nobody tells, and for what was not told. */
export function pollEvents(every: number): WatchEvents {
  return (wake) => {
    const timer = setInterval(wake, every).unref();
    return async () => clearInterval(timer);
  };
}
