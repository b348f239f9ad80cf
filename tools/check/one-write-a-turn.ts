// A write to a pipe is a system call that blocks, and wakes the reader. tap writes each line by itself, and some files
// report thousands of lines. So the lines of one turn of the event loop are written together.
import type { Writable } from 'node:stream';

/** Kept, because a test may replace it. */
const atEndOfTurn = setImmediate;

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
    return Reflect.apply(write, stream, given);
  };
  process.on('exit', () => {
    flush();
    stream.write = write;
  });
}
