import type { Decision } from './decision-record.ts';
import { recordedIdentity } from './decision-record.ts';
import { pathOf, refererOf, userAgentOf } from './without-tokens.ts';

/**
 * Apache's combined log format: `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`. The target has no query, which
 * may hold a token. `began`: milliseconds since the epoch.
 */
export function combinedLine(decision: Decision, began: number): string {
  const { head, outcome, status = NOTHING, bytesOut } = decision;
  const user = bare(recordedIdentity(outcome)?.subject);
  const request = quoted(`${head.method} ${pathOf(head)} HTTP/${head.version}`);
  const [referer, agent] = [refererOf(head), userAgentOf(head)].map((value) => quoted(value ?? NOTHING));
  const address = bare(head.origin.address);
  return `${address} - ${user} [${stamp(began)}] ${request} ${status} ${bytesOut || NOTHING} ${referer} ${agent}`;
}

const NOTHING = '-';

/** Header values are bytes, each as one character. */
function quoted(value: string): string {
  return `"${escaped(value, 'latin1')}"`;
}

/** A value between spaces, which has none itself, and is not taken for nothing. */
function bare(value: string | undefined): string {
  if (value === undefined) return NOTHING;
  if (value === '') return '""';
  return value === NOTHING ? '\\x2d' : escaped(value, 'utf8').replaceAll(' ', '\\x20');
}

/** What begins a line of its own, ends a field, or steers a terminal. */
const ESCAPED = /["\\]|[^\x20-\x7e]/gu;

const named: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/** As `ap_escape_logitem` of Apache does: byte by byte. */
function escaped(value: string, encoding: 'latin1' | 'utf8'): string {
  return value.replace(ESCAPED, (character) => named.get(character) ?? inHex(Buffer.from(character, encoding)));
}

function inHex(bytes: Buffer): string {
  return bytes.toString('hex').replace(/../g, '\\x$&');
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `10/Oct/2026:13:55:36 +0000`. */
function stamp(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString();
  const month = MONTHS[Number(text.slice(5, 7)) - 1];
  return `${text.slice(8, 10)}/${month}/${text.slice(0, 4)}:${text.slice(11, 19)} +0000`;
}
