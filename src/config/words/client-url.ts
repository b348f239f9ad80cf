import { normalizeHost } from './host.ts';
import { parseUrl } from './url-rules.ts';

/** RFC 3986 §2: different readers would read other characters differently. */
export const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;

/** Characters of a client id. */
export const LONGEST_CLIENT_ID = 255;

interface Rule {
  readonly breaks: (text: string, url: URL) => boolean;
  readonly fault: string;
}

/** In this order. The first broken rule is reported. */
const rules: readonly Rule[] = [
  { breaks: (_, url) => url.protocol !== 'https:', fault: 'it is not an https URL' },
  { breaks: (text) => text.length > LONGEST_CLIENT_ID, fault: `it has more than ${LONGEST_CLIENT_ID} characters` },
  { breaks: (text) => !URI_CHARACTERS.test(text), fault: 'it has a character that no URI contains' },
  { breaks: (text) => text.includes('#'), fault: 'it has a fragment' },
  { breaks: (text) => /^https:[/\\]*[^/\\?]*@/i.test(text), fault: 'it has a username or a password' },
  { breaks: (text) => hasDotSegment(text), fault: 'its path has a dot segment' },
  { breaks: (_, url) => url.pathname === '/', fault: 'it has no path' },
  { breaks: (_, url) => url.hostname.endsWith('.'), fault: 'its host ends with a dot' },
  { breaks: (text, url) => text !== url.href, fault: 'it is not in its canonical form' },
];

/**
 * Why a text cannot be the id of a client with a metadata document; undefined if it can. Ids are compared byte by byte, so a
 * document has one spelling only: no port 443, no capital letter in the host, and a host in ASCII.
 */
export function clientUrlFault(text: string): string | undefined {
  const url = parseUrl(text);
  return url === undefined ? 'it is not a URL' : rules.find(({ breaks }) => breaks(text, url))?.fault;
}

/** Also in the encodings that some servers decode, and with the parameters that some servers remove (RFC 3986 §3.3). */
function hasDotSegment(text: string): boolean {
  const path = text.replace(/^https:\/\/[^/?#\\]*/i, '').split(/[?#]/, 1)[0] ?? '';
  const decoded = path.replace(/%2e/gi, '.').replace(/%2f|%5c|\\/gi, '/');
  return decoded.split('/').some((segment) => /^\.{1,2}(?:;|%3b|$)/i.test(segment));
}

/** A pattern of `registration.cimd.allow`. */
export interface ClientUrlPattern {
  /** In lower case. Empty: any host, if names below it match. */
  readonly host: string;
  readonly isBelow: boolean;
  /** Undefined: any port. */
  readonly port: string | undefined;
  /** Undefined: any path. */
  readonly path: string | undefined;
}

const grammar = /^https:\/\/(\*$|\*(?=[:/])|\*\.)?([^*/?#@:[\]]*|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(\/[^?#*]*\*?)?$/;

/** Undefined if the text is not a pattern. */
export function parseClientUrlPattern(text: string): ClientUrlPattern | undefined {
  const [, star, written = '', port, path] = grammar.exec(text) ?? [];
  if (star === undefined && written === '') return undefined;
  const isAny = star === '*';
  const host = isAny ? '' : normalizeHost(written);
  if (host === undefined || (isAny && written !== '')) return undefined;
  if (path?.endsWith('*') && !path.endsWith('/*')) return undefined;
  return { host, isBelow: star !== undefined, port: port === '443' ? '' : port, path };
}

/** `url`: of a client id that has no fault. */
export function matchesClientUrl({ host, isBelow, port, path }: ClientUrlPattern, url: URL): boolean {
  const isHost = isBelow ? host === '' || url.hostname.endsWith(`.${host}`) : url.hostname === host;
  return isHost && (port === undefined || url.port === port) && isPathOf(path, url);
}

function isPathOf(path: string | undefined, { pathname, search }: URL): boolean {
  if (path === undefined) return true;
  return path.endsWith('/*') ? pathname.startsWith(path.slice(0, -1)) : pathname + search === path;
}
