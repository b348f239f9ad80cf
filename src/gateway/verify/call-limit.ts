/** How many calls are under way at one time, and how many wait for their turn. */
export interface CallLimit {
  /** `full`: too many wait. `late`: the signal fired before its turn came. */
  run<Result>(signal: AbortSignal, call: () => Promise<Result>): Promise<Result | 'full' | 'late'>;
}

export function callLimit(max: number, queue: number): CallLimit {
  let running = 0;
  const waiting = new Set<() => void>();

  const turn = (signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const late = () => resolve(!waiting.delete(go));
      const go = () => {
        signal.removeEventListener('abort', late);
        resolve(true);
      };
      waiting.add(go);
      signal.addEventListener('abort', late, { once: true });
    });

  /** The place of a call that ended goes to whoever waited longest. */
  const release = () => {
    const [next] = waiting;
    if (next === undefined) {
      running--;
      return;
    }
    waiting.delete(next);
    next();
  };

  return {
    async run(signal, call) {
      if (running < max) running++;
      else if (waiting.size >= queue) return 'full';
      else if (!(await turn(signal))) return 'late';
      try {
        return await call();
      } finally {
        release();
      }
    },
  };
}
