import { type Refused, refused } from '../../base/verdict.ts';
import { findPathFault } from '../../config/words/path-faults.ts';
import { decodedReadings, strictReading } from '../../config/words/path-readings.ts';
import type { Code } from './codes.ts';

/**
 * The request-target, judged once (RFC 9112 §3.2, RFC 3986 §3.3). The same result is matched and forwarded. So the
 * upstream never gets a different path than the judged one.
 */
export interface Target {
  readonly kind: 'target';
  /**
   * Percent-encoded unreserved characters are decoded once (RFC 3986 §6.2.2.2). The rest is byte for byte as received.
   */
  readonly path: string;
  /** `path` without decoding, normalized for comparison with patterns (§6.2.2.1). */
  readonly key: string;
  /** The paths that servers see if they decode before they route. Empty if these equal `key`. */
  readonly decoded: readonly string[];
  /** With its `?`. Empty: there is none. */
  readonly query: string;
  readonly encodedSlash: boolean;
  readonly parameter: boolean;
  /** Only for an absolute-form target. It must match Host. */
  readonly authority: string | undefined;
}

export type TargetCode = Extract<Code, `target_${string}`>;

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;
/** RFC 3986 §2.3: letters, digits and `-._~`. */
const UNRESERVED = /(?:%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE]))+/gi;
const BROKEN_ENCODING = /%(?![0-9A-Fa-f]{2})/;
// RFC 3986 §3.4 without "#", plus a few characters that browsers do not encode in a query.
const QUERY = /^[A-Za-z0-9._~!$&'()*+,;=:@/?%[\]{}|^`"<>\\-]*$/;

/** The meaning of each character of a path. 0: RFC 3986 §3.3 does not allow it. */
const PLAIN = 1;
const SPECIAL = 2;
const classes = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~!$&'()*+,=:@-") {
  classes[character.charCodeAt(0)] = PLAIN;
}
for (const character of '/.%;\\') classes[character.charCodeAt(0)] = SPECIAL;

/** A target in origin-form (RFC 9112 §3.2.1), whatever its path looks like. */
export interface OriginForm {
  readonly text: string;
  /** Set for an absolute-form target. */
  readonly authority: string | undefined;
}

/** Undefined: the target contains no path of an HTTP server. */
export function originForm(received: string): OriginForm | undefined {
  if (received.startsWith('/')) return { text: received, authority: undefined };
  const absolute = ABSOLUTE.exec(received);
  if (absolute === null) return undefined;
  const [, authority = '', rest = ''] = absolute;
  return { text: rest.startsWith('/') ? rest : `/${rest}`, authority };
}

export function judgeTarget(method: string, received: string): Target | Refused<TargetCode> {
  if (received.includes('#')) return refused('target_fragment');
  if (received === '*') return method === 'OPTIONS' ? target('*', '', undefined) : refused('target_malformed');
  if (received.startsWith('/')) return judgeOrigin(received, undefined);
  const origin = originForm(received);
  return origin === undefined ? refused('target_malformed') : judgeOrigin(origin.text, origin.authority);
}

function judgeOrigin(origin: string, authority: string | undefined): Target | Refused<TargetCode> {
  const mark = origin.indexOf('?');
  const path = mark === -1 ? origin : origin.slice(0, mark);
  const query = mark === -1 ? '' : origin.slice(mark);
  if (query !== '' && !QUERY.test(query)) return refused('target_malformed');
  const shape = classify(path);
  if (shape === 'malformed') return refused('target_malformed');
  if (shape === 'plain') return target(path, query, authority);
  // This check runs before decoding, which would turn `%%32%65` into a valid encoding.
  if (BROKEN_ENCODING.test(path)) return refused('target_percent_encoding');
  const decoded = decodeUnreserved(path);
  const fault = findPathFault(decoded);
  return fault === undefined ? target(decoded, query, authority) : refused(fault);
}

/** Nearly every path matches. */
const NONE: readonly string[] = [];

function target(path: string, query: string, authority: string | undefined): Target {
  const encoded = path.includes('%');
  const key = encoded ? strictReading(path) : path;
  return {
    kind: 'target',
    path,
    key,
    decoded: encoded ? decodedReadings(key).filter((reading) => reading !== key) : NONE,
    query,
    encodedSlash: encoded && key.includes('%2F'),
    parameter: path.includes(';') || (encoded && key.includes('%3B')),
    authority,
  };
}

/** A path of plain characters and single slashes needs no further check. Nearly every path is like this. */
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
  return path.replace(UNRESERVED, decodeURIComponent);
}
