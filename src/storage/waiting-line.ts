import { within } from './within.ts';

/** So many have a place at one time; whoever comes later waits, and the first of them is the next. */
export interface WaitingLine {
  /** Rejects who has no place after so many milliseconds. */
  enter(milliseconds: number): Promise<void>;
  /** Gives the place to the next one. */
  leave(): void;
}

export function waitingLine(places: number): WaitingLine {
  const waiting = new Set<() => void>();
  let free = places;

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) {
      free++;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    async enter(milliseconds) {
      if (free > 0) {
        free--;
        return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      try {
        await within(promise, milliseconds);
      } catch (cause) {
        // A place that was given while the deadline was judged is the next one's.
        if (!waiting.delete(resolve)) leave();
        throw new Error(`no turn among ${waiting.size + 1} that wait`, { cause });
      }
    },
    leave,
  };
}
