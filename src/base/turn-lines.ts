import type { DestinationStream } from 'pino';
import { openStandardOutput } from './lossy-output.ts';

export interface LineStream extends DestinationStream {
  /** Writes all pending lines now. */
  flushSync(): void;
}

/**
 * Joins the lines of one turn of the event loop in one write. Otherwise, under load, a line for each request would cost a
 * system call. No line waits longer than the turn, and the last lines are written when the process ends.
 */
export function turnLines(write: (text: string) => void): LineStream {
  let pending = '';
  const flushSync = () => {
    const text = pending;
    pending = '';
    if (text !== '') write(text);
  };
  return {
    write(line) {
      if (pending === '') setImmediate(flushSync);
      pending += line;
    },
    flushSync,
  };
}

let shared: LineStream | undefined;

/** Everything that this process writes to its standard output, in order. */
export function standardOutput(): LineStream {
  if (shared === undefined) {
    shared = turnLines(openStandardOutput());
    process.once('exit', shared.flushSync);
  }
  return shared;
}
