import { type Refused, refused } from '../../base/verdict.ts';
import type { Code } from '../codes.ts';

/**
 * The request-target, judged once (RFC 9112 §3.2, RFC 3986 §3.3). What this returns is both matched and forwarded, so
 * that no upstream can be shown another path than the one that was judged.
 */
export interface Target {
  readonly kind: 'target';
  /** Percent-encoded unreserved characters decoded once (RFC 3986 §6.2.2.2); otherwise byte for byte as received. */
  readonly path: string;
  /** `path` with the hex digits of its percent-encodings in upper case: what patterns compare with (§6.2.2.1). */
  readonly key: string;
  /** With its `?`; empty when there is none. */
  readonly query: string;
  readonly encodedSlash: boolean;
  readonly parameter: boolean;
  /** Of an absolute-form target; to be compared with Host. */
  readonly authority: string | undefined;
}

export type TargetCode = Extract<Code, `target_${string}`>;

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;
const UNRESERVED = /^[A-Za-z0-9._~-]$/;
const DOUBLE_ENCODING = /%25[0-9A-Fa-f]{2}/;
const BROKEN_ENCODING = /%(?![0-9A-Fa-f]{2})/;
// RFC 3986 §3.4 less "#", with the few that browsers leave raw in a query.
const QUERY = /^[A-Za-z0-9._~!$&'()*+,;=:@/?%[\]{}|^`"<>\\-]*$/;

/** What each character of a path means: 0 is not allowed there by RFC 3986 §3.3. */
const PLAIN = 1;
const SPECIAL = 2;
const classes = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~!$&'()*+,=:@-") {
  classes[character.charCodeAt(0)] = PLAIN;
}
for (const character of '/.%;\\') classes[character.charCodeAt(0)] = SPECIAL;

export function judgeTarget(method: string, received: string): Target | Refused<TargetCode> {
  if (received.includes('#')) return refused('target_fragment');
  if (received === '*') return method === 'OPTIONS' ? target('*', '', undefined) : refused('target_malformed');
  if (received.startsWith('/')) return judgeOrigin(received, undefined);
  const absolute = ABSOLUTE.exec(received);
  if (absolute === null) return refused('target_malformed');
  const [, authority = '', rest = ''] = absolute;
  return judgeOrigin(rest.startsWith('/') ? rest : `/${rest}`, authority);
}

function judgeOrigin(origin: string, authority: string | undefined): Target | Refused<TargetCode> {
  const mark = origin.indexOf('?');
  const path = mark === -1 ? origin : origin.slice(0, mark);
  const query = mark === -1 ? '' : origin.slice(mark);
  if (query !== '' && !QUERY.test(query)) return refused('target_malformed');
  const shape = classify(path);
  if (shape === 'malformed') return refused('target_malformed');
  if (shape === 'plain') return target(path, query, authority);
  // Before decoding: in `%%32%65` it would make an encoding out of what is none.
  if (BROKEN_ENCODING.test(path)) return refused('target_percent_encoding');
  const decoded = decodeUnreserved(path);
  const fault = findFault(decoded);
  return fault === undefined ? target(decoded, query, authority) : refused(fault);
}

function target(path: string, query: string, authority: string | undefined): Target {
  const encoded = path.includes('%');
  return {
    kind: 'target',
    path,
    key: encoded ? upperHex(path) : path,
    query,
    encodedSlash: encoded && /%2f/i.test(path),
    parameter: path.includes(';'),
    authority,
  };
}

/** A path of plain characters and single slashes needs no second look; that is nearly every path. */
function classify(path: string): 'plain' | 'special' | 'malformed' {
  let shape: 'plain' | 'special' = 'plain';
  let afterSlash = false;
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i);
    const kind = code < 128 ? classes[code] : 0;
    if (kind === 0) return 'malformed';
    const slash = code === 0x2f;
    if (kind === SPECIAL && (!slash || afterSlash)) shape = 'special';
    afterSlash = slash;
  }
  return shape;
}

function decodeUnreserved(path: string): string {
  return path.replace(/%([0-9A-Fa-f]{2})/g, (encoded, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(character) ? character : encoded;
  });
}

function upperHex(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (encoded) => encoded.toUpperCase());
}

/** More octets than the character needs (RFC 3629 §3, §10): a lax decoder makes another path of it, strict ones do not. */
const TOO_LONG = /%(?:c[01]|e0%[89][0-9a-f]|f0%8[0-9a-f]%[89ab][0-9a-f])%[89ab][0-9a-f]/i;

/** In the order in which a reader would name them. */
const faults: readonly { code: TargetCode; found(path: string): boolean }[] = [
  { code: 'target_percent_encoding', found: (path) => DOUBLE_ENCODING.test(path) },
  { code: 'target_backslash', found: (path) => /\\|%5c/i.test(path) },
  { code: 'target_null', found: (path) => path.includes('%00') },
  { code: 'target_empty_segment', found: (path) => path.includes('//') },
  { code: 'target_dot_segment', found: hasDotSegment },
  { code: 'target_percent_encoding', found: (path) => TOO_LONG.test(path) },
];

function findFault(path: string): TargetCode | undefined {
  return faults.find(({ found }) => found(path))?.code;
}

/**
 * A dot segment however an upstream may come to see one: behind an encoded slash, before a path parameter (as servlet
 * containers strip it), or in an overlong UTF-8 form that lax decoders fold to ASCII (RFC 3629 §10).
 */
function hasDotSegment(path: string): boolean {
  const seen = foldOverlong(path).replace(/%2f|%5c|\\/gi, '/');
  return seen.split('/').some((segment) => /^\.{1,2}(?:$|;|%3b)/i.test(segment));
}

/** Lead bytes that a shortest-form encoder never writes, with the continuation bytes that a lax decoder would take. */
const OVERLONG = /%(?:c[01]|e0(?:%[0-9a-f]{2}|.)|f0(?:%[0-9a-f]{2}|.){2})(?:%([0-9a-f]{2})|(.))/gi;

function foldOverlong(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(OVERLONG, (sequence: string, hex: string | undefined, plain: string | undefined) => {
    const last = hex === undefined ? (plain as string).charCodeAt(0) : Number.parseInt(hex, 16);
    const high = /^%c1/i.test(sequence) || /%81(?:%..|.)$/i.test(sequence) ? 0x40 : 0;
    const folded = String.fromCharCode(high | (last & 0x3f));
    return folded === '.' || folded === '/' || folded === '\\' ? folded : sequence;
  });
}
