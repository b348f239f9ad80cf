import type { DestinationStream } from 'pino';
import { openStandardOutput } from './lossy-output.ts';

export interface LineStream extends DestinationStream {
  /** What is pending goes out now. */
  flushSync(): void;
}

/**
 * The lines of one turn of the event loop in one write: under load a line a request costs a system call each otherwise.
 * Nothing waits longer than the turn, and the last lines of a process go out with its end.
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

/** All that this process writes to its standard output, in the order in which it was said. */
export function standardOutput(): LineStream {
  if (shared === undefined) {
    shared = turnLines(openStandardOutput());
    process.once('exit', shared.flushSync);
  }
  return shared;
}
