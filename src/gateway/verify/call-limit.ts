/** How many calls are under way at one time, and how many wait for their turn in each of two lines. */
export interface CallLimit {
  /**
   * `full`: too many wait. `late`: the signal fired before its turn came. What is asked for somebody who is known waits in
   * a line of its own, which goes before the other three times of four: a flood of strangers must not keep out who was let
   * in a moment ago, and nobody waits for ever.
   */
  run<Result>(signal: AbortSignal, call: () => Promise<Result>, isKnown?: boolean): Promise<Result | 'full' | 'late'>;
}

/** So often in a row the line of who is known goes first while strangers wait. */
const AHEAD = 3;

export function callLimit(max: number, queue: number): CallLimit {
  let running = 0;
  let ahead = 0;
  const lines = { known: new Set<() => void>(), strangers: new Set<() => void>() };

  const turn = (waiting: Set<() => void>, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const late = () => resolve(!waiting.delete(go));
      const go = () => {
        signal.removeEventListener('abort', late);
        resolve(true);
      };
      waiting.add(go);
      signal.addEventListener('abort', late, { once: true });
    });

  const nextLine = () => {
    const { known, strangers } = lines;
    const isAhead = known.size > 0 && (strangers.size === 0 || ahead < AHEAD);
    ahead = isAhead && strangers.size > 0 ? ahead + 1 : 0;
    return isAhead ? known : strangers;
  };

  /** The place of a call that ended goes to whoever waited longest. */
  const release = () => {
    const line = nextLine();
    const [next] = line;
    if (next === undefined) {
      running--;
      return;
    }
    line.delete(next);
    next();
  };

  return {
    async run(signal, call, isKnown = false) {
      const line = isKnown ? lines.known : lines.strangers;
      if (running < max) running++;
      else if (line.size >= queue) return 'full';
      else if (!(await turn(line, signal))) return 'late';
      try {
        return await call();
      } finally {
        release();
      }
    },
  };
}
