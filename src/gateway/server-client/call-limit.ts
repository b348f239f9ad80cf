import { Lane, Semaphore } from '../../base/semaphore.ts';

/** Limits concurrent calls, and the calls that wait in each of two queues. */
export interface CallLimit {
  /**
   * `full`: too many calls wait. `late`: the signal fired before the call began. Calls for known credentials wait in
   * their own queue, which goes first three times of four. So a flood of unknown clients cannot keep out a known one,
   * and no queue starves.
   */
  run<Result>(signal: AbortSignal, call: () => Promise<Result>, isKnown?: boolean): Promise<Result | 'full' | 'late'>;
}

/** The queue of known credentials goes first this many times in a row while unknown ones wait. */
const AHEAD = 3;

export function callLimit(max: number, queue: number): CallLimit {
  const lanes = { known: new Lane(queue), strangers: new Lane(queue) };
  const slots = new Semaphore(max, knownFirst(lanes.known, lanes.strangers));
  return {
    async run(signal, call, isKnown = false) {
      const lane = isKnown ? lanes.known : lanes.strangers;
      if (!slots.tryAcquire()) {
        if (lane.isFull) return 'full';
        if (!(await lane.wait(signal))) return 'late';
      }
      try {
        return await call();
      } finally {
        slots.release();
      }
    },
  };
}

function knownFirst(known: Lane, strangers: Lane): () => Lane {
  let ahead = 0;
  return () => {
    const isAhead = known.size > 0 && (strangers.size === 0 || ahead < AHEAD);
    ahead = isAhead && strangers.size > 0 ? ahead + 1 : 0;
    return isAhead ? known : strangers;
  };
}
