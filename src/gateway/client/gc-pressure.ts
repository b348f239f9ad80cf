import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Every chunk of a stream is a buffer outside V8's heap, and garbage as soon as it is written. V8 collects such garbage
 * only when its own small objects fill the young generation. By then a stream has left tens of megabytes behind. So the
 * gateway collects the young generation after each few megabytes of a stream (docs/decisions/0005).
 */
const EVERY = 8 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
let streamed = 0;

/** Call it with the size of every relayed chunk. */
export function countStreamed(bytes: number): void {
  streamed += bytes;
  if (streamed < EVERY) return;
  streamed = 0;
  collect({ type: 'minor' });
}
