import { knownText } from './known-texts.ts';
import { plainEnd } from './plain-bytes.ts';

/** The tokens of a JSON text in UTF-8 (RFC 8259). `…End` returns the position after a token, or throws `NotJson`. */

/** The text is not JSON, or readers could understand it differently. */
export class NotJson extends Error {}

export const [QUOTE, COLON] = [0x22, 0x3a];
export const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [TAB, NEWLINE, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const [BACKSLASH, PLUS, COMMA, MINUS, POINT, ZERO, NINE] = [0x5c, 0x2b, 0x2c, 0x2d, 0x2e, 0x30, 0x39];
const [SMALL_E, SMALL_F, SMALL_N, SMALL_T, SMALL_U] = [0x65, 0x66, 0x6e, 0x74, 0x75];
/** The difference between a small letter and its capital. */
const SMALL = 0x20;

const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const HEX: ReadonlySet<number> = new Set(Buffer.from('0123456789abcdefABCDEF'));

export function invalid(bytes: Buffer, at: number): NotJson {
  return new NotJson(`it is not one JSON value (character ${bytes.toString('utf8', 0, at).length + 1})`);
}

/** -1: the text has ended. V8 reads bytes faster if no position is beyond the end. */
export function byteAt(bytes: Buffer, at: number): number {
  return at < bytes.length ? (bytes[at] as number) : -1;
}

export function isBlank(code: number): boolean {
  return code <= SPACE && (code === SPACE || code === NEWLINE || code === RETURN || code === TAB);
}

export function blanksEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (isBlank(byteAt(bytes, at))) at++;
  return at;
}

/** The end of this character. Blanks may come before it, but few texts have any. */
export function signEnd(bytes: Buffer, from: number, code: number): number {
  const at = byteAt(bytes, from) === code ? from : blanksEnd(bytes, from);
  if (byteAt(bytes, at) !== code) throw invalid(bytes, at);
  return at + 1;
}

/** The end of a comma between elements, or of the bracket after the last one. */
export function separatorEnd(bytes: Buffer, from: number, close: number): number {
  const code = byteAt(bytes, from);
  if (code === COMMA || code === close) return from + 1;
  const at = blanksEnd(bytes, from);
  return signEnd(bytes, at, byteAt(bytes, at) === COMMA ? COMMA : close);
}

export function stringEnd(bytes: Buffer, start: number): number {
  const at = plainEnd(bytes, start + 1);
  const code = byteAt(bytes, at);
  if (code === QUOTE) return at + 1;
  if (code !== BACKSLASH) throw invalid(bytes, at);
  return escapedEnd(bytes, start, at);
}

/** `first`: the first backslash. */
function escapedEnd(bytes: Buffer, start: number, first: number): number {
  let at = first;
  let mayBeHalf = false;
  while (byteAt(bytes, at) === BACKSLASH) {
    mayBeHalf ||= byteAt(bytes, at + 1) === SMALL_U;
    at = plainEnd(bytes, escapeEnd(bytes, at));
  }
  if (byteAt(bytes, at) !== QUOTE) throw invalid(bytes, at);
  // The bytes are UTF-8, so only an escape can be half of a pair.
  if (mayBeHalf && !stringIn(bytes, start, at + 1).isWellFormed())
    throw new NotJson('a string contains half of a surrogate pair');
  return at + 1;
}

function escapeEnd(bytes: Buffer, at: number): number {
  const code = byteAt(bytes, at + 1);
  if (ESCAPED.has(code)) return at + 2;
  if (code !== SMALL_U) throw invalid(bytes, at);
  for (let digit = at + 2; digit < at + 6; digit++) if (!HEX.has(byteAt(bytes, digit))) throw invalid(bytes, at);
  return at + 6;
}

/** The decoded text of a string that was read. */
export function stringIn(bytes: Buffer, start: number, end: number): string {
  const text = knownText(bytes, start + 1, end - 1);
  return text.includes('\\') ? JSON.parse(`"${text}"`) : text;
}

/** A number, `true`, `false` or `null`. */
export function wordEnd(bytes: Buffer, start: number): number {
  const code = byteAt(bytes, start);
  if (code === MINUS || isDigit(code)) return numberEnd(bytes, start);
  if (code === SMALL_T && fourAt(bytes, start) === TRUE) return start + 4;
  if (code === SMALL_F && fourAt(bytes, start + 1) === ALSE) return start + 5;
  if (code === SMALL_N && fourAt(bytes, start) === NULL) return start + 4;
  throw invalid(bytes, start);
}

/** The value of a number, `true`, `false` or `null` that was read. */
export function wordIn(bytes: Buffer, start: number, end: number): number | boolean | null {
  const text = knownText(bytes, start, end);
  const literal = LITERALS.get(text);
  return literal === undefined ? Number(text) : literal;
}

const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function fourAt(bytes: Buffer, at: number): number {
  return (twoAt(bytes, at) << 16) | twoAt(bytes, at + 2);
}

function twoAt(bytes: Buffer, at: number): number {
  return (byteAt(bytes, at) << 8) | byteAt(bytes, at + 1);
}

const [TRUE, ALSE, NULL] = [
  fourAt(Buffer.from('true'), 0),
  fourAt(Buffer.from('alse'), 0),
  fourAt(Buffer.from('null'), 0),
];

function numberEnd(bytes: Buffer, start: number): number {
  const first = byteAt(bytes, start) === MINUS ? start + 1 : start;
  let at = digitsEnd(bytes, first);
  if (at > first + 1 && bytes[first] === ZERO) throw invalid(bytes, start);
  if (byteAt(bytes, at) === POINT) at = digitsEnd(bytes, at + 1);
  if ((byteAt(bytes, at) | SMALL) !== SMALL_E) return at;
  const sign = byteAt(bytes, at + 1);
  return digitsEnd(bytes, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
}

/** One digit or more. */
function digitsEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(byteAt(bytes, at))) at++;
  if (at === start) throw invalid(bytes, at);
  return at;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
