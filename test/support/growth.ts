import { median } from '../../bench/report.ts';

/** Pairs of runs from which the ratio in the middle counts. */
const ROUNDS = 60;
/** Milliseconds. Quicker work is repeated until a run takes this long. In less time, the machine disturbs the ratio. */
const LEAST = 0.4;

/**
 * How many times as long `long` takes as `short`, which reads the `size`-th part of it. Both runs of a pair read the
 * same amount and follow each other, so a garbage collection and a slow moment of the machine hit both alike. The
 * quickest run of each would not do: in a slow minute, a single quick moment makes one of them look quick.
 */
export function growth(short: () => unknown, long: () => unknown, size: number): number {
  const times = repeats(short, size);
  const ratios = Array.from({ length: ROUNDS }, () => {
    const least = milliseconds(short, times * size);
    return milliseconds(long, times) / least;
  });
  return size * median(ratios);
}

/** How often the long work runs in a pair. The short work runs `size` times as often. */
function repeats(short: () => unknown, size: number): number {
  // The first run is slow, because its code is not compiled yet.
  short();
  let times = 1;
  while (milliseconds(short, times * size) < LEAST) times *= 2;
  return times;
}

function milliseconds(work: () => unknown, times: number): number {
  const begun = performance.now();
  for (let time = 0; time < times; time++) work();
  return performance.now() - begun;
}
