/**
 * Milliseconds of the quickest run of each piece of work, in turn. Other work on the machine only adds to a run, so
 * enough runs happen that some of each are undisturbed. Their number does not depend on how long they take.
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
