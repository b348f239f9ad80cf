// Which test file left something open: a timer, a socket, a process. The process of many files ends only after all of
// them, so the last file alone would get the blame.

type Counts = ReadonlyMap<string, number>;

/** What is open after each file. */
export class OpenResources {
  readonly #after: { readonly file: string; readonly counts: Counts }[] = [];

  /** `open`: the kinds of all open resources, each as often as it is open. */
  note(file: string, open: readonly string[]): void {
    this.#after.push({ file, counts: countsOf(open) });
  }

  /** A line for each kind that is still open, with the first file since which there were as many. */
  blame(open: readonly string[]): readonly string[] {
    return [...countsOf(open)].map(([kind, count]) => {
      const last = this.#after.findLastIndex(({ counts }) => (counts.get(kind) ?? 0) < count);
      return `${count} ${kind}, since ${this.#after[last + 1]?.file ?? 'the last file'}`;
    });
  }
}

function countsOf(kinds: readonly string[]): Counts {
  return new Map([...Map.groupBy(kinds, (kind) => kind)].map(([kind, { length }]) => [kind, length]));
}
