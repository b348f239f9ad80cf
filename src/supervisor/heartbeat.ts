/** Milliseconds between two signs of life. */
export const ALIVE_EVERY = 1_000;
/** A worker hangs after this many missing heartbeats in a row. */
const HANGS = 5;

/** Checks whether a worker's event loop still runs. */
export interface SignsOfLife {
  /** A heartbeat arrived. */
  alive(): void;
  /** From now on, heartbeats are expected. */
  expect(): void;
  stop(): void;
}

/** @param hangs called after too many missing heartbeats in a row, and again until it is stopped */
export function signsOfLife(hangs: () => void): SignsOfLife {
  let missed = 0;
  let isExpected = false;
  const timer = setInterval(() => {
    if (isExpected && ++missed > HANGS) hangs();
  }, ALIVE_EVERY).unref();
  return {
    alive() {
      missed = 0;
    },
    expect() {
      isExpected = true;
    },
    stop: () => clearInterval(timer),
  };
}
