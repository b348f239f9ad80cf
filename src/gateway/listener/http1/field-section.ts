import { FIELD_LINE, TOKEN, VALUE } from '../../message/http-grammar.ts';
import { trimmed } from '../../message/raw-fields.ts';
import { FOREIGN, nameOf, type Role } from './field-names.ts';

/** The header section of a request. */
export interface FieldSection {
  /** The received text in latin1. Equal texts mean equal sections. */
  readonly text: string;
  /** Name, value, … as received. */
  readonly rawHeaders: readonly string[];
  /** `Connection: close`: no request follows. */
  readonly isLast: boolean;
  /** Bytes of content. Undefined: the request has none. */
  readonly length: number | undefined;
  /** Where `rawHeaders` has the names whose values differ from the section before. Undefined: anything may differ. */
  readonly changed: readonly number[] | undefined;
  /** Each line, with memory of its own. Undefined: not needed until now. */
  readonly lines?: readonly KnownLine[];
}

export interface KnownLine {
  /** The whole line, with its end. */
  readonly text: string;
  /** The name as written, with the colon. */
  readonly start: string;
  readonly role: Role;
}

/**
 * The strict part of RFC 9112 §5, which Node's parser reads the same: no folded line, no bare CR or LF, no whitespace
 * before a colon. One expression covers the whole section, so the code below may split it without another check.
 */
const SECTION = new RegExp(`^(?:${FIELD_LINE}\\r\\n)+$`);

/** An incomplete section that can still become a valid one. */
const BEGINNING = new RegExp(`^(?:${FIELD_LINE}\\r\\n)*(?:\\r|${TOKEN}(?::${VALUE}\\r?)?)?$`);

export function mayBecomeSection(text: string): boolean {
  return BEGINNING.test(text) && !FOREIGN_LINE.test(text);
}

/**
 * @param text the lines of the section in latin1, each with its line end, without the empty line after them
 * @returns undefined: Node's parser judges the section
 */
export function readSection(text: string): FieldSection | undefined {
  if (!SECTION.test(text)) return undefined;
  const rawHeaders: string[] = [];
  let hosts = 0;
  let connection: string | undefined;
  let length: number | undefined;
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r\n', colon);
    const { name, role } = nameOf(text.slice(at, colon));
    const value = trimmed(text, colon + 1, end);
    if (role === 'host') hosts++;
    else if (role === 'connection') {
      if (connection !== undefined) return undefined;
      connection = value.toLowerCase();
    } else if (role === 'length') {
      if (length !== undefined || !isPlainLength(value)) return undefined;
      length = Number(value);
    } else if (role === 'foreign') return undefined;
    rawHeaders.push(name, value);
    at = end + 2;
  }
  // RFC 9112 §3.2: a request needs exactly one Host. The engine refuses other requests, but only after Node's parser
  // has read them.
  if (hosts !== 1 || !isPlainConnection(connection)) return undefined;
  return { text, rawHeaders, isLast: connection === 'close', length, changed: undefined };
}

/** RFC 9110 §8.6, without leading zeros: content that one read can bring has five digits at most. */
const LENGTH = /^(?:0|[1-9]\d{0,4})$/;

export function isPlainLength(value: string): boolean {
  return LENGTH.test(value);
}

/** Any other option is about fields of this connection, or about its further use. */
function isPlainConnection(value: string | undefined): boolean {
  return value === undefined || value === 'keep-alive' || value === 'close';
}

/**
 * Node's parser may refuse it at its first byte that is wrong, and does not wait for the end of the head. A head that arrives in
 * pieces and announces content belongs to it, too.
 */
const FOREIGN_LINE = new RegExp(`^(?:content-length|${FOREIGN.join('|')}):`, 'im');
