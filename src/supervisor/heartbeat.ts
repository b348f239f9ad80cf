/** Milliseconds between two signs of life. */
export const ALIVE_EVERY = 1_000;
/** So many in a row that did not come. */
const HANGS = 5;

/** Whether a worker still turns its event loop. */
export interface SignsOfLife {
  /** One came. */
  alive(): void;
  /** From now on they are waited for. */
  expect(): void;
  stop(): void;
}

/** @param hangs called once too many in a row did not come, and again until it is stopped */
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
