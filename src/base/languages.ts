/** The header `Accept-Language` (RFC 9110 §12.5.4) as languages, in order of preference. */
export function acceptedLanguages(header: string | undefined): readonly string[] {
  return (header ?? '')
    .slice(0, LONGEST)
    .split(',')
    .map(weighted)
    .filter(({ range, weight }) => range !== '' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range);
}

/** Characters. Browsers send fewer than 100. */
const LONGEST = 1000;

function weighted(text: string): { readonly range: string; readonly weight: number } {
  const [range = '', weight] = text.split(/\s*;\s*q\s*=\s*/i).map((part) => part.trim());
  return { range, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

/** The texts of one language, with its tag (BCP 47). */
export interface InLanguage {
  readonly lang: string;
}

/**
 * The texts of the first language that exists (RFC 4647 §3.4): for `de-AT`, the pages have `de`. If none exists, the first
 * texts. `wanted`: in order of preference.
 */
export function textsIn<Texts extends InLanguage>(
  languages: readonly [Texts, ...Texts[]],
  wanted: readonly string[],
): Texts {
  const ranges = wanted.flatMap((range) => shortened(range.toLowerCase()));
  const found = ranges.map((range) => languages.find(({ lang }) => lang.toLowerCase() === range));
  return found.find((texts) => texts !== undefined) ?? languages[0];
}

/** The texts for a browser, by its header `Accept-Language`. */
export function textsForHeader<Texts extends InLanguage>(
  languages: readonly [Texts, ...Texts[]],
  accepted: string | undefined,
): Texts {
  return textsIn(languages, acceptedLanguages(accepted));
}

/** Characters. No registered tag is longer (RFC 5646 §4.4.1). A longer one would cost time for each of its hyphens. */
const LONGEST_TAG = 35;

function shortened(range: string): readonly string[] {
  if (range.length > LONGEST_TAG) return [];
  const parts = range.split('-');
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('-'));
}
