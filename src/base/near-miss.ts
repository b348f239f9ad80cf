/** Characters of a text, and entries of a list. Longer texts and further entries are not compared. */
const LONGEST = 512;
const MOST = 16;

/** Usual typing mistakes in an identifier, and how to compare two texts despite them. */
const slips: readonly { readonly text: string; readonly fold: (value: string) => string }[] = [
  { text: 'a slash at the end', fold: (value) => (value.endsWith('/') ? value.slice(0, -1) : value) },
  { text: 'upper and lower case', fold: (value) => value.toLowerCase() },
  { text: 'http and https', fold: (value) => value.replace(/^http:/i, 'https:') },
  { text: 'whitespace around it', fold: (value) => value.trim() },
];

/** The difference, if a value is almost one of the valid values. `found` may be a list, as `aud` is. */
export function difference(found: unknown, expected: readonly string[]): string | undefined {
  const values: readonly unknown[] = Array.isArray(found) ? found.slice(0, MOST) : [found];
  for (const text of values) {
    if (typeof text !== 'string' || text.length > LONGEST) continue;
    for (const other of expected) {
      const names = slipsBetween(text, other);
      if (names.length > 0) return `differs only by ${names.join(' and ')}`;
    }
  }
  return undefined;
}

/** Empty: they are equal, or their difference is larger. */
function slipsBetween(one: string, other: string): readonly string[] {
  if (one === other || !areAlike(one, other, slips)) return [];
  return slips
    .filter(
      (slip) =>
        !areAlike(
          one,
          other,
          slips.filter((each) => each !== slip),
        ),
    )
    .map(({ text }) => text);
}

function areAlike(one: string, other: string, by: typeof slips): boolean {
  const fold = (value: string) => by.reduceRight((text, slip) => slip.fold(text), value);
  return fold(one) === fold(other);
}
