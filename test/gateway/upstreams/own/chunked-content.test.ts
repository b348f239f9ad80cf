import t from 'tap';
import { ChunkedContent } from '../../../../src/gateway/upstreams/own/chunked-content.ts';

interface Taken {
  readonly content: string;
  readonly trailers: readonly string[] | undefined;
  /** Bytes that were not read. */
  readonly rest: number;
}

function take(pieces: readonly Buffer[]): Taken {
  const chunked = new ChunkedContent();
  let content = '';
  let rest = 0;
  for (const piece of pieces) {
    let at = 0;
    while (at < piece.length && chunked.ended === undefined) {
      at = chunked.read(piece, at);
      content += chunked.data?.toString('latin1') ?? '';
    }
    rest += piece.length - at;
  }
  return { content, trailers: chunked.ended, rest };
}

const whole = (text: string) => [Buffer.from(text, 'latin1')];
const byBytes = (text: string) => Array.from(text, (byte) => Buffer.from(byte, 'latin1'));

const valid: readonly (readonly [rule: string, text: string, taken: Partial<Taken>])[] = [
  ['§7.1: no content', '0\r\n\r\n', { content: '', trailers: [] }],
  ['§7.1: chunks', '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n', { content: 'abcde', trailers: [] }],
  [
    '§7.1: sizes in hexadecimal, in any case',
    `a\r\n${'x'.repeat(10)}\r\nB\r\n${'y'.repeat(11)}\r\n0\r\n\r\n`,
    { content: 'x'.repeat(10) + 'y'.repeat(11) },
  ],
  ['§7.1: zeros before a size', '0003\r\nabc\r\n000\r\n\r\n', { content: 'abc', trailers: [] }],
  ['§7.1: line ends in content are content', '4\r\n\r\n\r\n\r\n0\r\n\r\n', { content: '\r\n\r\n' }],
  ['§7.1.1: extensions', '3;a;b=c;d="e f";g="\\"\\\\"\r\nabc\r\n0;z\r\n\r\n', { content: 'abc', trailers: [] }],
  ['§7.1.2: trailers', '0\r\nA: b \r\nc:\r\n\r\n', { trailers: ['A', 'b', 'c', ''] }],
  [
    '§7.1.2: what must be no trailer and says no length is left to others',
    '0\r\nTransfer-Encoding: chunked\r\n\r\n',
    { trailers: ['Transfer-Encoding', 'chunked'] },
  ],
  ['§7.1: the end is the end', '0\r\n\r\n0\r\n', { trailers: [], rest: 3 }],
  ['§7.1: more to come', '3\r\nab', { content: 'ab', trailers: undefined }],
];

for (const [rule, text, taken] of valid) {
  t.test(`RFC 9112 ${rule}: ${JSON.stringify(text)}`, async (t) => {
    t.match(take(whole(text)), taken);
    t.match(take(byBytes(text)), taken, 'byte by byte');
  });
}

const doubtful: readonly (readonly [rule: string, text: string])[] = [
  ['§7.1: no size', '\r\n'],
  ['§7.1: no size, but an extension', ';a\r\n'],
  ['§7.1: a sign', '+3\r\nabc\r\n'],
  ['§7.1: a negative size', '-3\r\n'],
  ['§7.1: a prefix', '0x3\r\nabc\r\n'],
  ['§7.1: a digit that is none', 'g\r\n'],
  ['§7.1: white space before', ' 3\r\nabc\r\n'],
  ['§7.1: white space behind', '3 \r\nabc\r\n'],
  ['§7.1.1: white space before an extension', '3 ;a\r\nabc\r\n'],
  ['§7.1: a size that is not counted exactly', '10000000000000\r\n'.padStart(17, '0')],
  ['§7.1: a size beyond 64 bits', '10000000000000003\r\nabc\r\n'],
  ['§2.2: a bare LF behind a size', '3\nabc\r\n'],
  ['§2.2: a bare CR behind a size', '3\rabc\r\n'],
  ['§2.2: two CR behind a size', '3\r\r\nabc\r\n'],
  ['§2.2: a bare LF in an extension', '3;a\nb\r\nabc\r\n'],
  ['§2.2: a bare CR in an extension', '3;a\rb\r\nabc\r\n'],
  ['§7.1.1: a NUL in an extension', '3;\0\r\nabc\r\n'],
  ['§7.1.1: no name of an extension', '3;\r\nabc\r\n'],
  ['§7.1.1: no value of an extension', '3;a=\r\nabc\r\n'],
  ['§7.1.1: an open quote', '3;a="b\r\nabc\r\n'],
  ['§7.1.1: obs-text in a name', '3;\xe9\r\nabc\r\n'],
  ['§7.1: a chunk that is longer than it says', '3\r\nabcd'],
  ['§7.1: a chunk that is shorter than it says', '3\r\nab\r\n0\r\n'],
  ['§2.2: a bare LF behind a chunk', '3\r\nabc\n'],
  ['§2.2: a bare CR behind a chunk', '3\r\nabc\r3'],
  ['§7.1.2: a trailer without a colon', '0\r\nabc\r\n'],
  ['§7.1.2: a trailer without a name', '0\r\n: b\r\n'],
  ['§7.1.2: a space before the colon', '0\r\na : b\r\n'],
  ['§5.2: a folded trailer', '0\r\na: b\r\n c\r\n'],
  ['§5.5: a NUL in a trailer', '0\r\na: \0\r\n'],
  ['§2.2: a bare LF behind a trailer', '0\r\na: b\n'],
  ['§2.2: a bare CR in a trailer', '0\r\na: b\rc\r\n'],
  ['§2.2: a bare LF for the empty line', '0\r\n\n'],
  ['§6.5.1 of RFC 9110: a length among the trailers', '0\r\na: b\r\nCONTENT-LENGTH: 3\r\n\r\n'],
  ['§7.1: a line that does not end', `3;${'a'.repeat(1100)}`],
  ['§7.1: trailers that do not end', `0\r\n${`a: ${'b'.repeat(1000)}\r\n`.repeat(66)}`],
  ['§7.1: a trailer that does not end', `0\r\na: ${'b'.repeat(66_000)}`],
];

for (const [rule, text] of doubtful) {
  t.test(`RFC 9112 ${rule} is invalid: ${JSON.stringify(text.slice(0, 50))}`, async (t) => {
    t.throws(() => take(whole(text)), { code: 'INVALID_ANSWER' });
    t.throws(() => take(byBytes(text)), { code: 'INVALID_ANSWER' }, 'byte by byte');
  });
}
