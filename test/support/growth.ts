import { quickest } from './quickest.ts';

/** Turns from which the quickest run of each piece of work counts. */
const ROUNDS = 60;
/** Milliseconds. A quicker run is repeated, because a clock cannot measure it. */
const LEAST = 0.2;

/** How many times as long `long` takes as `short`. Other programs only add time, so the quickest run of each counts. */
export function growth(short: () => unknown, long: () => unknown): number {
  const times = repeats(short);
  const repeated = (work: () => unknown) => () => {
    for (let time = 0; time < times; time++) work();
  };
  const [least = 0, most = 0] = quickest(ROUNDS, [repeated(short), repeated(long)]);
  return most / least;
}

function repeats(work: () => unknown): number {
  let times = 1;
  while (milliseconds(work, times) < LEAST) times *= 2;
  return times;
}

function milliseconds(work: () => unknown, times: number): number {
  const begun = performance.now();
  for (let time = 0; time < times; time++) work();
  return performance.now() - begun;
}
