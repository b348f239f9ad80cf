import { octetsOf, strictReading } from './path-readings.ts';

/** What makes a server read a path as another one. Such a path is refused, and no literal of the file can have it. */
export type PathFaultCode =
  | 'target_percent_encoding'
  | 'target_backslash'
  | 'target_null'
  | 'target_control'
  | 'target_empty_segment'
  | 'target_lookalike'
  | 'target_dot_segment';

const DOUBLE_ENCODING = /%25[0-9A-Fa-f]{2}/;

/** `%00` to `%1f`, `%7f`, and C1 in UTF-8 (RFC 3629 §3): servers drop them, end at them or write them into their logs. */
const CONTROL = /%(?:[01][0-9a-f]|7f|c2%[89][0-9a-f])/i;

/** Full-width, division, fraction and set-minus signs, which best-fit tables and NFKC take for a slash or a backslash. */
const LOOKALIKE = /[\u2044\u2215\u2216\ufe68\uff0f\uff3c]/;

/**
 * More octets than the character needs, or a lead byte that UTF-8 does not have before a byte that would continue it
 * (RFC 3629 §3, §10): a lax decoder makes another path of it, strict ones do not.
 */
const TOO_LONG = /%(?:(?:c[01]|e0%[89][0-9a-f]|f0%8[0-9a-f]%[89ab][0-9a-f])%[89ab]|f[89a-f]%[89ab])[0-9a-f]/i;

/** In the order in which a reader would name them. */
const faults: readonly { code: PathFaultCode; found(path: string): boolean }[] = [
  { code: 'target_percent_encoding', found: (path) => DOUBLE_ENCODING.test(path) },
  { code: 'target_backslash', found: (path) => /\\|%5c/i.test(path) },
  { code: 'target_null', found: (path) => path.includes('%00') },
  { code: 'target_empty_segment', found: (path) => path.includes('//') },
  { code: 'target_lookalike', found: (path) => path.includes('%') && LOOKALIKE.test(strictReading(path)) },
  { code: 'target_dot_segment', found: hasDotSegment },
  { code: 'target_control', found: (path) => CONTROL.test(path) },
  { code: 'target_percent_encoding', found: (path) => TOO_LONG.test(path) },
];

/** For a path with decoded unreserved characters and valid percent-encoding. */
export function findPathFault(path: string): PathFaultCode | undefined {
  return faults.find(({ found }) => found(path))?.code;
}

/**
 * A dot segment in every form that a server may see. It may follow an encoded slash. It may precede a path parameter (servlet
 * containers strip it), or an encoded `?` or `#`. It may use letters that NFKC folds to dots, or blanks and format characters
 * around the dots. It may use octets that lax UTF-8 decoders fold or drop (RFC 3629 §10).
 */
function hasDotSegment(path: string): boolean {
  if (!path.includes('%')) return DOTS.test(path);
  return HIDDEN_DOTS.test(laxText(path).normalize('NFKC'));
}

const DOTS = /(?:^|\/)\.{1,2}(?:$|[/;])/;
const HIDDEN_DOTS = /(?:^|[/\\])[\p{C}\p{Z}]*\.[\p{C}\p{Z}]*(?:\.[\p{C}\p{Z}]*)?(?:$|[/\\;?#])/u;

/** The path as a decoder reads it that checks nothing: overlong forms become what they hide, stray octets are dropped. */
function laxText(path: string): string {
  const octets = octetsOf(path);
  if (!BEYOND_ASCII.test(octets)) return octets;
  let text = '';
  for (let at = 0; at < octets.length; ) {
    const { character, length } = laxCharacter(octets, at);
    text += character;
    at += length;
  }
  return text;
}

interface Lax {
  readonly character: string;
  /** Octets. */
  readonly length: number;
}

const BEYOND_ASCII = /[^\0-\x7f]/;

/** What hides a dot or a slash wins: whether the octets behind it may continue a character is not asked. */
function laxCharacter(octets: string, at: number): Lax {
  const lead = octets.charCodeAt(at);
  if (lead < 0x80) return { character: octets.charAt(at), length: 1 };
  const length = lengthAfter(lead);
  const rest = octets
    .slice(at + 1, at + length)
    .split('')
    .map((octet) => octet.charCodeAt(0));
  if (length === 1 || rest.length < length - 1) return STRAY;
  const point = rest.reduce((value, octet) => value * 64 + (octet & 0x3f), lead & (0x7f >> length));
  const isSound = rest.every((octet) => (octet & 0xc0) === 0x80) && point <= 0x10ffff;
  return isSound || HIDDEN.has(point) ? { character: String.fromCodePoint(point), length } : STRAY;
}

const STRAY: Lax = { character: '', length: 1 };
const HIDDEN: ReadonlySet<number> = new Set(Array.from('./\\', (character) => character.charCodeAt(0)));

/** Octets of the character that a byte begins, as UTF-8 was first given (RFC 2279 §2): up to six. 1: it begins none. */
function lengthAfter(lead: number): number {
  const ones = Math.clz32(~(lead << 24));
  return ones >= 2 && ones <= 6 ? ones : 1;
}
