import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Every chunk that streams through is a buffer outside of V8's heap, dead as soon as it is written. V8 looks for such
 * garbage when its own small objects have filled the young generation, and by then a stream has left tens of megabytes
 * behind. So the young generation is collected after each few megabytes that streamed (docs/decisions/0005).
 */
const EVERY = 8 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
let streamed = 0;

/** Called with the size of every chunk that is relayed. */
export function countStreamed(bytes: number): void {
  streamed += bytes;
  if (streamed < EVERY) return;
  streamed = 0;
  collect({ type: 'minor' });
}
