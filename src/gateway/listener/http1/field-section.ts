import { ownText } from '../../../base/own-text.ts';
import { FIELD_LINE, NO_VALUE, TOKEN, VALUE } from '../../message/http-grammar.ts';
import { trimmed } from '../../message/raw-fields.ts';

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
  /** The one Authorization line. Undefined: there is none, or there are several. */
  readonly credential: CredentialLine | undefined;
  /** It differs from the section before only in the value of its credential. */
  readonly isKin: boolean;
}

export interface CredentialLine {
  /** The position of the name in `rawHeaders`. */
  readonly index: number;
  /** The value in the text, with the whitespace around it. */
  readonly from: number;
  readonly to: number;
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
  let credentials = 0;
  let credential: CredentialLine | undefined;
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r\n', colon);
    const { name, role } = nameOf(text.slice(at, colon));
    const value = trimmed(text, colon + 1, end);
    if (role === 'host') hosts++;
    else if (role === 'credential') {
      credentials++;
      credential = { index: rawHeaders.length, from: colon + 1, to: end };
    } else if (role === 'connection') {
      if (connection !== undefined) return undefined;
      connection = value.toLowerCase();
    } else if (role === 'length') {
      if (length !== undefined || !LENGTH.test(value)) return undefined;
      length = Number(value);
    } else if (role === 'foreign') return undefined;
    rawHeaders.push(name, value);
    at = end + 2;
  }
  // RFC 9112 §3.2: a request needs exactly one Host. The engine refuses other requests, but only after Node's parser
  // has read them.
  if (hosts !== 1 || !isPlainConnection(connection)) return undefined;
  if (credentials !== 1) credential = undefined;
  return { text, rawHeaders, isLast: connection === 'close', length, credential, isKin: false };
}

/**
 * The section of a client with a new credential: each request of Digest has one, and a connection of a proxy carries
 * several clients. Undefined: more than the credential differs from the section before, or the value is invalid.
 */
export function readKin(text: string, before: FieldSection): FieldSection | undefined {
  const { credential } = before;
  if (credential === undefined) return undefined;
  const { index, from, to } = credential;
  const end = text.length - (before.text.length - to);
  const isKin = end >= from && text.startsWith(before.text.slice(0, from)) && text.endsWith(before.text.slice(to));
  if (!isKin || NO_VALUE.test(text.slice(from, end))) return undefined;
  // Slices of the first section would keep its credential in memory.
  const rawHeaders = before.isKin ? before.rawHeaders.slice() : before.rawHeaders.map(ownText);
  rawHeaders[index + 1] = trimmed(text, from, end);
  const { isLast, length } = before;
  return { text, rawHeaders, isLast, length, credential: { index, from, to: end }, isKin };
}

/** RFC 9110 §8.6, without leading zeros: content that one read can bring has five digits at most. */
const LENGTH = /^(?:0|[1-9]\d{0,4})$/;

/** Any other option is about fields of this connection, or about its further use. */
function isPlainConnection(value: string | undefined): boolean {
  return value === undefined || value === 'keep-alive' || value === 'close';
}

/** What a field says about the message around it. */
type Role = 'none' | 'host' | 'connection' | 'length' | 'credential' | 'foreign';

/** Fields about content in chunks, about an answer before the content, or about another protocol. */
const FOREIGN = ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'proxy-connection'];

const roles: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['host', 'host'],
  ['connection', 'connection'],
  ['content-length', 'length'],
  ['authorization', 'credential'],
  ...FOREIGN.map((name) => [name, 'foreign'] as const),
]);

/**
 * Node's parser may refuse it at its first byte that is wrong, and does not wait for the end of the head. A head that arrives in
 * pieces and announces content belongs to it, too.
 */
const FOREIGN_LINE = new RegExp(`^(?:content-length|${FOREIGN.join('|')}):`, 'im');

interface Name {
  readonly name: string;
  readonly role: Role;
}

/**
 * The number and length of the spellings that are remembered. Clients repeat a few, so even a flood of others uses
 * limited memory.
 */
const MOST_NAMES = 1024;
const LONGEST_NAME = 64;
const names = new Map<string, Name>();

function nameOf(written: string): Name {
  const known = names.get(written);
  if (known !== undefined) return known;
  if (written.length > LONGEST_NAME) return { name: written, role: 'none' };
  if (names.size >= MOST_NAMES) names.clear();
  // Copies the text. A slice would keep the whole section in memory, with its credentials.
  const name = Buffer.from(written, 'latin1').toString('latin1');
  const entry = { name, role: roles.get(name.toLowerCase()) ?? 'none' };
  names.set(name, entry);
  return entry;
}
