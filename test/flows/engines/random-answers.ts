import type { Socket } from 'node:net';
import { type Random, random } from '../../support/random.ts';
import type { Recorded } from './recording-upstream.ts';

/** The seed in a request's `x-answer` chooses the upstream's answer, so that both engines get the same. */
export function answerBySeed(request: Recorded, socket: Socket): 'tunnel' | 'http' {
  const dice = random(Number(request.all('x-answer')[0] ?? 0));
  if (request.all('upgrade').length > 0) return answerHandshake(dice, socket);
  if (dice.chance(0.1)) dice.pick(faults)(socket, request);
  else {
    const answer = answerText(dice, request.line.split(' ')[0] ?? '');
    if (answer.head.startsWith(CONTINUE)) request.unasked = 'continue';
    say(socket, dice, answer);
  }
  return 'http';
}

const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\n';

function answerHandshake(dice: Random, socket: Socket): 'tunnel' | 'http' {
  const lines = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n';
  const fields = fieldLines(dice).join('');
  if (dice.chance(0.6)) {
    socket.write(bytes(`${SWITCHED}${lines}${fields}\r\n${dice.pick(['', '\x82\x02hi'])}`));
    return 'tunnel';
  }
  const refusals = [
    `HTTP/1.1 403 No\r\n${fields}content-length: 2\r\n\r\nno`,
    `HTTP/1.1 200 OK\r\n${fields}content-length: 2\r\n\r\nok`,
    `${SWITCHED}Upgrade: other\r\nConnection: Upgrade\r\n\r\n`,
  ];
  socket.write(bytes(dice.pick(refusals)));
  return 'http';
}

/** Ways to break an answer that every reader detects, however its bytes arrive. */
const faults: readonly ((socket: Socket, request: Recorded) => void)[] = [
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.end(),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nx-cut: in the he'),
  (socket) => socket.end('garbage\r\n\r\n'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nx y: z\r\ncontent-length: 0\r\n\r\n'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nx: \0\r\ncontent-length: 0\r\n\r\n'),
  (socket, request) => {
    request.unasked = 'switch';
    socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
  },
];

const statuses = [
  ...Array.from({ length: 12 }, () => 200),
  ...[201, 202, 203, 204, 204, 206, 207, 300, 301, 302, 304, 304, 307],
  ...[400, 401, 401, 402, 403, 404, 405, 407, 409, 410, 416, 418, 421, 426, 429, 451],
  ...[500, 501, 502, 503, 504, 511, 599, 799],
];

const reasons = ['OK', '', 'A longer reason', 'obs-text \xe9\xff', 'tab\there', '  spaces  '];

const fields: readonly string[] = [
  'Content-Type: text/plain',
  'content-type: application/json; charset=utf-8',
  'X-Upper-Case: A',
  'x-upper-case: b',
  'Set-Cookie: a=1; Path=/',
  'Set-Cookie: b=2; HttpOnly',
  'set-cookie: c="3"',
  'X-Odd: \xff\x80 \xe9',
  'X-Empty:',
  'X-Blank: \t ',
  'X-Spaces:  \t a  b \t c \t',
  'X-Quoted: "a, \\"b\\"; c", d',
  'X-Colon: a:b:c',
  "X!#$%&'*+.^_`|~9: token",
  'Vary: Accept, Origin',
  'ETag: "x"',
  'Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT',
  'Date: Sat, 01 Jan 2000 00:00:00 GMT',
  'Server: legacy/1.0',
  'Via: 1.0 other',
  'Location: /elsewhere?a=b',
  'WWW-Authenticate: Basic realm="other"',
  'WWW-Authenticate: Digest realm="x", nonce="y", qop="auth"',
  'Authentication-Info: rspauth="x"',
  'Proxy-Authenticate: Basic realm="p"',
  'Cache-Control: public, max-age=60',
  'Expires: 0',
  'Pragma: no-cache',
  'Connection: X-Hop',
  'X-Hop: 1',
  'Keep-Alive: timeout=5, max=100',
  'Connection: keep-alive',
  'Proxy-Connection: keep-alive',
  'Trailer: X-Sum',
  'Upgrade: h2c',
  'X-Request-Id: theirs',
  'X-Auth-Subject: mallory',
  'Access-Control-Allow-Origin: *',
  'Alt-Svc: h3=":443"',
  'Strict-Transport-Security: max-age=1',
  'Content-Encoding: identity',
  'Accept-Ranges: bytes',
  'Retry-After: 3',
  'Allow: GET, HEAD',
  `X-Long: ${'v'.repeat(4000)}`,
];

/** Few, many, and some of them repeated. */
function fieldLines(dice: Random): string[] {
  return Array.from({ length: dice.below(dice.pick([3, 10, 30])) }, () => `${dice.pick(fields)}\r\n`);
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

const interim = [
  'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n',
  'HTTP/1.1 102 Processing\r\n\r\n',
  CONTINUE,
  'HTTP/1.1 199 Odd\r\nx: y\r\n\r\n',
];

interface Answer {
  readonly head: string;
  readonly content: string;
  /** The connection ends after it. */
  readonly ends: boolean;
}

function answerText(dice: Random, method: string): Answer {
  const status = dice.pick(statuses);
  const before = dice.chance(0.05) ? dice.pick(interim) : '';
  const closes = dice.chance(0.05) ? 'Connection: close\r\n' : '';
  const start = `${before}HTTP/1.1 ${status} ${dice.pick(reasons)}\r\n${fieldLines(dice).join('')}${closes}`;
  const { line, content, ends = closes !== '' } = frame(dice, status);
  const isBare = method === 'HEAD' || status === 204 || status === 304;
  return { head: `${start}${line}\r\n`, content: isBare ? '' : content, ends };
}

interface Framed {
  readonly line: string;
  readonly content: string;
  readonly ends?: boolean;
}

function frame(dice: Random, status: number): Framed {
  // These two may announce any length: no content follows (RFC 9112 §6.3).
  if (status === 204) return { line: '', content: '' };
  if (status === 304)
    return { line: dice.pick(['', '', 'content-length: 0\r\n', 'content-length: 12\r\n']), content: '' };
  const content = dice.text('abc\0\r\n\xff', dice.below(dice.pick([1, 10, 1_000, 40_000])));
  const ways: readonly (() => Framed)[] = [
    () => ({ line: `Content-Length: ${content.length}\r\n`, content }),
    () => ({ line: `content-length: ${content.length}\r\n`, content }),
    () => ({ line: 'Transfer-Encoding: chunked\r\n', content: chunks(dice, content) }),
    () => ({ line: 'transfer-encoding: Chunked\r\n', content: chunks(dice, content) }),
    () => ({ line: '', content, ends: true }),
  ];
  return dice.pick(ways)();
}

function chunks(dice: Random, content: string): string {
  let text = '';
  for (let at = 0; at < content.length; ) {
    const size = 1 + dice.below(20_000);
    const chunk = content.slice(at, at + size);
    text += `${chunk.length.toString(16)}${dice.pick(['', '', ';a=b', ';a="b;c"'])}\r\n${chunk}\r\n`;
    at += size;
  }
  const trailers = dice.pick(['', '', 'X-Sum: 1\r\n', 'X-Sum: 1\r\nx-sum: 2\r\nX-Other: \xff\r\n']);
  return `${text}0\r\n${trailers}\r\n`;
}

/** At once, or in two pieces in different turns. */
function say(socket: Socket, dice: Random, { head, content, ends }: Answer): void {
  const all = bytes(head + content);
  const cut = dice.chance(0.3) ? dice.below(all.length) : 0;
  const last = () => (ends ? socket.end(all.subarray(cut)) : socket.write(all.subarray(cut)));
  if (cut === 0) last();
  else {
    socket.write(all.subarray(0, cut));
    setTimeout(last, 1);
  }
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
