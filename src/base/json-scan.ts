import {
  blanksEnd,
  byteAt,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  invalid,
  isBlank,
  NotJson,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  separatorEnd,
  signEnd,
  stringEnd,
  stringIn,
  wordEnd,
} from './json-tokens.ts';

/** A value's place in its text. */
export interface JsonNode {
  /** `word`: a number, `true`, `false` or `null`. */
  readonly kind: 'object' | 'array' | 'string' | 'word';
  readonly start: number;
  readonly end: number;
  /** The names of an object, decoded. Undefined: not an object, or one that is nested deeper than `KEPT`. */
  readonly names: readonly string[] | undefined;
  /** The values of these names. */
  readonly values: readonly JsonNode[];
}

/** Names of one object. They are unique. */
interface Names {
  /** Decoded. */
  readonly texts: string[];
  /** Where each is in the text, without its quotes. */
  readonly starts: number[];
  readonly ends: number[];
}

/** The names of the last object that is not kept, by depth. */
type Lists = (Names | undefined)[];

/** Levels of nesting. Recursive readers refuse deeper values, or fail. */
const DEEPEST = 64;
/** Objects down to this level are kept: those in which a message says what it is about. Others are only read. */
const KEPT = 3;
/** With more names, a set is faster than a look at each. */
const FEW = 16;

const NONE: readonly JsonNode[] = [];

/**
 * Reads a JSON text in one pass (RFC 8259), without building its value. JSON.parse would build every argument of every
 * call, and would not report a name that occurs twice. Positions go from function to function, because V8 calls a
 * function faster than a private method. `bytes`: valid UTF-8.
 * @throws NotJson
 */
export function scanJson(bytes: Buffer): JsonNode {
  const node = nodeAt(bytes, [], blanksEnd(bytes, 0), 0);
  const rest = blanksEnd(bytes, node.end);
  if (rest < bytes.length) throw invalid(bytes, rest);
  return node;
}

/** `depth`: the number of objects and arrays around the value. */
function nodeAt(bytes: Buffer, lists: Lists, start: number, depth: number): JsonNode {
  const code = byteAt(bytes, start);
  if (code === OPEN_OBJECT && depth < KEPT) return keptObject(bytes, lists, start, depth + 1);
  const kind = code === QUOTE ? 'string' : code === OPEN_OBJECT ? 'object' : code === OPEN_ARRAY ? 'array' : 'word';
  return { kind, start, end: valueEnd(bytes, lists, start, depth), names: undefined, values: NONE };
}

function keptObject(bytes: Buffer, lists: Lists, start: number, depth: number): JsonNode {
  const names: string[] = [];
  const values: JsonNode[] = [];
  let at = openingEnd(bytes, start, CLOSE_OBJECT);
  while (bytes[at - 1] !== CLOSE_OBJECT) {
    const quote = signEnd(bytes, at, QUOTE) - 1;
    const end = stringEnd(bytes, quote);
    addUnique(names, stringIn(bytes, quote, end));
    const node = nodeAt(bytes, lists, blanksEnd(bytes, signEnd(bytes, end, COLON)), depth);
    values.push(node);
    at = separatorEnd(bytes, node.end, CLOSE_OBJECT);
  }
  requireUnique(names);
  return { kind: 'object', start, end: at, names, values };
}

function valueEnd(bytes: Buffer, lists: Lists, start: number, depth: number): number {
  const code = byteAt(bytes, start);
  if (code === QUOTE) return stringEnd(bytes, start);
  if (code === OPEN_OBJECT) return objectEnd(bytes, lists, start, depth + 1);
  if (code === OPEN_ARRAY) return arrayEnd(bytes, lists, start, depth + 1);
  return isBlank(code) ? valueEnd(bytes, lists, blanksEnd(bytes, start), depth) : wordEnd(bytes, start);
}

function arrayEnd(bytes: Buffer, lists: Lists, start: number, depth: number): number {
  if (depth > DEEPEST) throw new NotJson(TOO_DEEP);
  let at = openingEnd(bytes, start, CLOSE_ARRAY);
  while (bytes[at - 1] !== CLOSE_ARRAY) at = separatorEnd(bytes, valueEnd(bytes, lists, at, depth), CLOSE_ARRAY);
  return at;
}

function objectEnd(bytes: Buffer, lists: Lists, start: number, depth: number): number {
  if (depth > DEEPEST) throw new NotJson(TOO_DEEP);
  const names = listOfLast(lists, depth);
  let at = openingEnd(bytes, start, CLOSE_OBJECT);
  for (let index = 0; bytes[at - 1] !== CLOSE_OBJECT; index++) {
    const value = signEnd(bytes, nameEnd(bytes, signEnd(bytes, at, QUOTE), names, index), COLON);
    at = separatorEnd(bytes, valueEnd(bytes, lists, value, depth), CLOSE_OBJECT);
  }
  requireUnique(names.texts);
  return at;
}

/** The position after the bracket, or after both if nothing is between them. */
function openingEnd(bytes: Buffer, start: number, close: number): number {
  const first = blanksEnd(bytes, start + 1);
  return byteAt(bytes, first) === close ? first + 1 : start + 1;
}

/** Objects of a list mostly have the same names, so the names of the last one at this level stay. */
function listOfLast(lists: Lists, depth: number): Names {
  const list = lists[depth];
  if (list !== undefined && list.texts.length <= FEW) return list;
  const made: Names = { texts: [], starts: [], ends: [] };
  lists[depth] = made;
  return made;
}

/** The same bytes as in the last object are the same name, which differs from all names before it. */
function nameEnd(bytes: Buffer, start: number, names: Names, index: number): number {
  if (index >= names.starts.length) return newNameEnd(bytes, start, names);
  const from = names.starts[index] as number;
  const end = start + (names.ends[index] as number) - from;
  let at = byteAt(bytes, end) === QUOTE ? start : end + 1;
  while (at < end && bytes[at] === bytes[from + at - start]) at++;
  return at === end ? end + 1 : otherNameEnd(bytes, start, names, index);
}

function otherNameEnd(bytes: Buffer, start: number, names: Names, index: number): number {
  for (const list of [names.texts, names.starts, names.ends]) list.length = index;
  return newNameEnd(bytes, start, names);
}

function newNameEnd(bytes: Buffer, start: number, { texts, starts, ends }: Names): number {
  const end = stringEnd(bytes, start - 1);
  addUnique(texts, stringIn(bytes, start - 1, end));
  starts.push(start);
  ends.push(end - 1);
  return end;
}

const TOO_DEEP = `it is nested more than ${DEEPEST} levels deep`;
const TWICE = 'an object contains the same name twice';

function addUnique(names: string[], name: string): void {
  if (names.length < FEW && names.includes(name)) throw new NotJson(TWICE);
  names.push(name);
}

function requireUnique(names: readonly string[]): void {
  if (names.length > FEW && new Set(names).size < names.length) throw new NotJson(TWICE);
}
