/**
 * The paths that a server may read from a checked path. RFC 3986 §2.2 distinguishes `%3A` and `:`, but many servers decode
 * before they route. Some then end the path at `?` or `#`, or drop blanks. The gateway matches all readings, and rejects the
 * request if they lead to different routes. Raw paths contain only ASCII, so letters of other scripts are decoded in every
 * reading.
 */

// Each expression matches a run of encodings at once: a call for each encoding would block the event loop on a long path.

/** Percent-encoded UTF-8 beyond ASCII, shortest form only (RFC 3629 §4). */
const BEYOND_ASCII =
  /(?:%(?:C[2-9A-F]|D[0-9A-F])%[89AB][0-9A-F]|%E0%[AB][0-9A-F]%[89AB][0-9A-F]|%(?:E[1-9A-CEF])(?:%[89AB][0-9A-F]){2}|%ED%[89][0-9A-F]%[89AB][0-9A-F]|%F0%[9AB][0-9A-F](?:%[89AB][0-9A-F]){2}|%F[1-3](?:%[89AB][0-9A-F]){3}|%F4%8[0-9A-F](?:%[89AB][0-9A-F]){2})+/g;

/**
 * The raw reading: hex digits in upper case (RFC 3986 §6.2.2.1), and non-ASCII characters as letters. Invalid UTF-8 stays
 * encoded.
 */
export function strictReading(path: string): string {
  if (!path.includes('%')) return path;
  const upper = LOWER_CASE.test(path) ? path.replace(ENCODED, (run) => run.toUpperCase()) : path;
  return upper.replace(BEYOND_ASCII, decodeURIComponent);
}

const LOWER_CASE = /%[0-9A-F]?[a-f]/;
/** A run of encodings. */
const ENCODED = /(?:%[0-9A-Fa-f]{2})+/g;
const ASCII = /(?:%[0-7][0-9A-F])+/g;
const ASCII_LESS_SLASH = /(?:%(?:[013-7][0-9A-F]|2[0-9A-E]))+/g;

/** Decoded once. An encoded slash stays, because `encoded_slashes` of the route decides its meaning. */
export function decodedReading(strict: string): string {
  return strict.replace(ASCII_LESS_SLASH, decodeURIComponent);
}

/** The segments for an application that decodes everything, even an encoded slash. */
export function decodedSegments(strict: string): readonly string[] {
  const segments = strict.split('/');
  return strict.includes('%') ? segments.map((segment) => segment.replace(ASCII, decodeURIComponent)) : segments;
}

/**
 * Every reading of a path except the raw one, each once. The first reading is decoded. In the second, invalid UTF-8 is Latin-1,
 * the fallback of some servers. Further readings end at a decoded `?` or `#`, or have no blanks at the end of the path and its
 * segments. Most paths have one reading.
 */
export function decodedReadings(strict: string): readonly string[] {
  const decoded = decodedReading(strict);
  const lenient = decoded.replace(STRAY, octetsOfRun);
  return lenient === decoded ? shortenings(decoded) : [...shortenings(decoded), ...shortenings(lenient)];
}

/** The path with each encoding as one octet, as a Latin-1 character. */
export function octetsOf(path: string): string {
  return path.replace(ENCODED, octetsOfRun);
}

function octetsOfRun(run: string): string {
  return Buffer.from(run.replaceAll('%', ''), 'hex').toString('latin1');
}

const STRAY = /(?:%[89A-F][0-9A-F])+/g;

function shortenings(decoded: string): readonly string[] {
  const cut = decoded.split(/[?#]/, 1)[0] as string;
  const whole = cut === decoded ? [decoded] : [decoded, cut];
  if (!BLANK_BEFORE_END.test(decoded)) return whole;
  return [...new Set([...whole, ...whole.map(withoutBlanks), ...whole.map(withoutBlanksInside)])];
}

/** All spaces, and characters without width. */
const BLANK = /^[\p{C}\p{Z}]$/u;
const BLANK_BEFORE_END = /[\p{C}\p{Z}](?:[/?#]|$)/u;

function withoutBlanksInside(path: string): string {
  return path.split('/').map(withoutBlanks).join('/');
}

/** Removes blanks from the end, letter by letter. An expression would need quadratic time for a long run of blanks. */
function withoutBlanks(text: string): string {
  let end = text.length;
  while (end > 0) {
    const start = end - (SUPPLEMENTARY_AT_END.test(text.slice(end - 2, end)) ? 2 : 1);
    if (!BLANK.test(text.slice(start, end))) break;
    end = start;
  }
  return text.slice(0, end);
}

/** A character of two code units. */
const SUPPLEMENTARY_AT_END = /[\u{10000}-\u{10FFFF}]$/u;
