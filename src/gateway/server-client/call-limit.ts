import { Lane, Semaphore } from '../../base/semaphore.ts';

/** How many calls are under way at one time, and how many wait for their turn in each of two lanes. */
export interface CallLimit {
  /**
   * `full`: too many calls wait. `late`: the signal fired before the call's turn. Calls for known credentials wait in a lane
   * of their own, which goes first three times of four. So a flood of strangers cannot keep out a known caller, and no lane
   * starves.
   */
  run<Result>(signal: AbortSignal, call: () => Promise<Result>, isKnown?: boolean): Promise<Result | 'full' | 'late'>;
}

/** So often in a row the lane of who is known goes first while strangers wait. */
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
