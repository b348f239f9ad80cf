/** The methods without content that this listener reads itself. All others belong to Node's parser. */
export type PlainMethod = 'GET' | 'HEAD';

export interface PlainLine {
  readonly method: PlainMethod;
  /** As received: a path, and perhaps a query. */
  readonly target: string;
  /** Where the header section begins. */
  readonly end: number;
}

/**
 * What the first bytes are. `unfinished`: they may become what is read here. `foreign`: they never will, so Node's parser
 * judges them.
 */
export type ReadSoFar<Part> = Part | 'unfinished' | 'foreign';

const METHODS: readonly (readonly [PlainMethod, Buffer])[] = [
  ['GET', Buffer.from('GET ')],
  ['HEAD', Buffer.from('HEAD ')],
];
const VERSION = Buffer.from(' HTTP/1.1\r\n');

const SLASH = 0x2f;
/** A target is in ASCII, without spaces and control characters (RFC 9112 §3.2). */
const FIRST = 0x21;
const LAST = 0x7e;

/** RFC 9112 §3: one space each, and a target in origin form. */
export function readPlainLine(bytes: Buffer, from: number): ReadSoFar<PlainLine> {
  const word = METHODS[bytes[from] === 0x47 ? 0 : 1] as (typeof METHODS)[number];
  const start = from + word[1].length;
  const method = begins(bytes, from, word[1]);
  if (method !== 'whole') return method;
  if (start === bytes.length) return 'unfinished';
  if (bytes[start] !== SLASH) return 'foreign';
  const stop = endOfTarget(bytes, start);
  const version = begins(bytes, stop, VERSION);
  if (version !== 'whole') return version;
  return { method: word[0], target: bytes.toString('latin1', start, stop), end: stop + VERSION.length };
}

function endOfTarget(bytes: Buffer, from: number): number {
  let at = from;
  for (; at < bytes.length; at++) {
    const code = bytes[at] as number;
    if (code < FIRST || code > LAST) break;
  }
  return at;
}

/** Whether these bytes stand there, as far as they have arrived. */
function begins(bytes: Buffer, from: number, word: Buffer): 'whole' | 'unfinished' | 'foreign' {
  const length = Math.min(word.length, bytes.length - from);
  for (let at = 0; at < length; at++) if (bytes[from + at] !== word[at]) return 'foreign';
  return length === word.length ? 'whole' : 'unfinished';
}
