/**
 * Calls `wake` soon after a committed event, and sometimes without one. The woken caller reads the events from the table.
 * Returns a function that stops the calls.
 */
export type WatchEvents = (wake: () => void) => () => Promise<void>;

/** Calls `wake` every `every` milliseconds. It serves engines without notifications, and covers lost notifications. */
export function pollEvents(every: number): WatchEvents {
  return (wake) => {
    const timer = setInterval(wake, every).unref();
    return async () => clearInterval(timer);
  };
}
