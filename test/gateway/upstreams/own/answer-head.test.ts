import t from 'tap';
import { type AnswerHead, type Framing, readAnswerHead } from '../../../../src/gateway/upstreams/own/answer-head.ts';
import { InvalidAnswer } from '../../../../src/gateway/upstreams/own/invalid-answer.ts';

const NONE: Framing = { kind: 'none' };
const CHUNKED: Framing = { kind: 'chunked' };
const UNTIL_CLOSE: Framing = { kind: 'until-close' };
const sized = (length: number): Framing => ({ kind: 'sized', length });

/** A head of 200 with these lines. */
function ok(...lines: readonly string[]): string {
  return ['HTTP/1.1 200 OK', ...lines].join('\r\n');
}

interface Valid {
  readonly rule: string;
  readonly text: string;
  readonly method?: string;
  readonly head: Partial<AnswerHead>;
}

const valid: readonly Valid[] = [
  { rule: '§4: a reason may be empty', text: 'HTTP/1.1 200 ', head: { status: 200, fields: [] } },
  { rule: '§4: a reason may be missing with its space', text: 'HTTP/1.1 200', head: { status: 200 } },
  { rule: '§4: a reason may be obs-text', text: 'HTTP/1.1 404 \xe9\t\xff', head: { status: 404 } },
  {
    rule: '§4: nobody reads a reason, whatever it says',
    text: 'HTTP/1.1 500 \0\x01\x7f',
    head: { status: 500, fields: [] },
  },
  { rule: '§4: any status of three digits from 100', text: 'HTTP/1.1 999 x', head: { status: 999 } },
  {
    rule: '§5: names keep their case, lines their order',
    text: ok('B: 1', 'a: 2', 'B: 3'),
    head: { fields: ['B', '1', 'a', '2', 'B', '3'] },
  },
  {
    rule: '§5.1: white space around a value is no part of it',
    text: ok('a: \t b c\t \t', 'd:e'),
    head: { fields: ['a', 'b c', 'd', 'e'] },
  },
  { rule: '§5.1: a value may be empty', text: ok('a:', 'b: ', 'c:\t'), head: { fields: ['a', '', 'b', '', 'c', ''] } },
  { rule: '§5: a colon in a value is of the value', text: ok('a:b:c'), head: { fields: ['a', 'b:c'] } },
  {
    rule: '§5: every character of a token',
    text: ok("!#$%&'*+.^_`|~09azAZ-: x"),
    head: { fields: ["!#$%&'*+.^_`|~09azAZ-", 'x'] },
  },
  { rule: '§5.5: obs-text in a value', text: ok('a: \x80\xff'), head: { fields: ['a', '\x80\xff'] } },
  {
    rule: '§6.3 rule 1: a HEAD has no content, whatever is announced',
    text: ok('Content-Length: 5'),
    method: 'HEAD',
    head: { framing: NONE, persists: false },
  },
  {
    rule: '§6.3 rule 1: nor where it is announced in chunks',
    text: ok('Transfer-Encoding: chunked'),
    method: 'HEAD',
    head: { framing: NONE, persists: false },
  },
  {
    rule: '§6.3 rule 1: nor where nothing is said',
    text: ok('a: b'),
    method: 'HEAD',
    head: { framing: NONE, persists: false },
  },
  {
    rule: '§6.3 rule 1: a HEAD of nothing',
    text: ok('Content-Length: 0'),
    method: 'HEAD',
    head: { framing: NONE, persists: false },
  },
  {
    rule: '§6.3 rule 1: a HEAD of what has not changed',
    text: 'HTTP/1.1 304 x',
    method: 'HEAD',
    head: { framing: NONE, persists: false },
  },
  {
    rule: '§6.3 rule 1: what a 204 to a HEAD announces may follow',
    text: 'HTTP/1.1 204 x\r\nContent-Length: 5',
    method: 'HEAD',
    head: { framing: NONE, persists: false },
  },
  {
    rule: '§9.6: a HEAD that is the last of its connection',
    text: ok('Content-Length: 5', 'Connection: close'),
    method: 'HEAD',
    head: { framing: NONE, persists: false },
  },
  {
    rule: '§9.3: a HEAD of HTTP/1.0',
    text: 'HTTP/1.0 200 OK\r\nContent-Length: 5',
    method: 'HEAD',
    head: { framing: NONE, persists: false },
  },
  {
    rule: '§6.3 rule 1: a 204 has no content',
    text: 'HTTP/1.1 204 No Content',
    head: { framing: NONE, persists: true },
  },
  {
    rule: '§6.3 rule 1: what a 204 announces may follow',
    text: 'HTTP/1.1 204 x\r\nContent-Length: 5',
    head: { framing: NONE, persists: false },
  },
  {
    rule: '§6.3 rule 1: what a 304 announces may follow',
    text: 'HTTP/1.1 304 x\r\nTransfer-Encoding: chunked',
    head: { framing: NONE, persists: false },
  },
  {
    rule: '§6.3 rule 1: a 304 that announces nothing',
    text: 'HTTP/1.1 304 x\r\nContent-Length: 0',
    head: { framing: NONE, persists: true },
  },
  {
    rule: '§6.3 rule 1: an interim answer has no content',
    text: 'HTTP/1.1 103 x\r\nLink: </a>',
    head: { framing: NONE },
  },
  {
    rule: '§6.3 rule 4: chunked',
    text: ok('Transfer-Encoding: chunked'),
    head: { framing: CHUNKED, persists: true },
  },
  { rule: '§7: the coding in any case', text: ok('TRANSFER-ENCODING:\tChUnKeD '), head: { framing: CHUNKED } },
  { rule: '§6.3 rule 6: Content-Length', text: ok('content-length: 5'), head: { framing: sized(5), persists: true } },
  { rule: '§6.2: zeros before a length', text: ok('Content-Length: 0005'), head: { framing: sized(5) } },
  { rule: '§6.2: many zeros', text: ok(`Content-Length: ${'0'.repeat(30)}5`), head: { framing: sized(5) } },
  { rule: '§6.2: a length of nothing', text: ok('Content-Length: 00'), head: { framing: NONE } },
  { rule: '§6.2: no content', text: ok('Content-Length: 0'), head: { framing: NONE, persists: true } },
  {
    rule: '§6.2: the longest length',
    text: ok(`Content-Length: ${'9'.repeat(15)}`),
    head: { framing: sized(999_999_999_999_999) },
  },
  { rule: '§6.3 rule 8: until the connection ends', text: ok('a: b'), head: { framing: UNTIL_CLOSE, persists: false } },
  {
    rule: '§9.3: HTTP/1.0 does not persist, whatever it says',
    text: 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1',
    head: { framing: sized(1), persists: false },
  },
  { rule: '§9.6: close', text: ok('Content-Length: 1', 'Connection: close'), head: { persists: false } },
  {
    rule: '§9.6: close among others, in any case',
    text: ok('Content-Length: 1', 'Connection: x ,\tCLOSE,'),
    head: { persists: false },
  },
  {
    rule: '§9.6: close on another line',
    text: ok('Content-Length: 1', 'Connection: keep-alive', 'Connection: close'),
    head: { persists: false },
  },
  { rule: '§9.6: no close', text: ok('Content-Length: 1', 'Connection: closed, x-close'), head: { persists: true } },
  {
    rule: '§C.2.2: Proxy-Connection that says close',
    text: ok('Content-Length: 1', 'Proxy-Connection: close'),
    head: { persists: false },
  },
  { rule: 'Keep-Alive says how long', text: ok('Keep-Alive: max=5, timeout=20'), head: { keepAlive: 20 } },
  { rule: 'Keep-Alive: whole seconds', text: ok('Keep-Alive: timeout=1.5'), head: { keepAlive: 1 } },
  {
    rule: 'Keep-Alive: the least counts',
    text: ok('Keep-Alive: timeout=5', 'Keep-Alive: timeout="2"', 'Keep-Alive: timeout=9'),
    head: { keepAlive: 2 },
  },
  { rule: 'Keep-Alive that says nothing', text: ok('Keep-Alive: max=5'), head: { keepAlive: undefined } },
];

for (const { rule, text, method = 'GET', head } of valid) {
  t.test(`RFC 9112 ${rule}: ${JSON.stringify(text)}`, async (t) => {
    const read = readAnswerHead(text, method);
    for (const [name, value] of Object.entries(head)) t.same(read[name as keyof AnswerHead], value, name);
  });
}

const doubtful: readonly (readonly [rule: string, text: string, method?: string])[] = [
  ['§2.2: a bare CR in a value', ok('a: b\rc')],
  ['§2.2: a bare CR before the end of a line', ok('a: b\r')],
  ['§2.2: a bare LF between lines', ok('a: b\nc: d')],
  ['§2.2: a bare LF in the status line', 'HTTP/1.1 200 OK\na: b'],
  ['§2.2: an empty line before the status line', `\r\n${ok()}`],
  ['§2.2: white space behind the status line', ok(' a: b')],
  ['§2.3: another major version', 'HTTP/2.0 200 OK'],
  ['§2.3: another minor version', 'HTTP/1.2 200 OK'],
  ['§2.3: HTTP/0.9', 'HTTP/0.9 200 OK'],
  ['§2.3: the name is case-sensitive', 'http/1.1 200 OK'],
  ['§2.3: more digits', 'HTTP/1.10 200 OK'],
  ['§2.3: zeros', 'HTTP/01.1 200 OK'],
  ['§2.3: another protocol', 'ICY 200 OK'],
  ['§3: a request', 'GET / HTTP/1.1'],
  ['§4: nothing', ''],
  ['§4: a status of two digits', 'HTTP/1.1 20 OK'],
  ['§4: a status of four digits', 'HTTP/1.1 2000 OK'],
  ['§4: a status below 100', 'HTTP/1.1 099 OK'],
  ['§4: a negative status', 'HTTP/1.1 -20 OK'],
  ['§4: no space behind the status', 'HTTP/1.1 200OK'],
  ['§4: a tab before the status', 'HTTP/1.1\t200 OK'],
  ['§4: two spaces before the status', 'HTTP/1.1  200 OK'],
  ['§4: a space before the version', ' HTTP/1.1 200 OK'],
  ['§5: a line without a colon', ok('nocolon')],
  ['§5: a line without a name', ok(': b')],
  ['§5: an empty line in between', ok('a: b', '', 'c: d')],
  ['§5.1: a space before the colon', ok('a : b')],
  ['§5.1: a tab before the colon', ok('a\t: b')],
  ['§5.1: a space in a name', ok('a b: c')],
  ['§5.2: a folded line', ok('a: b', ' c')],
  ['§5.2: a line folded by a tab', ok('a: b', '\tc: d')],
  ['§5.5: a NUL in a value', ok('a: b\0')],
  ['§5.5: a NUL in a name', ok('a\0: b')],
  ['§5.5: a vertical tab in a value', ok('a: b\x0b')],
  ['§5.5: DEL in a value', ok('a: \x7f')],
  ['§5.6.2: a name that is no token', ok('a(b): c')],
  ['§5.6.2: a name beyond ASCII', ok('\xe9: c')],
  ['§6.1: Transfer-Encoding in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked'],
  ['§6.1: Transfer-Encoding in an interim answer', 'HTTP/1.1 103 x\r\nTransfer-Encoding: chunked'],
  ['§6.1: a coding that is not taken off', ok('Transfer-Encoding: gzip, chunked')],
  ['§6.1: chunked is not the last', ok('Transfer-Encoding: chunked, gzip')],
  ['§6.1: chunked twice', ok('Transfer-Encoding: chunked, chunked')],
  ['§6.1: Transfer-Encoding twice', ok('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')],
  ['§6.1: an empty Transfer-Encoding', ok('Transfer-Encoding:')],
  ['§6.1: identity', ok('Transfer-Encoding: identity')],
  ['§6.1: a coding with a parameter', ok('Transfer-Encoding: chunked;a=b')],
  ['§6.1: a coding in quotes', ok('Transfer-Encoding: "chunked"')],
  ['§6.1: a wrong coding for a HEAD', ok('Transfer-Encoding: gzip'), 'HEAD'],
  ['§6.3 rule 3: both lengths', ok('Content-Length: 5', 'Transfer-Encoding: chunked')],
  ['§6.3 rule 3: both lengths of a 304', 'HTTP/1.1 304 x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked'],
  ['§6.3 rule 5: two lengths', ok('Content-Length: 5', 'Content-Length: 6')],
  ['§6.3 rule 5: the same length twice', ok('Content-Length: 5', 'content-length: 5')],
  ['§6.3 rule 5: a list of lengths', ok('Content-Length: 5, 5')],
  ['§6.2: an empty length', ok('Content-Length:')],
  ['§6.2: a length with a sign', ok('Content-Length: +5')],
  ['§6.2: a negative length', ok('Content-Length: -5')],
  ['§6.2: a hexadecimal length', ok('Content-Length: 0x5')],
  ['§6.2: a length with a fraction', ok('Content-Length: 5.0')],
  ['§6.2: a length with a space in it', ok('Content-Length: 5 5')],
  ['§6.2: a length that is not counted exactly', ok(`Content-Length: 1${'0'.repeat(15)}`)],
  ['§6.2: a wrong length for a HEAD', ok('Content-Length: x'), 'HEAD'],
  ['§6.2: a digit that is none of ASCII', ok('Content-Length: \xb2')],
  ['§6.2: a length in an interim answer', 'HTTP/1.1 103 x\r\nContent-Length: 5'],
  ['§9.6: an interim answer that says close', 'HTTP/1.1 103 x\r\nConnection: close'],
  ['§2.5: an interim answer of HTTP/1.0', 'HTTP/1.0 103 x'],
];

for (const [rule, text, method = 'GET'] of doubtful) {
  t.test(`RFC 9112 ${rule} is not an answer: ${JSON.stringify(text)}`, async (t) => {
    t.throws(() => readAnswerHead(text, method), { code: 'INVALID_ANSWER' });
  });
}

t.test('RFC 9112 §2.2, §5: only bytes that a field may have pass, in every position', async (t) => {
  for (let code = 0; code < 256; code++) {
    const byte = String.fromCharCode(code);
    const inValue = byte === '\t' || (code >= 0x20 && code !== 0x7f);
    const inName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]$/.test(byte);
    const passes = (text: string) => {
      try {
        readAnswerHead(text, 'GET');
        return true;
      } catch (error) {
        t.ok(error instanceof InvalidAnswer);
        return false;
      }
    };
    t.equal(passes(ok(`a: b${byte}c`)), inValue, `${code} in a value`);
    t.equal(passes(`HTTP/1.1 200 O${byte}K`), byte !== '\r' && byte !== '\n', `${code} in a reason`);
    // A colon ends a name: what follows is its value.
    t.equal(passes(ok(`a${byte}b: c`)), inName || byte === ':', `${code} in a name`);
  }
});
