// A write to a pipe is a system call that blocks, and wakes the reader. tap writes each line by itself, and some files
// report thousands of lines. So the lines of one turn of the event loop are written together.
import type { Writable } from 'node:stream';

/** Kept, because a test may replace it. */
const atEndOfTurn = setImmediate;

/** Bytes. tap stops writing at the stream's limit of 16 KiB, and a process that exits then would lose its last lines. */
const MOST = 8192;

/** A process that is killed must not lose which test it was in, and what had failed. */
const URGENT = /not ok|# Subtest/;

/** Call this before anything is written. At its exit, the process writes what is left, and tap adds its last lines. */
export function oneWriteATurn(stream: Writable): void {
  const { write } = stream;
  const flush = () => {
    for (let left = stream.writableCorked; left > 0; left--) stream.uncork();
  };
  stream.write = (...given: unknown[]) => {
    if (stream.writableCorked === 0) {
      stream.cork();
      atEndOfTurn(flush);
    }
    const isBelowLimit = Reflect.apply(write, stream, given);
    if (stream.writableLength > MOST || URGENT.test(String(given[0]))) flush();
    return isBelowLimit;
  };
  process.on('exit', () => {
    flush();
    stream.write = write;
  });
}
