/** Jobs that a machine can do a few of at a time. */
export interface BoundedQueue {
  /**
   * The job's own promise, in the order of asking; undefined, at once, where too many wait already, or too many of those
   * for whom this one is. Jobs for nobody in particular have no share of their own.
   */
  run<Result>(job: () => Promise<Result>, forWhom?: string): Promise<Result> | undefined;
}

export interface QueueLimits {
  readonly atOnce: number;
  readonly waiting: number;
  /** Under way and waiting, for one and the same. */
  readonly each: number;
}

export function buildBoundedQueue({ atOnce, waiting, each }: QueueLimits): BoundedQueue {
  const queue: (() => void)[] = [];
  const shares = new Map<string, number>();
  let running = 0;
  const take = (forWhom: string) => shares.set(forWhom, (shares.get(forWhom) ?? 0) + 1);
  const giveBack = (forWhom: string) => {
    const left = (shares.get(forWhom) ?? 0) - 1;
    if (left > 0) shares.set(forWhom, left);
    else shares.delete(forWhom);
  };
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
    run(job, forWhom) {
      if (running >= atOnce && queue.length >= waiting) return undefined;
      if (forWhom === undefined) return turn().then(job).finally(leave);
      if ((shares.get(forWhom) ?? 0) >= each) return undefined;
      take(forWhom);
      const done = () => {
        giveBack(forWhom);
        leave();
      };
      return turn().then(job).finally(done);
    },
  };
}
