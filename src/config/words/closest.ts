/** The word that the author probably meant: at most one typing error for every three letters. */
export function closest(word: string, words: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  const letters = word.toLowerCase();
  for (const candidate of words) {
    if (Math.abs(word.length - candidate.length) >= least) continue;
    const slips = distance(letters, candidate.toLowerCase());
    if (slips < least) [best, least] = [candidate, slips];
  }
  return best;
}

/** A hint for a wrong word: the probable word, or the few existing words. */
export function didYouMean(word: string, words: Iterable<string>): string | undefined {
  const known = [...words];
  const near = closest(word, known);
  if (near !== undefined) return `did you mean \`${near}\`?`;
  return known.length > 0 && known.length <= 8 ? `known: ${known.map((name) => `\`${name}\``).join(', ')}` : undefined;
}

/** The number of insertions, deletions, replacements and swaps of neighbors (optimal string alignment). */
export function distance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      let slips = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1] && i > 1 && j > 1)
        slips = Math.min(slips, (before[j - 2] ?? 0) + 1);
      next.push(slips);
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
}
