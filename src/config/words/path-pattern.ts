import { foldCase } from '../../base/fold-case.ts';
import { findPathFault } from './path-faults.ts';
import { decodedReading, strictReading } from './path-readings.ts';

/**
 * A piece of a path pattern between two slashes. `one` matches one segment that is not empty; `rest` matches everything that
 * follows.
 */
export type PathSegment =
  | LiteralSegment
  | { readonly kind: 'one'; readonly name: string }
  | { readonly kind: 'rest'; readonly name: string };

export interface LiteralSegment {
  readonly kind: 'literal';
  /** The spelling in a request. */
  readonly text: string;
  /** Raw and decoded: the spellings of `text` that match a request. */
  readonly strict: string;
  readonly decoded: string;
}

export interface PathPattern {
  readonly kind: 'pattern';
  /** `/` is one empty literal; a trailing slash is an empty literal at the end. */
  readonly segments: readonly PathSegment[];
}

export interface PathFault {
  readonly kind: 'fault';
  readonly message: string;
  readonly hint?: string;
}

const MOST_CHARACTERS = 2048;
const MOST_SEGMENTS = 100;

/**
 * Parses `/a/{name}/b/{rest*}`. Literals are normalized like request targets (RFC 3986 §6.2.2): unreserved characters decoded,
 * hex digits in upper case. A literal that no accepted target can contain is rejected.
 */
export function parsePathPattern(pattern: string): PathPattern | PathFault {
  if (!pattern.startsWith('/')) return fault('a path begins with `/`', `write \`/${pattern}\``);
  if (pattern.length > MOST_CHARACTERS) return tooMany(pattern.length, 'characters', MOST_CHARACTERS);
  const pieces = pattern.slice(1).split('/');
  if (pieces.length > MOST_SEGMENTS) return tooMany(pieces.length, 'segments', MOST_SEGMENTS);
  const segments: PathSegment[] = [];
  for (const [index, piece] of pieces.entries()) {
    const segment = parseSegment(piece, index === pieces.length - 1);
    if (segment.kind === 'fault') return segment;
    segments.push(segment);
  }
  const names = segments.flatMap((segment) => (segment.kind === 'literal' ? [] : [segment.name]));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined
    ? { kind: 'pattern', segments }
    : fault(`\`{${twice}}\` occurs twice in the path`, 'give each parameter its own name');
}

/** The pattern without the names of its parameters. Two patterns with the same shape match the same paths. */
export function pathShape({ segments }: PathPattern, caseSensitive = true): string {
  const pieces = segments.map((segment) => (segment.kind === 'literal' ? segment.decoded : shapes[segment.kind]));
  const shape = `/${pieces.join('/')}`;
  return caseSensitive ? shape : foldCase(shape);
}

const shapes: Readonly<Record<Exclude<PathSegment['kind'], 'literal'>, string>> = { one: '{}', rest: '{*}' };

const ranks: Readonly<Record<PathSegment['kind'] | 'end', number>> = { literal: 0, one: 1, end: 2, rest: 3 };

/**
 * Negative if the first is more specific: segment by segment, a literal comes before `{name}`, and `{name}` before `{name*}`.
 */
export function compareSegments(one: readonly PathSegment[], other: readonly PathSegment[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = ranks[one[index]?.kind ?? 'end'] - ranks[other[index]?.kind ?? 'end'];
    if (difference !== 0) return difference;
  }
  return 0;
}

/** True if the first pattern matches every path of the second. */
export function covers(one: readonly PathSegment[], other: readonly PathSegment[]): boolean {
  for (const [index, segment] of one.entries()) {
    if (segment.kind === 'rest') return other.length >= index;
    const theirs = other[index];
    if (theirs === undefined || theirs.kind === 'rest') return false;
    if (segment.kind === 'literal' && (theirs.kind !== 'literal' || theirs.decoded !== segment.decoded)) return false;
    if (segment.kind === 'one' && theirs.kind === 'literal' && theirs.text === '') return false;
  }
  return one.length === other.length;
}

function parseSegment(piece: string, isLast: boolean): PathSegment | PathFault {
  const [, name, star] = /^\{([A-Za-z_][A-Za-z0-9_]*)(\*?)\}$/.exec(piece) ?? [];
  if (name === undefined) return parseLiteral(piece, isLast);
  if (star === '') return { kind: 'one', name };
  return isLast
    ? { kind: 'rest', name }
    : fault(
        `\`{${name}*}\` matches the rest of the path`,
        `write it only at the end; \`{${name}}\` matches one segment`,
      );
}

function parseLiteral(piece: string, isLast: boolean): PathSegment | PathFault {
  const text = normalizeLiteral(piece);
  const row = literalFaults.find(({ found }) => found(text, isLast));
  return row === undefined ? literal(text) : fault(row.message(piece), row.hint);
}

function literal(text: string): LiteralSegment {
  const strict = strictReading(text);
  return { kind: 'literal', text, strict, decoded: decodedReading(strict) };
}

function normalizeLiteral(piece: string): string {
  return piece.replace(/%([0-9A-Fa-f]{2})/g, (encoded, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : encoded.toUpperCase();
  });
}

interface LiteralFault {
  readonly found: (text: string, isLast: boolean) => boolean;
  readonly message: (piece: string) => string;
  readonly hint: string;
}

/** In the strict reading, non-ASCII letters are decoded. */
const BLANK_END = /(?:%20|[\p{C}\p{Z}])$/u;

const literalFaults: readonly LiteralFault[] = [
  {
    found: (text, isLast) => text === '' && !isLast,
    message: () => 'two slashes in a row',
    hint: 'the gateway refuses requests with `//`, so this path can never match',
  },
  {
    found: (text) => /^\.{1,2}$/.test(text),
    message: (piece) => `the dot segment \`${piece}\``,
    hint: 'the gateway refuses requests with dot segments, so this path can never match',
  },
  {
    found: (text) => /[{}]/.test(text),
    message: (piece) => `\`${piece}\` is neither a literal nor a parameter`,
    hint: 'a parameter is a whole segment: `{name}`, or `{name*}` at the end; names are letters, digits and `_`',
  },
  {
    found: (text) => text.includes('?'),
    message: () => 'a query is not part of a path',
    hint: 'leave out `?` and what follows',
  },
  {
    found: (text) => text.includes('#'),
    message: () => 'a fragment is never sent to a server',
    hint: 'leave out `#` and what follows',
  },
  {
    found: (text) => text.includes('*'),
    message: (piece) => `\`${piece}\` is not a wildcard here`,
    hint: 'write `{name}` for one segment, and `{name*}` for the rest of the path',
  },
  {
    found: (text) => /\\|%(?:2F|5C|00)/.test(text),
    message: () => 'an encoded slash, a backslash or an encoded NUL',
    hint: 'the gateway refuses such requests, so this path can never match',
  },
  {
    found: (text) => /%(?:3F|23)/.test(text),
    message: (piece) => `\`${piece}\` has an encoded \`?\` or \`#\`, where some servers end the path`,
    hint: 'write a parameter in place of this segment: `{name}`',
  },
  {
    found: (text) => text.includes('%') && BLANK_END.test(strictReading(text)),
    message: (piece) => `\`${piece}\` ends with a blank, which some servers drop`,
    hint: 'write a parameter in place of this segment: `{name}`',
  },
  {
    found: (text) => /%(?![0-9A-F]{2})|%25[0-9A-Fa-f]{2}/.test(text),
    message: () => 'broken or double percent-encoding',
    hint: 'the gateway refuses such requests, so this path can never match',
  },
  {
    found: (text) => text.includes('%') && findPathFault(`/${text}`) !== undefined,
    message: (piece) => `\`${piece}\` has a character that servers read in different ways`,
    hint: 'the gateway refuses such requests, so this path can never match',
  },
  {
    found: (text) => !/^[\x21-\x7e]*$/.test(text) || /["<>[\]^`|]/.test(text),
    message: (piece) => `\`${piece}\` has a character that no path contains`,
    hint: 'percent-encode it (RFC 3986 §2.1)',
  },
];

function tooMany(count: number, things: string, most: number): PathFault {
  return fault(
    `the path has ${count} ${things}`,
    `at most ${most} are allowed; \`{name*}\` matches the rest of a path`,
  );
}

function fault(message: string, hint: string): PathFault {
  return { kind: 'fault', message, hint };
}
