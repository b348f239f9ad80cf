/** The methods that this listener reads. All others belong to Node's parser. */
export type PlainMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface PlainLine {
  readonly method: PlainMethod;
  /** As received: a path, perhaps with a query. */
  readonly target: string;
  /** The position of the header section. */
  readonly end: number;
}

/**
 * What the first bytes are. `unfinished`: this listener may be able to read them once more arrive. `foreign`: it never
 * can, so Node's parser judges them.
 */
export type ReadSoFar<Part> = Part | 'unfinished' | 'foreign';

type Word = readonly [method: PlainMethod, bytes: Buffer];

/** By their first two letters, which are different for each method. */
const words: ReadonlyMap<number, Word> = new Map(
  (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => {
    const bytes = Buffer.from(`${method} `);
    return [bytes.readUInt16BE(0), [method, bytes]];
  }),
);
const FIRST_LETTERS: ReadonlySet<number> = new Set(Array.from(words.values(), ([, bytes]) => bytes.readUInt8(0)));
const VERSION = Buffer.from(' HTTP/1.1\r\n');

const SLASH = 0x2f;
/** A target is in ASCII, without spaces and control characters (RFC 9112 §3.2). */
const FIRST = 0x21;
const LAST = 0x7e;

/** RFC 9112 §3: one space each, and a target in origin form. */
export function readPlainLine(bytes: Buffer, from: number): ReadSoFar<PlainLine> {
  const word = wordAt(bytes, from);
  if (typeof word === 'string') return word;
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

function wordAt(bytes: Buffer, from: number): ReadSoFar<Word> {
  if (from + 1 < bytes.length) return words.get(bytes.readUInt16BE(from)) ?? 'foreign';
  return FIRST_LETTERS.has(bytes[from] as number) ? 'unfinished' : 'foreign';
}

function endOfTarget(bytes: Buffer, from: number): number {
  let at = from;
  for (; at < bytes.length; at++) {
    const code = bytes[at] as number;
    if (code < FIRST || code > LAST) break;
  }
  return at;
}

/** Whether `word` is at this position, as far as the bytes have arrived. */
function begins(bytes: Buffer, from: number, word: Buffer): 'whole' | 'unfinished' | 'foreign' {
  const length = Math.min(word.length, bytes.length - from);
  for (let at = 0; at < length; at++) if (bytes[from + at] !== word[at]) return 'foreign';
  return length === word.length ? 'whole' : 'unfinished';
}
