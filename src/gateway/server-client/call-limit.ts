import { Lane, Semaphore } from '../../base/semaphore.ts';

/** How many calls are under way at one time, and how many wait for their turn in each of two lanes. */
export interface CallLimit {
  /**
   * `full`: too many wait. `late`: the signal fired before its turn came. What is asked for somebody who is known waits in
   * a lane of its own, which goes before the other three times of four: a flood of strangers must not keep out who was let
   * in a moment ago, and nobody waits for ever.
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
