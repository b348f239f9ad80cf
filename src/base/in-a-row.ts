let waiting: (() => void)[] = [];

/**
 * Runs short work for the processor in the next turn of the event loop, together with the same work for other requests.
 * A signature after other work takes twice as long as a signature after a signature, because the processor's caches
 * must first load its code and tables.
 */
export function inARow<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(runAll);
    waiting.push(() => settle(work, resolve, reject));
  });
}

function runAll(): void {
  const now = waiting;
  waiting = [];
  for (const run of now) run();
}

/** The work of others runs too if one fails. */
function settle<T>(work: () => T, resolve: (result: T) => void, reject: (error: unknown) => void): void {
  try {
    resolve(work());
  } catch (error) {
    reject(error);
  }
}
