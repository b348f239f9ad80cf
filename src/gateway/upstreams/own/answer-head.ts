import { FIELD_LINE, IS_LENGTH, NO_LINE, NO_SECTION } from '../../message/http-grammar.ts';
import { trimmed } from '../../message/raw-fields.ts';
import { ForeignAnswer, InvalidAnswer } from './invalid-answer.ts';

/** Where the content of an answer ends (RFC 9112 §6.3). */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'sized'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until-close' };

export interface AnswerHead {
  readonly status: number;
  /** Names and values in turn, as received, without the whitespace around values. */
  readonly fields: readonly string[];
  readonly framing: Framing;
  /** Whether another request may follow on the connection. */
  readonly persists: boolean;
  /** Seconds for which the upstream keeps a connection open, from `Keep-Alive`. Undefined: it does not say. */
  readonly keepAlive: number | undefined;
}

/**
 * The strict part of RFC 9112 §4 and §5: no bare CR or LF, no folded line, no whitespace before a colon, no byte that a
 * field cannot contain. One expression covers the whole section, so the code below may split it without another check.
 * Only the reason phrase is free: clients ignore it (§4), and an error of the API may put user input there.
 */
const HEAD = new RegExp(`^HTTP/1\\.[01] [1-9][0-9]{2}(?: [^\\r\\n]*)?(?:\\r\\n${FIELD_LINE})*$`);

const FIELD = new RegExp(`^${FIELD_LINE}\\r\\n$`);

const NONE: Framing = { kind: 'none' };
const CHUNKED: Framing = { kind: 'chunked' };
const UNTIL_CLOSE: Framing = { kind: 'until-close' };

/**
 * `text`: the section in latin1, without the empty line that ends it. `isFirst`: it is the first one of its connection.
 * Throws InvalidAnswer.
 */
export function readAnswerHead(text: string, method: string, isFirst = true): AnswerHead {
  if (!HEAD.test(text)) throw refusal(text, method, isFirst);
  const status = Number(text.slice(9, 12));
  const line = text.indexOf('\r\n');
  const fields = line < 0 ? [] : cut(text, line + 2);
  return meant(fields, { status, method, isOld: text[7] === '0' });
}

/**
 * The beginnings of a head that only undici accepts: after one empty line, or with a version that this connection does
 * not use. The list contains no field, because clients may influence fields. For fields, undici accepts nothing that
 * HEAD rejects.
 */
const FOREIGN = /^(?:\r?\nHTTP\/1\.([01])|(?:\r?\n)?HTTP\/(?:(0)\.9|2\.0)) /;

/** Why a head is invalid. */
function refusal(text: string, method: string, isFirst: boolean): InvalidAnswer {
  const [beginning, minor, old] = FOREIGN.exec(text) ?? [];
  // After another answer, an empty line may be the late end of that answer's content, which a client may influence.
  const isOfBefore = !isFirst && !text.startsWith('HTTP/');
  if (beginning === undefined || isOfBefore) return new InvalidAnswer('the answer has no valid head');
  const rest = text.slice(beginning.length);
  try {
    // Without the foreign beginning, the recursion ends. The framing is judged like that of any other answer.
    readAnswerHead(`HTTP/1.${minor ?? old ?? '1'} ${rest}`, method);
  } catch (error) {
    return error as InvalidAnswer;
  }
  if (rest.startsWith('1')) return new InvalidAnswer('an interim answer begins in an unknown form');
  return new ForeignAnswer(`the answer begins with ${JSON.stringify(beginning)}`);
}

const BEGINNINGS = ['HTTP/1.', 'HTTP/0.9 ', 'HTTP/2.0 ', '\r\nHTTP/', '\nHTTP/'];

/**
 * `text`: a part of an incomplete head, which begins `at` bytes after the head's first byte. `isFirst`: the part begins
 * in the status line. Returns whether it also ends there. Throws InvalidAnswer.
 */
export function judgeBeginning(text: string, at: number, isFirst: boolean): boolean {
  // The end of a leading empty line is not the end of the status line.
  const end = isFirst ? text.indexOf('\n', Math.max(0, 2 - at)) : 0;
  const fields = end < 0 ? '' : text.slice(end);
  const isBeginning = BEGINNINGS.some((beginning) => text.startsWith(beginning.slice(at, at + text.length)));
  if (NO_LINE.test(text) || NO_SECTION.test(fields) || !isBeginning)
    throw new InvalidAnswer('the answer does not begin with a head');
  return end < 0;
}

/** A trailer section of validated lines, each with its line end. Throws InvalidAnswer. */
export function readTrailers(text: string): readonly string[] {
  // RFC 9110 §6.5.1: another recipient may have used a length that comes after the content.
  if (LENGTH_LINE.test(text)) throw new InvalidAnswer('Content-Length among the trailers');
  return cut(text, 0);
}

/** A line with its line end. Throws InvalidAnswer. */
export function judgeTrailer(line: string): void {
  if (!FIELD.test(line)) throw new InvalidAnswer('a trailer line is not a field');
}

/** RFC 9110 §7.8: a 101 must name the new protocol. Throws InvalidAnswer. */
export function judgeSwitch({ fields }: AnswerHead): void {
  const named = (name: string) =>
    fields.filter((_, index) => index % 2 === 1 && fields[index - 1]?.toLowerCase() === name).join(',');
  if (!/[^\t ,]/.test(named('upgrade')) || !hasToken(named('connection'), 'upgrade'))
    throw new InvalidAnswer('a protocol switch that does not name the new protocol');
}

const LENGTH_LINE = /^content-length:/im;

/** Splits lines that are valid fields. */
function cut(text: string, from: number): string[] {
  const fields: string[] = [];
  for (let at = from; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const found = text.indexOf('\r\n', colon);
    const end = found < 0 ? text.length : found;
    fields.push(text.slice(at, colon), trimmed(text, colon + 1, end));
    at = end + 2;
  }
  return fields;
}

interface Answered {
  readonly status: number;
  readonly method: string;
  /** HTTP/1.0. */
  readonly isOld: boolean;
}

/** The fields that decide how the connection continues. All other fields pass. */
interface Said {
  length: string | undefined;
  coding: string | undefined;
  connection: string;
  keepAlive: string | undefined;
}

function meant(fields: readonly string[], answered: Answered): AnswerHead {
  const said = listen(fields);
  const framing = framed(said, answered);
  if (answered.status < 200 && (answered.isOld || (answered.status !== 101 && closes(said.connection))))
    throw new InvalidAnswer('an interim answer in HTTP/1.0 or with Connection: close');
  const persists =
    !answered.isOld && framing.kind !== 'until-close' && !closes(said.connection) && !isOdd(said, answered);
  const keepAlive = said.keepAlive === undefined ? undefined : timeoutOf(said.keepAlive);
  return { status: answered.status, fields, framing, persists, keepAlive };
}

function listen(fields: readonly string[]): Said {
  const said: Said = { length: undefined, coding: undefined, connection: '', keepAlive: undefined };
  for (let i = 0; i < fields.length; i += 2) hear(said, fields[i] as string, fields[i + 1] as string);
  return said;
}

/**
 * Compares the length of a name first, without a nested table. This runs for each line of each answer, and a nested
 * table costs four times as much.
 */
function hear(said: Said, name: string, value: string): void {
  switch (name.length) {
    case 10:
    case 16:
      hearConnection(said, name.toLowerCase(), value);
      break;
    case 14:
      if (name.toLowerCase() === 'content-length') hearLength(said, value);
      break;
    case 17:
      if (name.toLowerCase() === 'transfer-encoding') hearCoding(said, value);
  }
}

function hearConnection(said: Said, name: string, value: string): void {
  // RFC 9112 §C.2.2: a server should not send Proxy-Connection. A server that does may mean it.
  if (name === 'connection' || name === 'proxy-connection')
    said.connection = said.connection === '' ? value : `${said.connection},${value}`;
  else if (name === 'keep-alive') said.keepAlive = said.keepAlive === undefined ? value : `${said.keepAlive},${value}`;
}

function hearLength(said: Said, value: string): void {
  if (said.length !== undefined) throw new InvalidAnswer('Content-Length occurs twice');
  said.length = value;
}

function hearCoding(said: Said, value: string): void {
  if (said.coding !== undefined) throw new InvalidAnswer('Transfer-Encoding occurs twice');
  said.coding = value;
}

function framed({ length, coding }: Said, { status, method, isOld }: Answered): Framing {
  if (length !== undefined && !IS_LENGTH.test(length)) throw new InvalidAnswer('Content-Length is not a valid length');
  if (coding !== undefined) judgeCoding(coding, isOld, length);
  // RFC 9112 §6.1, RFC 9110 §8.6: a recipient that trusts the field reads the next answer as this one's content.
  if (status < 200 && announces({ length, coding }))
    throw new InvalidAnswer('an interim answer that announces content');
  if (method === 'HEAD' || status < 200 || isBare(status)) return NONE;
  if (coding !== undefined) return CHUNKED;
  if (length === undefined) return UNTIL_CLOSE;
  return Number(length) === 0 ? NONE : { kind: 'sized', length: Number(length) };
}

function judgeCoding(coding: string, isOld: boolean, length: string | undefined): void {
  if (coding.toLowerCase() !== 'chunked') throw new InvalidAnswer('a transfer coding other than chunked');
  // RFC 9112 §6.1 and §6.3: either field can smuggle an answer past a recipient that trusts the other.
  if (isOld) throw new InvalidAnswer('Transfer-Encoding in HTTP/1.0');
  if (length !== undefined) throw new InvalidAnswer('both Transfer-Encoding and Content-Length');
}

/**
 * These answers have no content (RFC 9112 §6.3), but some servers send it, even late. The gateway would read it as the
 * next answer. The head of an answer to HEAD looks like the head of an answer to GET, so it never shows this fault. The
 * head of a 204 or 304 shows it.
 */
function isOdd({ length, coding }: Said, { status, method }: Answered): boolean {
  return method === 'HEAD' || (isBare(status) && announces({ length, coding }));
}

function isBare(status: number): boolean {
  return status === 204 || status === 304;
}

function announces({ length, coding }: Pick<Said, 'length' | 'coding'>): boolean {
  return coding !== undefined || (length !== undefined && Number(length) > 0);
}

function closes(connection: string): boolean {
  return connection !== '' && connection !== 'keep-alive' && hasToken(connection, 'close');
}

function hasToken(list: string, token: string): boolean {
  return list
    .toLowerCase()
    .split(',')
    .some((each) => each.trim() === token);
}

/**
 * Whole seconds. If the value is repeated or malformed, the smallest one counts, because ending a connection too early
 * costs little.
 */
function timeoutOf(value: string): number | undefined {
  const said = [...value.matchAll(/timeout[\t ]*=[\t "]*([0-9]+)/gi)].map(([, seconds]) => Number(seconds));
  return said.length === 0 ? undefined : Math.min(...said);
}
