import { METHODS } from 'node:http';
import type { Code } from '../../message/codes.ts';

/** The head of a stream, as a message head that the engine can judge. */
export interface StreamHead {
  readonly method: string;
  readonly target: string;
  /** Like Node's `rawHeaders`: Host first, without pseudo-headers. */
  readonly rawHeaders: readonly string[];
  readonly notice: 'continue' | Code | undefined;
}

/** The parts of a head. */
interface Lines {
  readonly pseudo: Map<string, string>;
  readonly fields: string[];
  /** As an HTTP/1.1 parser counts: target, names and values. */
  size: number;
  host: string | undefined;
  cookies: number | undefined;
  expectation: string | undefined;
  hasLength: boolean;
}

const KNOWN: ReadonlySet<string> = new Set(METHODS);
const SCHEME = /^https?$/i;
/** Node.js reads Expect over HTTP/1.1 in the same way. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * RFC 9113 §8.3.1. `raw` alternates names and values as Node.js gives them. An earlier step has rejected what §8.2
 * calls malformed. A body without a length gets the line that says so in HTTP/1.1, because §8.2.2 has no other way.
 */
export function readStreamHead(raw: readonly string[], hasBody: boolean, headerSize: number): StreamHead {
  const lines = readLines(raw);
  const { pseudo, fields, host, hasLength } = lines;
  const method = pseudo.get(':method') ?? '';
  const authority = pseudo.get(':authority') ?? host;
  if (hasBody && !hasLength) fields.push('transfer-encoding', 'chunked');
  return {
    method,
    target: (method === 'CONNECT' ? authority : pseudo.get(':path')) ?? '',
    rawHeaders: authority === undefined ? fields : ['host', authority, ...fields],
    notice: faultOf(lines, method, headerSize) ?? expectationOf(lines),
  };
}

function readLines(raw: readonly string[]): Lines {
  const lines: Lines = {
    pseudo: new Map(),
    fields: [],
    size: 0,
    host: undefined,
    cookies: undefined,
    expectation: undefined,
    hasLength: false,
  };
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    const value = raw[i + 1] as string;
    lines.size += sizeOf(name, value);
    const read = special.get(name);
    if (name.startsWith(':')) lines.pseudo.set(name, value);
    else if (read === undefined) lines.fields.push(name, value);
    else read(lines, value);
  }
  return lines;
}

/** Fields that have a meaning for the whole head. */
const special: ReadonlyMap<string, (lines: Lines, value: string) => void> = new Map([
  [
    'host',
    (lines: Lines, value: string) => {
      lines.host = value;
    },
  ],
  [
    'expect',
    (lines: Lines, value: string) => {
      lines.expectation = value;
      lines.fields.push('expect', value);
    },
  ],
  [
    'content-length',
    (lines: Lines, value: string) => {
      lines.hasLength = true;
      lines.fields.push('content-length', value);
    },
  ],
  ['cookie', joinCookie],
]);

/** §8.2.3: a client may split a cookie. The pieces are joined before any other code reads them. */
function joinCookie(lines: Lines, value: string): void {
  const { fields, cookies } = lines;
  if (cookies === undefined) lines.cookies = fields.push('cookie', value) - 1;
  else fields[cookies] += `; ${value}`;
}

function sizeOf(name: string, value: string): number {
  if (name === ':authority') return 'host'.length + value.length;
  return name.startsWith(':') ? (name === ':path' ? value.length : 0) : name.length + value.length;
}

/** Faults that only an HTTP/2 head can have, or that an HTTP/1.1 parser would report. */
function faultOf({ pseudo, size, host }: Lines, method: string, headerSize: number): Code | undefined {
  const authority = pseudo.get(':authority');
  if (size >= headerSize) return 'headers_too_large';
  if (!KNOWN.has(method)) return 'message_malformed';
  if (method !== 'CONNECT' && !SCHEME.test(pseudo.get(':scheme') ?? '')) return 'target_malformed';
  // §8.3.1: Host and `:authority` must agree.
  if (host !== undefined && authority !== undefined && host.toLowerCase() !== authority.toLowerCase())
    return 'target_other_host';
  return undefined;
}

function expectationOf({ expectation }: Lines): StreamHead['notice'] {
  if (expectation === undefined) return undefined;
  return CONTINUE.test(expectation) ? 'continue' : 'expectation_failed';
}
