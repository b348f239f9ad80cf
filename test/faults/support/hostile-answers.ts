import type { RawResponse } from '../../support/raw-response.ts';
import { FIN, type Piece, RST } from './played-answer.ts';
import { tagged } from './tagged-upstream.ts';

/** What the client gets. */
export type Outcome =
  /** Our 502. */
  | 'invalid'
  /** 504 of ours. */
  | 'silent'
  /** The connection breaks off: what came is no complete answer. */
  | 'cut'
  | Relayed;

/** The upstream's answer, and the expected result. */
export interface Relayed {
  readonly status: number;
  readonly body: (tag: string) => string;
  readonly holds?: (response: RawResponse) => boolean;
}

export interface HostileAnswer {
  readonly name: string;
  /** GET by default. */
  readonly request?: 'HEAD' | 'POST' | 'half POST' | 'handshake';
  readonly says: (tag: string) => Iterable<Piece>;
  readonly outcome: Outcome;
  /** The framing is correct, so the connection may carry the next request. */
  readonly keeps?: true;
  /**
   * In excess, and later. HTTP/1.1 cannot distinguish it from the answer to a request that was sent in between (RFC
   * 9112 §9.3.2).
   */
  readonly late?: true;
  /** It takes as long as a time limit, or uses much memory. */
  readonly heavy?: true;
  /** A time limit of the gateway ends it. All others are answered, however slow the machine is. */
  readonly byTime?: true;
  /** The result with our own engine, if it differs. RFC 9112 supports our engine. */
  readonly own?: Pick<HostileAnswer, 'outcome' | 'keeps'>;
}

const own: Relayed = { status: 200, body: (tag) => `for ${tag}` };
const refused = { outcome: 'invalid' } as const;
const empty: Relayed = { status: 200, body: () => '' };

/** A head of 200 with these lines, and the bytes after it. */
function ok(lines: readonly string[], rest = ''): string {
  return `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${rest}`;
}

const CHUNKED = 'transfer-encoding: chunked';

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** A chunked answer with these bytes after the first chunk. */
function chunks(tag: string, rest: string): string {
  return ok([CHUNKED, `x-answer: ${tag}`], chunk(`for ${tag}`) + rest);
}

/** A whole answer with these additional lines. */
function withLines(...lines: readonly string[]): (tag: string) => readonly Piece[] {
  return (tag) => [tagged(tag, { headers: lines.map((line) => `${line}\r\n`).join('') })];
}

function fixed(...pieces: readonly Piece[]): () => readonly Piece[] {
  return () => pieces;
}

function* endless(first: string, each: string, pause?: number): Generator<Piece> {
  yield first;
  for (;;) {
    yield each;
    if (pause !== undefined) yield pause;
  }
}

function stray(tag: string): string {
  return tagged(`stray-${tag}`);
}

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
const lacks = (name: string) => (response: RawResponse) => response.all(name).length === 0;

/** More than was requested. No client gets the excess, and its connection is not used again. */
const excess: readonly HostileAnswer[] = [
  { name: 'two answers to one request', says: (tag) => [tagged(tag) + stray(tag)], outcome: own },
  { name: 'a second answer a moment later', says: (tag) => [tagged(tag), 5, stray(tag)], outcome: own, late: true },
  { name: 'bytes behind Content-Length', says: (tag) => [`${tagged(tag)}stray`], outcome: own },
  { name: 'one byte behind Content-Length', says: (tag) => [`${tagged(tag)}x`], outcome: own },
  { name: 'bytes behind the last chunk', says: (tag) => [chunks(tag, '0\r\n\r\nstray')], outcome: own },
  { name: 'an answer behind the last chunk', says: (tag) => [chunks(tag, `0\r\n\r\n${stray(tag)}`)], outcome: own },
  {
    name: 'a body behind 204',
    says: (tag) => [`HTTP/1.1 204 No Content\r\nx-answer: ${tag}\r\n\r\nstray`],
    outcome: { status: 204, body: () => '' },
  },
  {
    name: 'an answer behind 204, announced by Content-Length',
    says: (tag) => [`HTTP/1.1 204 No Content\r\ncontent-length: ${stray(tag).length}\r\n\r\n${stray(tag)}`],
    outcome: { status: 204, body: () => '', holds: lacks('content-length') },
  },
  {
    name: 'an answer behind 304, announced by Content-Length',
    says: (tag) => [`HTTP/1.1 304 Not Modified\r\ncontent-length: ${stray(tag).length}\r\n\r\n${stray(tag)}`],
    outcome: { status: 304, body: () => '' },
  },
  {
    name: 'chunks behind 304',
    says: (tag) => [`HTTP/1.1 304 Not Modified\r\n${CHUNKED}\r\nx-answer: ${tag}\r\n\r\n${chunk('stray')}0\r\n\r\n`],
    outcome: { status: 304, body: () => '', holds: lacks('transfer-encoding') },
  },
  { name: 'a body behind the head for HEAD', request: 'HEAD', says: (tag) => [tagged(tag)], outcome: empty },
  {
    name: 'an answer behind the head for HEAD',
    request: 'HEAD',
    says: (tag) => [ok(['content-length: 0']) + stray(tag)],
    outcome: empty,
  },
  {
    name: 'an answer behind one that says close',
    says: (tag) => [tagged(tag, { headers: 'connection: close\r\n' }) + stray(tag)],
    outcome: own,
  },
];

/** The end of the body is given twice, wrongly or not at all (RFC 9112 §6.3). */
const lengths: readonly HostileAnswer[] = [
  {
    name: 'Content-Length and chunked',
    says: (tag) => [ok(['content-length: 3', CHUNKED], `${chunk(tag)}0\r\n\r\n`)],
    outcome: 'invalid',
  },
  {
    name: 'chunked and Content-Length',
    says: (tag) => [ok([CHUNKED, 'content-length: 3'], `${chunk(tag)}0\r\n\r\n`)],
    outcome: 'invalid',
  },
  {
    name: 'two Content-Length that differ',
    says: fixed(ok(['content-length: 2', 'content-length: 3'], 'abc')),
    outcome: 'invalid',
  },
  {
    name: 'two Content-Length that are equal',
    says: fixed(ok(['content-length: 3', 'content-length: 3'], 'abc')),
    outcome: 'invalid',
  },
  { name: 'a list in Content-Length', says: fixed(ok(['content-length: 3, 3'], 'abc')), outcome: 'invalid' },
  { name: 'a negative Content-Length', says: fixed(ok(['content-length: -1'], 'abc')), outcome: 'invalid' },
  { name: 'a hexadecimal Content-Length', says: fixed(ok(['content-length: 0x3'], 'abc')), outcome: 'invalid' },
  { name: 'a Content-Length with a sign', says: fixed(ok(['content-length: +3'], 'abc')), outcome: 'invalid' },
  { name: 'a Content-Length with a space in it', says: fixed(ok(['content-length: 3 3'], 'abc')), outcome: 'invalid' },
  { name: 'an empty Content-Length', says: fixed(ok(['content-length:'], 'abc')), outcome: 'invalid' },
  {
    name: 'a Content-Length beyond 64 bits',
    says: fixed(ok(['content-length: 18446744073709551619'], 'abc')),
    outcome: 'invalid',
  },
  {
    name: 'a Content-Length beyond what a double counts',
    says: fixed(ok(['content-length: 9007199254740993'], 'abc'), FIN),
    outcome: 'cut',
    own: refused,
  },
  { name: 'Transfer-Encoding twice', says: fixed(ok([CHUNKED, CHUNKED], '3\r\nabc\r\n0\r\n\r\n')), outcome: 'invalid' },
  {
    name: 'chunked, identity',
    says: fixed(ok(['transfer-encoding: chunked, identity'], '3\r\nabc\r\n0\r\n\r\n'), FIN),
    outcome: 'invalid',
  },
  { name: 'identity', says: fixed(ok(['transfer-encoding: identity'], 'abc'), FIN), outcome: 'invalid' },
  {
    name: 'gzip, chunked',
    says: fixed(ok(['transfer-encoding: gzip, chunked'], '3\r\nabc\r\n0\r\n\r\n')),
    outcome: 'invalid',
  },
  {
    name: 'xchunked',
    says: fixed(ok(['transfer-encoding: xchunked'], '3\r\nabc\r\n0\r\n\r\n'), FIN),
    outcome: 'invalid',
  },
  { name: 'an empty Transfer-Encoding', says: fixed(ok(['transfer-encoding:'], 'abc'), FIN), outcome: 'invalid' },
  {
    name: 'HTTP/1.0 keep-alive without a length',
    says: (tag) => [`HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n\r\nfor ${tag}`, FIN],
    outcome: own,
  },
  {
    name: 'HTTP/1.0 and chunked',
    says: fixed(`HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n${CHUNKED}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
    keeps: true,
    outcome: { status: 200, body: () => 'abc' },
    // RFC 9112 §6.1
    own: refused,
  },
];

/** Invalid chunks (RFC 9112 §7.1). */
const framing: readonly HostileAnswer[] = [
  {
    name: 'a chunk size beyond 64 bits',
    says: (tag) => [chunks(tag, '10000000000000005\r\nhello\r\n0\r\n\r\n')],
    outcome: 'cut',
  },
  { name: 'a chunk size with a sign', says: (tag) => [chunks(tag, '-5\r\nhello\r\n0\r\n\r\n')], outcome: 'cut' },
  { name: 'a chunk size with 0x', says: (tag) => [chunks(tag, '0x5\r\nhello\r\n0\r\n\r\n')], outcome: 'cut' },
  { name: 'a chunk size behind a space', says: (tag) => [chunks(tag, ' 5\r\nhello\r\n0\r\n\r\n')], outcome: 'cut' },
  { name: 'a chunk size before a space', says: (tag) => [chunks(tag, '5 \r\nhello\r\n0\r\n\r\n')], outcome: 'cut' },
  {
    name: 'a chunk that is longer than it says',
    says: (tag) => [chunks(tag, '5\r\nhello!\r\n0\r\n\r\n')],
    outcome: 'cut',
  },
  { name: 'a chunk size that ends with LF', says: (tag) => [chunks(tag, '5\nhello\r\n0\r\n\r\n')], outcome: 'cut' },
  { name: 'a chunk that ends with LF', says: (tag) => [chunks(tag, '5\r\nhello\n0\r\n\r\n')], outcome: 'cut' },
  { name: 'a bare LF in a chunk extension', says: (tag) => [chunks(tag, '5;a=b\nhello\r\n0\r\n\r\n')], outcome: 'cut' },
  {
    name: 'a bare CR in a chunk extension',
    says: (tag) => [chunks(tag, '5;a\rb\r\nhello\r\n0\r\n\r\n')],
    outcome: 'cut',
  },
  {
    name: 'a chunk extension without end',
    says: (tag) => endless(chunks(tag, '5;a='), 'x'.repeat(16_384)),
    outcome: 'cut',
    heavy: true,
    byTime: true,
  },
  {
    name: 'trailers that only a header may say',
    says: (tag) => [
      chunks(tag, '0\r\nset-cookie: a=b\r\nx-request-id: theirs\r\nwww-authenticate: Basic\r\nx-fine: yes\r\n\r\n'),
    ],
    outcome: { ...own, holds: ({ trailers }) => trailers.every(([name]) => name.toLowerCase() === 'x-fine') },
    keeps: true,
  },
  {
    name: 'Content-Length as a trailer',
    says: (tag) => [chunks(tag, '0\r\ncontent-length: 5\r\n\r\n')],
    outcome: 'cut',
  },
  {
    name: 'Transfer-Encoding as a trailer',
    says: (tag) => [chunks(tag, '0\r\ntransfer-encoding: chunked\r\n\r\n')],
    outcome: own,
    keeps: true,
  },
  { name: 'a trailer without a colon', says: (tag) => [chunks(tag, '0\r\nbroken\r\n\r\n')], outcome: 'cut' },
  { name: 'a trailer with a NUL', says: (tag) => [chunks(tag, '0\r\nx: a\0b\r\n\r\n')], outcome: 'cut' },
  {
    name: 'a trailer that never ends',
    says: (tag) => endless(chunks(tag, '0\r\nx: '), 'x'.repeat(16_384)),
    outcome: 'cut',
    heavy: true,
  },
];

/** Invalid lines, or lines that an upstream must not send. */
const lines: readonly HostileAnswer[] = [
  { name: 'lines that end with LF', says: fixed('HTTP/1.1 200 OK\ncontent-length: 3\n\nabc'), outcome: 'invalid' },
  {
    name: 'a bare CR between lines',
    says: fixed('HTTP/1.1 200 OK\r\nx: 1\rset-cookie: a=b\r\ncontent-length: 3\r\n\r\nabc'),
    outcome: 'invalid',
  },
  {
    name: 'a line that goes on in the next one',
    says: fixed(ok(['content-length: 3', 'x: 1', ' set-cookie: a=b'], 'abc')),
    outcome: 'invalid',
  },
  {
    name: 'a Content-Length that goes on in the next line',
    says: fixed(ok(['content-length:', ' 3'], 'abc')),
    outcome: 'invalid',
  },
  { name: 'a NUL in a value', says: withLines('x: a\0b'), outcome: 'invalid' },
  { name: 'a NUL in a name', says: withLines('x\0: b'), outcome: 'invalid' },
  { name: 'a control character in a value', says: withLines('x: a\x01b'), outcome: 'invalid' },
  { name: 'a space before the colon', says: fixed(ok(['content-length : 3'], 'abc')), outcome: 'invalid' },
  {
    name: 'a space before a name',
    says: fixed('HTTP/1.1 200 OK\r\n content-length: 3\r\n\r\nabc'),
    outcome: 'invalid',
  },
  { name: 'a line without a colon', says: withLines('nocolon'), outcome: 'invalid' },
  { name: 'a line without a name', says: withLines(': value'), outcome: 'invalid' },
  {
    name: 'CRLF in Set-Cookie',
    says: withLines('set-cookie: a=b\r\n\r\nHTTP/1.1 200 OK'),
    outcome: { status: 200, body: (tag) => `HTTP/1.1 200 OK\r\n\r\nfor ${tag}`.slice(0, `for ${tag}`.length) },
  },
  {
    name: 'Connection that names our own header lines',
    says: withLines('connection: x-request-id, x-answer, content-length, date'),
    outcome: { ...own, holds: (response) => lacks('x-answer')(response) && response.all('x-request-id').length === 1 },
    keeps: true,
  },
  {
    name: 'hop-by-hop lines',
    says: withLines('keep-alive: timeout=1000', 'upgrade: h2c', 'proxy-authenticate: Basic', 'te: trailers'),
    outcome: {
      ...own,
      holds: (response) => ['upgrade', 'proxy-authenticate', 'te'].every((name) => lacks(name)(response)),
    },
    keeps: true,
  },
  { name: 'a head of 1 MB', says: withLines(`x: ${'a'.repeat(1_000_000)}`), outcome: 'invalid', heavy: true },
  {
    name: '10,000 lines',
    says: withLines(...Array.from({ length: 10_000 }, (_, index) => `x-${index}: 1`)),
    outcome: 'invalid',
    heavy: true,
  },
  {
    name: 'a head that never ends',
    says: () => endless('HTTP/1.1 200 OK\r\n', `x: ${'a'.repeat(1000)}\r\n`),
    outcome: 'invalid',
    heavy: true,
  },
  {
    name: 'a line that never ends',
    says: () => endless('HTTP/1.1 200 OK\r\nx: ', 'a'.repeat(1000)),
    outcome: 'invalid',
    heavy: true,
  },
  {
    name: 'a name that never ends',
    says: () => endless('HTTP/1.1 200 OK\r\n', 'a'.repeat(1000)),
    outcome: 'invalid',
    heavy: true,
  },
];

/**
 * Invalid status lines (RFC 9112 §4). The ones that our own engine leaves to undici are in
 * test/flows/legacy-answers.test.ts.
 */
const statuses: readonly HostileAnswer[] = [
  { name: 'status 000', says: fixed('HTTP/1.1 000 No\r\ncontent-length: 0\r\n\r\n'), outcome: 'invalid' },
  { name: 'status 099', says: fixed('HTTP/1.1 099 No\r\ncontent-length: 0\r\n\r\n'), outcome: 'invalid' },
  { name: 'status 99', says: fixed('HTTP/1.1 99 No\r\ncontent-length: 0\r\n\r\n'), outcome: 'invalid' },
  { name: 'status 1000', says: fixed('HTTP/1.1 1000 No\r\ncontent-length: 0\r\n\r\n'), outcome: 'invalid' },
  { name: 'status -200', says: fixed('HTTP/1.1 -200 No\r\ncontent-length: 0\r\n\r\n'), outcome: 'invalid' },
  { name: 'HTTP/0.9', says: (tag) => [`for ${tag}`, FIN], outcome: 'invalid' },
  { name: 'HTTP/1.10', says: fixed('HTTP/1.10 200 OK\r\ncontent-length: 0\r\n\r\n'), outcome: 'invalid' },
  { name: 'the frames of HTTP/2', says: fixed('\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64'), outcome: 'invalid' },
  { name: 'the preface of HTTP/2', says: fixed('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), outcome: 'invalid' },
  { name: 'a request', says: fixed('GET / HTTP/1.1\r\nhost: a\r\n\r\n'), outcome: 'invalid' },
  { name: 'a TLS alert', says: fixed('\x15\x03\x01\x00\x02\x02\x46'), outcome: 'invalid' },
  {
    name: 'a bare CR in the reason phrase',
    says: fixed('HTTP/1.1 200 OK\rset-cookie: a=b\r\ncontent-length: 3\r\n\r\nabc'),
    outcome: 'invalid',
  },
  {
    name: 'a bare LF in the reason phrase',
    says: fixed('HTTP/1.1 200 OK\nset-cookie: a=b\r\ncontent-length: 3\r\n\r\nabc'),
    outcome: 'invalid',
  },
  {
    name: 'an answer in the reason phrase',
    says: (tag) => [tagged(tag, { status: '200 OK%0d%0aset-cookie: a=b \xe9' })],
    outcome: { ...own, holds: ({ reason }) => reason === 'OK' },
    keeps: true,
  },
];

/** Interim answers (RFC 9110 §15.2) and switches of protocol (§7.8). */
const interim: readonly HostileAnswer[] = [
  { name: '101 unasked', says: fixed(SWITCHING), outcome: 'invalid' },
  { name: '101 unasked, and an answer', says: (tag) => [SWITCHING + stray(tag)], outcome: 'invalid' },
  { name: '101 to a POST', request: 'POST', says: fixed(SWITCHING), outcome: 'invalid' },
  {
    name: '100 unasked, twice',
    says: (tag) => ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(2) + tagged(tag)],
    outcome: 'invalid',
    // RFC 9110 §15.2: a client reads interim answers even if it does not expect them.
    own: { outcome: own, keeps: true },
  },
  {
    name: '1,000 interim answers',
    says: (tag) => ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1000) + tagged(tag)],
    outcome: own,
    keeps: true,
    heavy: true,
  },
  {
    name: 'interim answers without end',
    says: () => endless('', 'HTTP/1.1 102 Processing\r\n\r\n', 5),
    outcome: 'silent',
    heavy: true,
    byTime: true,
  },
  { name: 'an interim answer, and the end', says: fixed('HTTP/1.1 103 Early Hints\r\n\r\n', FIN), outcome: 'invalid' },
  {
    name: 'an interim answer with a body',
    says: (tag) => [`HTTP/1.1 103 Early Hints\r\ncontent-length: 5\r\n\r\nhello${tagged(tag)}`],
    outcome: 'invalid',
  },
  {
    name: 'another protocol than asked for',
    request: 'handshake',
    says: fixed(SWITCHING.replace('websocket', 'h2c')),
    outcome: 'invalid',
  },
  {
    name: 'a protocol switch without a protocol',
    request: 'handshake',
    says: fixed('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    outcome: 'invalid',
  },
  {
    name: 'a refusal of a handshake',
    request: 'handshake',
    says: (tag) => [tagged(tag, { status: '403 Forbidden' })],
    outcome: { ...own, status: 403 },
  },
  {
    name: '417 though nobody expects',
    request: 'POST',
    says: (tag) => [tagged(tag, { status: '417 Expectation Failed' })],
    outcome: { ...own, status: 417 },
    keeps: true,
  },
  {
    name: 'an answer before the end of the upload',
    request: 'half POST',
    says: (tag) => [tagged(tag)],
    outcome: own,
  },
  {
    name: 'an answer before the end of the upload, and another one',
    request: 'half POST',
    says: (tag) => [tagged(tag), 20, stray(tag)],
    outcome: own,
  },
];

/** Answers that stop, or become very slow. */
const ends: readonly HostileAnswer[] = [
  { name: 'an end before anything', says: fixed(FIN), outcome: 'invalid' },
  { name: 'a reset before anything', says: fixed(RST), outcome: 'invalid' },
  { name: 'an end in the head', says: fixed('HTTP/1.1 200 OK\r\ncontent-le', FIN), outcome: 'invalid' },
  { name: 'a reset in the head', says: fixed('HTTP/1.1 200 OK\r\ncontent-le', 20, RST), outcome: 'invalid' },
  {
    name: 'an end before Content-Length',
    says: (tag) => [ok([`x-answer: ${tag}`, 'content-length: 100'], 'half'), 20, FIN],
    outcome: 'cut',
  },
  {
    name: 'an end before Content-Length of one that says close',
    says: (tag) => [ok([`x-answer: ${tag}`, 'content-length: 100', 'connection: close'], 'half'), FIN],
    outcome: 'cut',
  },
  {
    name: 'a reset before Content-Length',
    says: (tag) => [ok([`x-answer: ${tag}`, 'content-length: 100'], 'half'), 20, RST],
    outcome: 'cut',
  },
  { name: 'an end between two chunks', says: (tag) => [chunks(tag, ''), 20, FIN], outcome: 'cut' },
  {
    name: 'an end between two chunks of one that says close',
    says: (tag) => [ok([CHUNKED, 'connection: close'], chunk(tag)), FIN],
    outcome: 'cut',
  },
  {
    name: 'an end before the empty line behind the last chunk',
    says: (tag) => [chunks(tag, '0\r\n'), FIN],
    outcome: 'cut',
  },
  { name: 'a reset between two chunks', says: (tag) => [chunks(tag, ''), 20, RST], outcome: 'cut' },
  {
    name: 'a reset of what ends with its connection',
    says: (tag) => [ok(['connection: close'], `for ${tag}`), 20, RST],
    outcome: 'cut',
  },
  { name: 'a reset of HTTP/1.0', says: (tag) => [`HTTP/1.0 200 OK\r\n\r\nfor ${tag}`, 20, RST], outcome: 'cut' },
  { name: 'silence', says: fixed(), outcome: 'silent', heavy: true, byTime: true },
  { name: 'silence in the head', says: fixed('HTTP/1.1 200 OK\r\n'), outcome: 'silent', heavy: true, byTime: true },
  {
    name: 'a head drop by drop',
    says: () => endless('HTTP/1.1 200 OK\r\nx: ', 'a', 20),
    outcome: 'silent',
    heavy: true,
    byTime: true,
  },
  {
    name: 'silence in the body',
    says: (tag) => [ok([`x-answer: ${tag}`, 'content-length: 100'], 'half')],
    outcome: 'cut',
    heavy: true,
    byTime: true,
  },
  {
    name: 'a body drop by drop',
    says: (tag) => [
      ok([`x-answer: ${tag}`, 'content-length: 10']),
      ...Array.from({ length: 10 }, () => ['x', 20]).flat(),
    ],
    outcome: { status: 200, body: () => 'x'.repeat(10) },
    keeps: true,
    heavy: true,
  },
  {
    name: 'gzip that breaks off, of the length that is announced',
    says: fixed(ok(['content-encoding: gzip', 'content-length: 12'], '\x1f\x8b\x08\0\0\0\0\0\0\x03\xcbH')),
    outcome: { status: 200, body: () => '\x1f\x8b\x08\0\0\0\0\0\0\x03\xcbH' },
    keeps: true,
  },
  { name: 'a whole answer, and the end', says: (tag) => [tagged(tag), FIN], outcome: own },
  { name: 'a whole answer, and a reset', says: (tag) => [tagged(tag), 20, RST], outcome: own },
];

/** Answers that no honest server sends, or sends only before it breaks. */
export const hostileAnswers: readonly HostileAnswer[] = [
  ...excess,
  ...lengths,
  ...framing,
  ...lines,
  ...statuses,
  ...interim,
  ...ends,
];

/** The same, with the result for an engine. */
export function answersOver(engine: string): readonly HostileAnswer[] {
  return engine === 'own' ? hostileAnswers.map((answer) => ({ ...answer, ...answer.own })) : hostileAnswers;
}
