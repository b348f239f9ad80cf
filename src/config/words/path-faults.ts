import { octetsOf, strictReading } from './path-readings.ts';

/**
 * The reason why a server may read a path as another path. Such a path is rejected, and no literal of the file may contain it.
 */
export type PathFaultCode =
  | 'target_percent_encoding'
  | 'target_backslash'
  | 'target_null'
  | 'target_control'
  | 'target_empty_segment'
  | 'target_lookalike'
  | 'target_dot_segment';

const DOUBLE_ENCODING = /%25[0-9A-Fa-f]{2}/;

/**
 * `%00` to `%1f`, `%7f`, and C1 in UTF-8 (RFC 3629 §3). Servers drop these characters, end the path there, or write them to
 * their logs.
 */
const CONTROL = /%(?:[01][0-9a-f]|7f|c2%[89][0-9a-f])/i;

/** Full-width, division, fraction and set-minus signs. Best-fit tables and NFKC convert them to a slash or a backslash. */
const LOOKALIKE = /[\u2044\u2215\u2216\ufe68\uff0f\uff3c]/;

/**
 * More octets than the character needs, or an invalid lead byte before a continuation byte (RFC 3629 §3, §10). A lax decoder
 * reads another path, and a strict decoder does not.
 */
const TOO_LONG = /%(?:(?:c[01]|e0%[89][0-9a-f]|f0%8[0-9a-f]%[89ab][0-9a-f])%[89ab]|f[89a-f]%[89ab])[0-9a-f]/i;

/** In the order in which they are reported. */
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
 * Finds a dot segment in every form that a server may see. It may follow an encoded slash. It may precede a path parameter
 * (servlet containers strip it), or an encoded `?` or `#`. It may use letters that NFKC folds to dots, or blanks and format
 * characters around the dots. It may use octets that lax UTF-8 decoders fold or drop (RFC 3629 §10).
 */
function hasDotSegment(path: string): boolean {
  if (!path.includes('%')) return DOTS.test(path);
  return HIDDEN_DOTS.test(laxText(path).normalize('NFKC'));
}

const DOTS = /(?:^|\/)\.{1,2}(?:$|[/;])/;
const HIDDEN_DOTS = /(?:^|[/\\])[\p{C}\p{Z}]*\.[\p{C}\p{Z}]*(?:\.[\p{C}\p{Z}]*)?(?:$|[/\\;?#])/u;

/**
 * The path as a decoder without checks reads it: overlong forms become the character that they hide, and stray octets are
 * dropped.
 */
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

/** A hidden dot or slash is found first, whatever octets follow it. */
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

/**
 * The number of octets of a character, by its first byte, in the original UTF-8 (RFC 2279 §2): up to six. 1: the byte begins no
 * character.
 */
function lengthAfter(lead: number): number {
  const ones = Math.clz32(~(lead << 24));
  return ones >= 2 && ones <= 6 ? ones : 1;
}
