import type { LiteralSegment, PathSegment } from '../../config/words/path-pattern.ts';

/**
 * The spellings of a path that every reader understands in the same way. A proxy matches the raw path. So it may accept
 * only paths with one reading, and must refuse all others. Patterns are RE2 without look-around, and also valid in
 * JavaScript.
 */

/** RFC 3986 §3.3 without the dot, which has a meaning as a whole segment, and without `;`. */
const PLAIN = "A-Za-z0-9_~!$&'()*+,=:@-";
/** The same, and the dot. */
const RAW = /^[A-Za-z0-9._~!$&'()*+,=:@-]$/;

/** ASCII characters whose encoding no server removes, splits or resolves. Blanks, `/`, `\`, `?`, `#`, `%` and `;` are not. */
const ENCODABLE = '!"$&\'()*+,:<=>@[]^`{|}';

/**
 * Letters beyond ASCII that all servers decode in the same way, and that never become ASCII when their case changes. They are
 * Latin letters (without U+0130, U+0131 and U+017F), Cyrillic letters and unified ideographs.
 */
const LETTERS: readonly (readonly [from: number, to: number])[] = [
  [0xc0, 0x12f],
  [0x132, 0x17e],
  [0x180, 0x24f],
  [0x400, 0x4ff],
  [0x4e00, 0x9fff],
];

const LETTER_PATTERNS = [
  '%[cC][34]%[89abAB][0-9a-fA-F]',
  '%[cC]5%[89aA][0-9a-fA-F]|%[cC]5%[bB][0-9a-eA-E]',
  '%[cC][678]%[89abAB][0-9a-fA-F]',
  '%[dD][0-3]%[89abAB][0-9a-fA-F]',
  '%[eE]4%[bB][89a-fA-F]%[89abAB][0-9a-fA-F]',
  '%[eE][5-9]%[89abAB][0-9a-fA-F]%[89abAB][0-9a-fA-F]',
];

/** What literals of the file forbid: a request must not spell them in a second way. */
export interface LiteralTexts {
  /** ASCII characters of literals. */
  readonly characters: ReadonlySet<string>;
  /** A route ignores case, in all of Unicode. */
  readonly ignoresCase: boolean;
}

export function literalTexts(
  routes: readonly { readonly segments: readonly PathSegment[]; readonly caseSensitive: boolean }[],
): LiteralTexts {
  const literals = routes.flatMap(({ segments }) => segments.filter((segment) => segment.kind === 'literal'));
  return {
    characters: new Set(literals.flatMap(({ decoded }) => [...decoded])),
    ignoresCase: routes.some(({ caseSensitive }) => !caseSensitive),
  };
}

/** The pattern of all paths that have one reading. */
export function clearPath(texts: LiteralTexts): string {
  // An encoded blank must have a character behind it, because some servers drop blanks at the end of a segment.
  const unit = `(?:(?:%20)*(?:[${PLAIN}]|${encodings(texts).join('|')}))`;
  return `/|(?:/(?:\\.{0,2}${unit}|\\.{3})(?:${unit}|\\.)*)+/?`;
}

function encodings({ characters, ignoresCase }: LiteralTexts): readonly string[] {
  const allowed = [...ENCODABLE].filter((character) => !isRaw(character) || !characters.has(character));
  const byFirst = Map.groupBy(allowed.map(codeOf), (code) => code.slice(0, 1));
  const single = [...byFirst].map(([first, codes]) => `%${first}[${codes.map(lastDigit).join('')}]`);
  return ignoresCase ? single : [...single, ...LETTER_PATTERNS];
}

function codeOf(character: string): string {
  return hex(character.charCodeAt(0));
}

/** The second hex digit, in either case. */
function lastDigit(code: string): string {
  const digit = code.slice(1);
  return digit === digit.toUpperCase() ? digit : digit + digit.toUpperCase();
}

function isRaw(character: string): boolean {
  return RAW.test(character);
}

/** The octets of a character as percent-encodings, with hex digits of either case. */
function encoded(character: string): string {
  return [...Buffer.from(character, 'utf8')].map((octet) => `%${[...hex(octet)].map(caseless).join('')}`).join('');
}

function hex(octet: number): string {
  return octet.toString(16).padStart(2, '0');
}

/** A letter of ASCII in both cases. Flags of a pattern would also match letters beyond ASCII. */
export function caseless(character: string): string {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  return lower === upper || !/^[A-Za-z]$/.test(character) ? quotedPattern(character) : `[${lower}${upper}]`;
}

/** The text itself, as a pattern. */
export function quotedPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Whether the proxy can compare every literal of the path. */
export function isPathExpressible(segments: readonly PathSegment[], caseSensitive: boolean): boolean {
  return segments.every((segment) => segment.kind !== 'literal' || isComparable(segment, caseSensitive));
}

/** Letters beyond ASCII have one case in an encoding. */
function isComparable({ decoded }: LiteralSegment, caseSensitive: boolean): boolean {
  return [...decoded].every(isSayable) && (caseSensitive || /^[\0-\x7f]*$/.test(decoded));
}

function isSayable(character: string): boolean {
  const point = character.codePointAt(0) as number;
  if (point < 0x80) return isRaw(character) || ENCODABLE.includes(character);
  return LETTERS.some(([from, to]) => from <= point && point <= to);
}

/** The paths of a route, without the query. If a literal cannot be compared, the pattern matches any segment there. */
export function pathPattern(segments: readonly PathSegment[], caseSensitive: boolean): string {
  const pieces = segments.map((segment) => {
    if (segment.kind === 'rest') return '(?:/.*)?';
    return `/${segment.kind === 'one' ? '[^/]+' : literalPattern(segment, caseSensitive)}`;
  });
  return pieces.join('');
}

function literalPattern(segment: LiteralSegment, caseSensitive: boolean): string {
  if (!isComparable(segment, caseSensitive)) return '[^/]*';
  return [...segment.decoded].map((character) => characterPattern(character, caseSensitive)).join('');
}

function characterPattern(character: string, caseSensitive: boolean): string {
  if (!isRaw(character)) return encoded(character);
  return caseSensitive ? quotedPattern(character) : caseless(character);
}
