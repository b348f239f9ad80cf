import { IS_LENGTH, IS_TOKEN, NO_TARGET, NO_VALUE } from '../../message/http-grammar.ts';
import type { Lines } from '../../message/lines.ts';

/** A request from the relay, with names and values in turn. */
export interface RequestLines {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly string[];
  /** The beginning of `fields`, if it is unchanged since the last request. */
  readonly known?: Lines | undefined;
  /** The protocol to switch to. Undefined: no switch. */
  readonly upgrade: string | undefined;
  /** Bytes of content that follow. Undefined: as Content-Length says, or until the body ends. */
  readonly content: number | undefined;
  readonly keepAlive: boolean;
}

export interface WrittenHead {
  readonly text: string;
  /** Announced bytes of content. Undefined: none. */
  readonly length: number | undefined;
  /** Whether the content is chunked. */
  readonly isChunked: boolean;
}

/**
 * Only the gateway may end a line (RFC 9112 §2.2). A request with characters that a field cannot contain is invalid.
 */
export class InvalidRequest extends Error {
  readonly code = 'UND_ERR_INVALID_ARG';
}

/** A server may expect content with these methods. A missing length would mean an unknown length (RFC 9110 §8.6). */
export const EXPECT_CONTENT: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Throws InvalidRequest. */
export function writeHead(lines: RequestLines): WrittenHead {
  const { method, path, fields, known, upgrade, content, keepAlive } = lines;
  if (!IS_TOKEN.test(method) || path === '' || NO_TARGET.test(path)) throw new InvalidRequest('invalid request line');
  // RFC 9112 §6.3: an answer to CONNECT would begin a tunnel.
  if (method === 'CONNECT') throw new InvalidRequest('the gateway sends no CONNECT to an upstream');
  if (upgrade !== undefined && NO_VALUE.test(upgrade)) throw new InvalidRequest('invalid protocol name');
  const before = beginning(known);
  let text = `${method} ${path} HTTP/1.1\r\n${before.text}`;
  let [names, values] = ['', ''];
  let length: string | undefined;
  for (let i = before.size; i < fields.length; i += 2) {
    const name = fields[i] as string;
    const value = fields[i + 1] as string;
    if (name === '') throw new InvalidRequest('a field without a name');
    names += name;
    values += value;
    if (isFrame(name)) length = readLength(name, value, length);
    text += `${name}: ${value}\r\n`;
  }
  // Judges all names and values at once, because an expression costs more to start than to run. If the joined text is
  // valid, each part is.
  if (NO_VALUE.test(values) || (names !== '' && !IS_TOKEN.test(names)))
    throw new InvalidRequest(`invalid value of ${nameOfFault(fields)}`);
  // RFC 9112 §6.3: if the content has a different length than announced, the rest becomes another request.
  if (content !== undefined && length !== undefined && content !== Number(length))
    throw new InvalidRequest('the length of the content differs from Content-Length');
  const isChunked = content === undefined && length === undefined;
  if (isChunked) text += 'transfer-encoding: chunked\r\n';
  else if (length === undefined && (content !== 0 || EXPECT_CONTENT.has(method)))
    text += `content-length: ${content}\r\n`;
  text += connectionLines(upgrade, keepAlive);
  return { text, length: length === undefined ? undefined : Number(length), isChunked };
}

const NOTHING = { text: '', size: 0 };

/** Reuses lines that were judged before. Framing is judged with each message. */
function beginning(known: Lines | undefined): { readonly text: string; readonly size: number } {
  const written = known?.written;
  if (known === undefined || written === undefined || written.hasLength || written.hasCoding) return NOTHING;
  return { text: written.text, size: known.fields.length };
}

function nameOfFault(fields: readonly string[]): string | undefined {
  return fields.find((name, at) => at % 2 === 0 && (!IS_TOKEN.test(name) || NO_VALUE.test(fields[at + 1] as string)));
}

/** Compares the length first, because most names are none of these. */
function isFrame(name: string): boolean {
  if (name.length === 14) return name.toLowerCase() === 'content-length';
  return name.length === 17 && name.toLowerCase() === 'transfer-encoding';
}

function readLength(name: string, value: string, before: string | undefined): string {
  if (name.length !== 14 || before !== undefined || !IS_LENGTH.test(value))
    throw new InvalidRequest(`${name} is not allowed, occurs twice or is not a valid length`);
  return value;
}

function connectionLines(upgrade: string | undefined, keepAlive: boolean): string {
  if (upgrade !== undefined) return `connection: upgrade\r\nupgrade: ${upgrade}\r\n\r\n`;
  return keepAlive ? 'connection: keep-alive\r\n\r\n' : 'connection: close\r\n\r\n';
}
