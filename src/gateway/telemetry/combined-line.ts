import type { Decision } from './decision-record.ts';
import { recordedIdentity } from './decision-record.ts';
import { pathOf, refererOf, userAgentOf } from './without-tokens.ts';

/**
 * Apache's combined log format: `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`. The target has no query,
 * because a query may contain a token. `began`: milliseconds since the epoch.
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

/** Header values are bytes, each stored as one character. */
function quoted(value: string): string {
  return `"${escaped(value, 'latin1')}"`;
}

/** A value between spaces. It must contain no space, and must not look like an absent value. */
function bare(value: string | undefined): string {
  if (value === undefined) return NOTHING;
  if (value === '') return '""';
  return value === NOTHING ? '\\x2d' : escaped(value, 'utf8').replaceAll(' ', '\\x20');
}

/** Characters that would begin a new line, end a field, or control a terminal. */
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

/** Escapes each byte like Apache's `ap_escape_logitem`. */
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
