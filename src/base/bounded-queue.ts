/** Jobs that a machine can do a few of at a time. */
export interface BoundedQueue {
  /** The job's own promise, in the order of asking; undefined, at once, where too many wait already. */
  run<Result>(job: () => Promise<Result>): Promise<Result> | undefined;
  /** Jobs under way and waiting. */
  readonly length: number;
}

export function buildBoundedQueue({ atOnce, waiting }: { atOnce: number; waiting: number }): BoundedQueue {
  const queue: (() => void)[] = [];
  let running = 0;
  const leave = () => {
    const next = queue.shift();
    if (next === undefined) running--;
    else next();
  };
  const turn = () => {
    if (running >= atOnce) return new Promise<void>((resolve) => queue.push(resolve));
    running++;
    return Promise.resolve();
  };
  return {
    run(job) {
      if (running >= atOnce && queue.length >= waiting) return undefined;
      return turn().then(job).finally(leave);
    },
    get length() {
      return running + queue.length;
    },
  };
}
