/**
 * Milliseconds of the quickest run of each piece of work, in turn. What else the machine does only adds to a run, so so many
 * are made that some of each are made alone; how many is not a matter of what they took.
 */
export function quickest(rounds: number, works: readonly (() => void)[]): number[] {
  const least = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++)
    works.forEach((work, index) => {
      const begun = performance.now();
      work();
      least[index] = Math.min(least[index] ?? 0, performance.now() - begun);
    });
  return least;
}
