/**
 * What comes of an answer:
 * - `read`: the client gets it.
 * - `undici`: the engine of our own does not understand it, and undici reads it.
 * - `502`: the client gets 502, and the connection is closed.
 * - `cut`: it has begun, and breaks off.
 */
export type Outcome = 'read' | 'undici' | '502' | 'cut';

/** An answer that a legacy server may send. */
export interface LegacyAnswer {
  readonly name: string;
  /** As latin1. */
  readonly bytes: string;
  /** The server closes the connection after it. */
  readonly ends?: true;
  /** GET and POST by default. */
  readonly method?: 'HEAD';
  /** By default. */
  readonly own: Outcome;
  /** With `engine: undici`. */
  readonly undici: Exclude<Outcome, 'undici'>;
  /** With this engine the connection counts as ended before an answer, so repeatable requests are sent again. */
  readonly again?: readonly ('own' | 'undici')[];
  /** 200 by default. */
  readonly status?: number;
  /** `abc` by default. */
  readonly body?: string;
}

const LENGTH = 'Content-Length: 3';
const CHUNKED = 'Transfer-Encoding: chunked';
const OK = 'HTTP/1.1 200 OK';

/** A head of these lines, each with its own line end, and the bytes after it. */
function head(lines: readonly string[], rest = 'abc'): string {
  return `${lines.join('\r\n')}\r\n\r\n${rest}`;
}

/** With this status line. */
function status(line: string): string {
  return head([line, LENGTH]);
}

/** With this line among its fields. */
function field(line: string): string {
  return head([OK, line, LENGTH]);
}

function chunks(text: string): string {
  return head([OK, CHUNKED], text);
}

const READ = { own: 'read', undici: 'read' } as const;
const REFUSED = { own: '502', undici: '502' } as const;
const CUT = { own: 'cut', undici: 'cut' } as const;
const FOREIGN = { own: 'undici', undici: 'read' } as const;
/** RFC 9112 allows two readings, and we trust neither. */
const STRICTER = { own: '502', undici: 'read' } as const;

const statusLines: readonly LegacyAnswer[] = [
  { name: 'no reason phrase', bytes: status('HTTP/1.1 200 '), ...READ },
  { name: 'no reason phrase, and no space after the status', bytes: status('HTTP/1.1 200'), ...READ },
  { name: 'whitespace after the reason phrase', bytes: status('HTTP/1.1 200 OK \t '), ...READ },
  { name: 'latin-1 in the reason phrase', bytes: status('HTTP/1.1 200 Gr\xfc\xdfe'), ...READ },
  { name: 'a control character in the reason phrase', bytes: status('HTTP/1.1 200 a\x01b\0c'), ...READ },
  { name: 'an unknown status', bytes: status('HTTP/1.1 299 Odd'), ...READ, status: 299 },
  { name: 'status 999', bytes: status('HTTP/1.1 999 Odd'), ...READ, status: 999 },
  { name: 'status 99', bytes: status('HTTP/1.1 99 Odd'), ...REFUSED },
  { name: 'status 099', bytes: status('HTTP/1.1 099 Odd'), ...REFUSED },
  { name: 'status 1000', bytes: status('HTTP/1.1 1000 Odd'), ...REFUSED },
  { name: 'no space between status and reason phrase', bytes: status('HTTP/1.1 200OK'), ...REFUSED },
  { name: 'two spaces before the status', bytes: status('HTTP/1.1  200 OK'), ...REFUSED },
  { name: '`http/1.1` in lower case', bytes: status('http/1.1 200 OK'), ...REFUSED },
  { name: '`HTTP/1.2`', bytes: status('HTTP/1.2 200 OK'), ...REFUSED },
  { name: '`HTTP/2.0` over HTTP/1.1', bytes: status('HTTP/2.0 200 OK'), ...FOREIGN },
  { name: '`HTTP/0.9` with a status line', bytes: status('HTTP/0.9 200 OK'), ends: true, ...FOREIGN },
  { name: '`ICY` instead of `HTTP`', bytes: status('ICY 200 OK'), ...REFUSED },
  { name: 'no status line (HTTP/0.9)', bytes: '<html>', ends: true, ...REFUSED },
  { name: 'CRLF before the status line', bytes: `\r\n${status(OK)}`, ...FOREIGN },
  { name: 'LF before the status line', bytes: `\n${status(OK)}`, ...FOREIGN },
  { name: 'two CRLF before the status line', bytes: `\r\n\r\n${status(OK)}`, ...STRICTER },
  { name: 'a bare CR before the status line', bytes: `\r${status(OK)}`, ...STRICTER },
  {
    name: 'CRLF before the status line, and two Content-Length',
    bytes: `\r\n${head([OK, LENGTH, 'Content-Length: 2'])}`,
    ...REFUSED,
  },
  {
    name: 'CRLF before the status line, and Transfer-Encoding with Content-Length',
    bytes: `\r\n${head([OK, LENGTH, CHUNKED], '3\r\nabc\r\n0\r\n\r\n')}`,
    ...REFUSED,
  },
];

const lines: readonly LegacyAnswer[] = [
  { name: 'bare LF at the end of each line', bytes: head([OK, LENGTH]).replaceAll('\r\n', '\n'), ...REFUSED },
  { name: 'bare LF at the end of one line', bytes: `${OK}\r\nX: 1\n${LENGTH}\r\n\r\nabc`, ...REFUSED },
  { name: 'a bare CR in a line', bytes: field('X: 1\r2'), ...REFUSED },
  { name: 'a folded line', bytes: field('X: 1\r\n 2'), ...REFUSED },
  { name: 'a folded Content-Length', bytes: head([OK, 'Content-Length:', ' 3']), ...REFUSED },
  { name: 'a space before the colon', bytes: field('X : 1'), ...REFUSED },
  { name: 'a space before the colon of Content-Length', bytes: head([OK, 'Content-Length : 3']), ...REFUSED },
  { name: 'no space after the colon', bytes: field('X:1'), ...READ },
  { name: 'whitespace around a value', bytes: field('X:  \t1 \t '), ...READ },
  { name: 'an empty value', bytes: field('X:'), ...READ },
  { name: 'a space in a name', bytes: field('X Y: 1'), ...REFUSED },
  { name: 'a name with parentheses', bytes: field('X(Y): 1'), ...REFUSED },
  { name: 'a name with a slash', bytes: field('X/Y: 1'), ...REFUSED },
  { name: 'a name with an underscore or a dot', bytes: field('X_Y.Z: 1'), ...READ },
  { name: 'a name with every character that a token allows', bytes: field("!#$%&'*+-.^_`|~09Az: 1"), ...READ },
  { name: 'latin-1 in a name', bytes: field('X\xe9: 1'), ...REFUSED },
  { name: 'latin-1 in a value', bytes: field('X: Gr\xfc\xdfe'), ...READ },
  { name: 'a control character in a value', bytes: field('X: a\x01b'), ...REFUSED },
  { name: 'a NUL in a value', bytes: field('X: a\0b'), ...REFUSED },
  { name: 'a line without a colon', bytes: field('X'), ...REFUSED },
  { name: 'a line without a name', bytes: field(': 1'), ...REFUSED },
];

const framing: readonly LegacyAnswer[] = [
  { name: 'an HTTP/1.0 answer with a length', bytes: head(['HTTP/1.0 200 OK', LENGTH]), ...READ },
  { name: 'an HTTP/1.0 answer without a length', bytes: head(['HTTP/1.0 200 OK']), ends: true, ...READ },
  {
    name: 'an HTTP/1.0 answer that keeps its connection open',
    bytes: head(['HTTP/1.0 200 OK', LENGTH, 'Connection: keep-alive']),
    ...READ,
  },
  {
    name: 'an HTTP/1.0 answer in chunks',
    bytes: head(['HTTP/1.0 200 OK', CHUNKED], '3\r\nabc\r\n0\r\n\r\n'),
    ...STRICTER,
  },
  { name: 'an HTTP/1.1 answer without a length', bytes: head([OK]), ends: true, ...READ },
  { name: 'two Content-Length that differ', bytes: head([OK, LENGTH, 'Content-Length: 2']), ...REFUSED },
  { name: 'two Content-Length that are equal', bytes: head([OK, LENGTH, LENGTH]), ...REFUSED },
  { name: 'a list in Content-Length', bytes: head([OK, 'Content-Length: 3, 3']), ...REFUSED },
  { name: 'zeros before a length', bytes: head([OK, `Content-Length: ${'0'.repeat(20)}3`]), ...READ },
  { name: 'a tab after a length', bytes: head([OK, `${LENGTH}\t`]), own: 'read', undici: '502' },
  {
    name: 'Transfer-Encoding with Content-Length',
    bytes: head([OK, LENGTH, CHUNKED], '3\r\nabc\r\n0\r\n\r\n'),
    ...REFUSED,
  },
  { name: '`Transfer-Encoding: identity`', bytes: head([OK, 'Transfer-Encoding: identity']), ends: true, ...REFUSED },
  {
    name: '`Transfer-Encoding: Chunked`',
    bytes: head([OK, 'Transfer-Encoding: Chunked'], '3\r\nabc\r\n0\r\n\r\n'),
    ...READ,
  },
  { name: 'status 204 with a body', bytes: head(['HTTP/1.1 204 No Content']), ...READ, status: 204, body: '' },
  {
    name: 'status 204 with a length and a body',
    bytes: head(['HTTP/1.1 204 No Content', LENGTH]),
    ...READ,
    status: 204,
    body: '',
  },
  {
    name: 'status 304 with a length',
    bytes: head(['HTTP/1.1 304 Not Modified', LENGTH], ''),
    ...READ,
    status: 304,
    body: '',
  },
  { name: 'status 205 with a body', bytes: head(['HTTP/1.1 205 Reset Content', LENGTH]), ...READ, status: 205 },
  { name: 'an answer to HEAD with a body', bytes: head([OK, LENGTH]), method: 'HEAD', ...READ, body: '' },
  { name: 'more content than its Content-Length says', bytes: head([OK, LENGTH], 'abcdef'), ...READ },
  { name: 'an empty line after the body', bytes: head([OK, LENGTH], 'abc\r\n'), ...READ },
  {
    name: 'less content than its Content-Length says, and then the end of the connection',
    bytes: head([OK, 'Content-Length: 9']),
    ends: true,
    ...CUT,
  },
  { name: 'the end of the connection before any byte', bytes: '', ends: true, ...REFUSED, again: ['own', 'undici'] },
  {
    name: 'the end of the connection in the middle of the head',
    bytes: `${OK}\r\nContent-Le`,
    ends: true,
    ...REFUSED,
    again: ['own', 'undici'],
  },
];

const chunked: readonly LegacyAnswer[] = [
  { name: 'a chunk extension', bytes: chunks('3;a=b\r\nabc\r\n0\r\n\r\n'), ...READ },
  { name: 'a space before a chunk extension', bytes: chunks('3 ;a=b\r\nabc\r\n0\r\n\r\n'), ...CUT },
  { name: 'a chunk extension without a name', bytes: chunks('3;=b\r\nabc\r\n0\r\n\r\n'), own: 'cut', undici: 'read' },
  { name: 'zeros before the size of a chunk', bytes: chunks(`${'0'.repeat(20)}3\r\nabc\r\n000\r\n\r\n`), ...READ },
  { name: 'spaces after the size of a chunk', bytes: chunks('3  \r\nabc\r\n0\r\n\r\n'), ...CUT },
  { name: 'chunks with bare LF', bytes: chunks('3\nabc\n0\n\n'), ...CUT },
  { name: 'trailers', bytes: chunks('3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n'), ...READ },
  { name: 'no empty line after the last chunk', bytes: chunks('3\r\nabc\r\n0\r\n'), ends: true, ...CUT },
  { name: 'no last chunk', bytes: chunks('3\r\nabc\r\n'), ends: true, ...CUT },
  { name: 'a chunk with more data than its size says', bytes: chunks('2\r\nabc\r\n0\r\n\r\n'), ...CUT },
];

const interim: readonly LegacyAnswer[] = [
  {
    name: 'status 100 without `Expect`',
    bytes: `HTTP/1.1 100 Continue\r\n\r\n${status(OK)}`,
    own: 'read',
    undici: '502',
    again: ['undici'],
  },
  { name: 'a hundred interim answers', bytes: 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100) + status(OK), ...READ },
  { name: 'an interim answer of HTTP/1.0', bytes: `HTTP/1.0 103 Early\r\n\r\n${status(OK)}`, ...REFUSED },
  {
    name: 'an interim answer with a length',
    bytes: `HTTP/1.1 102 Wait\r\n${LENGTH}\r\n\r\n${status(OK)}`,
    ...STRICTER,
  },
  { name: 'CRLF before an interim answer', bytes: `\r\nHTTP/1.1 103 Early\r\n\r\n${status(OK)}`, ...STRICTER },
  {
    name: 'status 101 without `Upgrade`',
    bytes: head(['HTTP/1.1 101 Switching', 'Upgrade: h2c', 'Connection: upgrade'], ''),
    ...REFUSED,
    again: ['undici'],
  },
];

/** By the headings of docs/upstream-answers.md. */
export const answersByPart: Readonly<Record<string, readonly LegacyAnswer[]>> = {
  'The status line': statusLines,
  'Header lines': lines,
  'Where the content ends': framing,
  Chunks: chunked,
  'Interim answers': interim,
};

export const legacyAnswers: readonly LegacyAnswer[] = Object.values(answersByPart).flat();

const words: Readonly<Record<Outcome, string>> = {
  read: 'read',
  undici: '**read by undici**',
  '502': '502',
  cut: 'cut',
};

/** As in the page. */
export function tableOf(answers: readonly LegacyAnswer[]): string {
  const rows = answers.map(({ name, own, undici }) => `| ${name} | ${words[own]} | ${words[undici]} |\n`);
  return `| answer | by default | \`engine: undici\` |\n|---|---|---|\n${rows.join('')}`;
}
