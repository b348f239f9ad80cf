import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import { IS_TOKEN, NO_VALUE } from '../../message/http-grammar.ts';
import type { WrittenLines } from '../../message/lines.ts';

/** The head of an answer, and what its fields say about the message. */
export interface WrittenFields {
  /** The status line and the fields, each with its line end. */
  readonly text: string;
  readonly hasLength: boolean;
}

class InvalidStatus extends RangeError {
  readonly code = 'ERR_HTTP_INVALID_STATUS_CODE';
}

const FIRST_STATUS = 100;
const LAST_STATUS = 999;

const NONE = { text: '', hasLength: false, hasDate: false };

/**
 * Writes fields like Node's server: in their order, then Date. Throws if a field cannot be written. `before`: lines
 * that go first and are already judged.
 */
export function writeFields(
  status: number,
  fields: readonly string[],
  before: Pick<WrittenLines, 'text' | 'hasLength' | 'hasDate'> = NONE,
): WrittenFields {
  let { text, hasLength, hasDate } = before;
  let names = '';
  let values = '';
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string;
    const value = fields[i + 1] as string;
    // An empty name would disappear in the joined text.
    names += name === '' ? ' ' : name;
    values += value;
    text += `${name}: ${value}\r\n`;
    if (name.length === 14) hasLength ||= name.toLowerCase() === 'content-length';
    else if (name.length === 4) hasDate ||= name.toLowerCase() === 'date';
  }
  // Judges all values at once, because an expression costs more to start than to run. No value may contain a line end.
  if (NO_VALUE.test(values) || (names !== '' && !IS_TOKEN.test(names))) judge(fields);
  return { text: statusLine(status) + text + (hasDate ? '' : dateLine()), hasLength };
}

/** Throws the same error as Node's own answer. */
function judge(fields: readonly string[]): void {
  for (let i = 0; i < fields.length; i += 2) {
    validateHeaderName(fields[i] as string);
    validateHeaderValue(fields[i] as string, fields[i + 1] as string);
  }
  throw new TypeError('the fields of an answer are not valid header lines');
}

/** RFC 9110 §6.5. Throws if a trailer cannot be written. */
export function writeTrailers(fields: readonly (readonly [string, string])[]): string {
  let text = '';
  for (const [name, value] of fields) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

const statusLines = new Map<number, string>();

function statusLine(status: number): string {
  const known = statusLines.get(status);
  if (known !== undefined) return known;
  if (!(status >= FIRST_STATUS && status <= LAST_STATUS)) throw new InvalidStatus(`status ${status}`);
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  statusLines.set(status, line);
  return line;
}

let second = Number.NaN;
let line = '';

/** RFC 9110 §6.6.1. The line is made once a second. */
function dateLine(): string {
  const now = Date.now();
  const current = Math.floor(now / 1000);
  if (current !== second) line = `Date: ${new Date(now).toUTCString()}\r\n`;
  second = current;
  return line;
}
