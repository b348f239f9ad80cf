/**
 * An upstream that decodes a path repeatedly, as often as requested, in octets and with a lax UTF-8 decoder, and then
 * removes dot segments. It is written only from the RFCs, independent of the gateway's code.
 */
export interface Reading {
  readonly segments: readonly string[];
  /** Whether dot segments had to be removed. */
  readonly dots: boolean;
}

export function read(path: string, decodings: number): Reading {
  let octets = [...Buffer.from(path, 'latin1')];
  for (let round = 0; round < decodings; round++) octets = shortest(decodeOnce(octets));
  const text = Buffer.from(octets).toString('latin1').replaceAll('\\', '/');
  return { segments: removeDots(text), dots: /(?:^|\/)\.\.?(?:;[^/]*)?(?:\/|$)/.test(text) };
}

/** RFC 3986 §2.1; an invalid encoding is unchanged. */
function decodeOnce(octets: readonly number[]): number[] {
  const decoded: number[] = [];
  for (let at = 0; at < octets.length; at++) {
    const digits = String.fromCharCode(...octets.slice(at + 1, at + 3));
    const isEncoding = octets[at] === 0x25 && /^[0-9A-Fa-f]{2}$/.test(digits);
    decoded.push(isEncoding ? Number.parseInt(digits, 16) : (octets[at] as number));
    if (isEncoding) at += 2;
  }
  return decoded;
}

/** RFC 3629 §3 as read by a decoder that does not check for a shorter form. */
function shortest(octets: readonly number[]): number[] {
  const read: number[] = [];
  for (let at = 0; at < octets.length; ) {
    const length = lengthOf(octets[at] as number);
    const rest = octets.slice(at + 1, at + length);
    const isWhole = rest.length === length - 1 && rest.every((octet) => octet >= 0x80 && octet < 0xc0);
    const value = rest.reduce(
      (sum, octet) => sum * 64 + (octet & 0x3f),
      (octets[at] as number) & (0xff >> (length + 1)),
    );
    const isAscii = length > 1 && isWhole && value < 0x80;
    read.push(isAscii ? value : (octets[at] as number));
    at += isAscii ? length : 1;
  }
  return read;
}

function lengthOf(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xc0 && lead < 0xe0 ? 2 : 1;
}

/** RFC 3986 §5.2.4, where empty segments do not count, except the last. */
function removeDots(path: string): readonly string[] {
  const parts = path.split('/').slice(1);
  const kept: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (part === '..') kept.pop();
    else if (part !== '.' && (part !== '' || index === parts.length - 1)) kept.push(part);
  }
  return kept;
}

/** Which of these patterns match the segments: `{}` is a non-empty segment, `{*}` all the rest. */
export function place(segments: readonly string[], patterns: readonly string[]): string | undefined {
  const fitting = patterns.filter((pattern) => fits(segments, pattern.split('/').slice(1)));
  const rank = (pattern: string) =>
    pattern
      .split('/')
      .slice(1)
      .map((part) => ['{*}', '{}'].indexOf(part) % 2);
  return fitting.toSorted((one, other) => compare(rank(one), rank(other)))[0];
}

function fits(segments: readonly string[], [part, ...parts]: readonly string[]): boolean {
  if (part === '{*}') return true;
  const [segment, ...others] = segments;
  if (part === undefined || segment === undefined) return part === undefined && segment === undefined;
  return (part === '{}' ? segment !== '' : segment === part) && fits(others, parts);
}

/** -1: a literal; 1: one segment; 0 is the rest, which is last. */
function compare(one: readonly number[], other: readonly number[]): number {
  const order = [-1, 1, 0];
  for (const [index, kind] of one.entries()) {
    const difference = order.indexOf(kind) - order.indexOf(other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
