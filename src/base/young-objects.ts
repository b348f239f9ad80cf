import { setFlagsFromString } from 'node:v8';

/**
 * V8 counts how many objects of each place in the code survive a collection. If nearly all survive, V8 creates the objects
 * of this place as old ones from then on. The objects of a request live for a millisecond. But a collection that marks
 * while requests run finds the objects of all these requests alive. If this is the first collection under load, V8 takes
 * the wrong decision for good: each request then costs twice the CPU (docs/decisions/0005). Call this before the first
 * request. Repeated calls do nothing.
 */
export function keepObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
