import { IS_LENGTH, IS_TOKEN, NO_TARGET, NO_VALUE } from '../../message/http-grammar.ts';
import type { Lines } from '../../message/lines.ts';

/** A request as the relay sends it; names and values in turn. */
export interface RequestLines {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly string[];
  /** The beginning of `fields`, if it is the same as before. */
  readonly known?: Lines | undefined;
  /** What the connection is to become; undefined: nothing else. */
  readonly upgrade: string | undefined;
  /** Bytes of content that follow; undefined: as many as Content-Length says, or as come. */
  readonly content: number | undefined;
  readonly keepAlive: boolean;
}

export interface WrittenHead {
  readonly text: string;
  /** Bytes of content that were announced; undefined: none were. */
  readonly length: number | undefined;
  /** Whether the content goes in chunks. */
  readonly isChunked: boolean;
}

/** Nothing that we send ends a line but we (RFC 9112 §2.2): what cannot stand in a field makes the request none. */
export class InvalidRequest extends Error {
  readonly code = 'UND_ERR_INVALID_ARG';
}

/** A server may expect content with these methods, so a missing length would mean an unknown length (RFC 9110 §8.6). */
const EXPECT_CONTENT: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Throws InvalidRequest. */
export function writeHead(lines: RequestLines): WrittenHead {
  const { method, path, fields, known, upgrade, content, keepAlive } = lines;
  if (!IS_TOKEN.test(method) || path === '' || NO_TARGET.test(path)) throw new InvalidRequest('no request line');
  // RFC 9112 §6.3: an answer to it would begin a tunnel.
  if (method === 'CONNECT') throw new InvalidRequest('CONNECT is no request for an upstream');
  if (upgrade !== undefined && NO_VALUE.test(upgrade)) throw new InvalidRequest('no protocol');
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
  // At once, since an expression costs more to start than to run: all are tokens, or values, if what they make together is.
  if (NO_VALUE.test(values) || (names !== '' && !IS_TOKEN.test(names)))
    throw new InvalidRequest(`the value of ${nameOfFault(fields)}`);
  // RFC 9112 §6.3: what is longer or shorter than it says makes another request of the rest.
  if (content !== undefined && length !== undefined && content !== Number(length))
    throw new InvalidRequest('the content is not as long as it says');
  const isChunked = content === undefined && length === undefined;
  if (isChunked) text += 'transfer-encoding: chunked\r\n';
  else if (length === undefined && (content !== 0 || EXPECT_CONTENT.has(method)))
    text += `content-length: ${content}\r\n`;
  text += connectionLines(upgrade, keepAlive);
  return { text, length: length === undefined ? undefined : Number(length), isChunked };
}

const NOTHING = { text: '', size: 0 };

/** Lines that were judged before. Framing is judged with each message. */
function beginning(known: Lines | undefined): { readonly text: string; readonly size: number } {
  const written = known?.written;
  if (known === undefined || written === undefined || written.hasLength || written.hasCoding) return NOTHING;
  return { text: written.text, size: known.fields.length };
}

function nameOfFault(fields: readonly string[]): string | undefined {
  return fields.find((name, at) => at % 2 === 0 && (!IS_TOKEN.test(name) || NO_VALUE.test(fields[at + 1] as string)));
}

/** By the length first, since most names are none of these. */
function isFrame(name: string): boolean {
  if (name.length === 14) return name.toLowerCase() === 'content-length';
  return name.length === 17 && name.toLowerCase() === 'transfer-encoding';
}

function readLength(name: string, value: string, before: string | undefined): string {
  if (name.length !== 14 || before !== undefined || !IS_LENGTH.test(value))
    throw new InvalidRequest(`the framing is ours to say, not that of ${name}`);
  return value;
}

function connectionLines(upgrade: string | undefined, keepAlive: boolean): string {
  if (upgrade !== undefined) return `connection: upgrade\r\nupgrade: ${upgrade}\r\n\r\n`;
  return keepAlive ? 'connection: keep-alive\r\n\r\n' : 'connection: close\r\n\r\n';
}
