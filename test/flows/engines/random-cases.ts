import { formatBasic } from '../../../src/http-auth/basic.ts';
import { formatDigest } from '../../../src/http-auth/digest.ts';
import { digestResponse, storedHash } from '../../../src/http-auth/digest-response.ts';
import type { Random } from '../../support/random.ts';
import { type RouteShape, type Scene, user } from './scene.ts';

/** One request, sent to both gateways. */
export interface Case {
  readonly id: string;
  readonly method: string;
  readonly head: string;
  readonly body: string;
  /** wait: the body follows after 100-continue. leave: the sender disconnects before its end. */
  readonly manner: 'whole' | 'wait' | 'leave' | 'upgrade';
  /** Nothing follows on its connection. */
  readonly isLast: boolean;
  /** Sent after it on its connection. */
  readonly again?: readonly Case[];
}

const methods = [
  ...Array.from({ length: 12 }, () => 'GET'),
  ...['HEAD', 'HEAD', 'HEAD', 'POST', 'POST', 'POST', 'PUT', 'PUT', 'PUT', 'PATCH', 'DELETE', 'DELETE', 'OPTIONS'],
  ...['PROPFIND', 'TRACE', 'M-SEARCH', 'QUERY', 'CONNECT'],
];

/** Fields that no server knows, or that no client may send. */
const strange = ['get', 'FOO', 'G(T', 'PRI'];

export interface Around {
  readonly scene: Scene;
  readonly nonce: (dice: Random) => string;
}

export function randomCase(dice: Random, id: string, around: Around): Case {
  const shape = dice.pick(around.scene.routes);
  const isUpgrade = dice.chance(0.05);
  // Mostly valid for its route, so that the later checks are reached.
  const isMatching = dice.chance(0.8);
  const method = methodOf(dice, isMatching ? shape.match.methods : undefined, isUpgrade);
  const target = targetOf(dice, shape, isMatching);
  const credential = credentialOf(dice, shape, method, target, around);
  const body = isUpgrade ? NO_BODY : bodyOf(dice, method, credential.form);
  const version = dice.chance(0.03) ? '1.0' : '1.1';
  const lines = [
    ...(isMatching && shape.match.host === 'other.example.com' ? ['Host: other.example.com'] : hostLines(dice)),
    ...(isMatching && shape.match.headers !== undefined ? ['X-Version: 2'] : []),
    `X-Case: ${id}`,
    `X-Answer: ${dice.below(2 ** 31)}`,
    ...(isUpgrade ? handshake(dice) : headerLines(dice)),
    ...credential.lines,
    ...body.lines,
  ];
  const joined = credential.query === '' ? target : `${target}${target.includes('?') ? '&' : '?'}${credential.query}`;
  const head = `${method} ${joined} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`;
  const isLast = body.isBroken || body.manner !== 'whole' || isUpgrade || version === '1.0' || method === 'CONNECT';
  return { id, method, head, body: body.text, manner: isUpgrade ? 'upgrade' : mannerOf(body, version), isLast };
}

const spoiled = [
  '/../a',
  '/%2e%2e/a',
  '//a',
  '/a%2fb',
  '/%00',
  '/%',
  '/a\\b',
  '/a;b',
  '/.',
  '/%c0%ae',
  '/a b',
  '/\xe9',
  '/%2F',
];

function methodOf(dice: Random, taken: readonly string[] | undefined, isUpgrade: boolean): string {
  if (taken !== undefined) return dice.pick(taken);
  if (dice.chance(0.01)) return dice.pick(strange);
  return isUpgrade && dice.chance(0.9) ? 'GET' : dice.pick(methods);
}

function targetOf(dice: Random, { path, match }: RouteShape, isMatching: boolean): string {
  if (dice.chance(0.01)) return dice.pick(['*', '/', '/nowhere', 'nowhere', 'http://api.example.com/nowhere']);
  const own = path(dice) + (dice.chance(0.02) ? dice.pick(spoiled) : '');
  const query = dice.pick([
    '',
    '',
    '',
    '?v=2',
    `?a=${dice.text('abc%20&=/?', dice.below(20)).replace(/%(?!20)/g, '')}`,
    '?',
  ]);
  if (isMatching && match.query !== undefined) return `${own}?v=2`;
  return `${dice.chance(0.05) ? 'http://api.example.com' : ''}${own}${query}`;
}

interface Credential {
  readonly lines: readonly string[];
  readonly query: string;
  readonly form: string | undefined;
}

const NONE: Credential = { lines: [], query: '', form: undefined };

function credentialOf(dice: Random, shape: RouteShape, method: string, target: string, around: Around): Credential {
  if (dice.chance(0.05)) return NONE;
  const auth = dice.chance(0.96) ? shape.auth : dice.pick(['bearer', 'basic', 'digest'] as const);
  if (auth === 'basic') return basicOf(dice);
  return auth === 'digest' ? digestOf(dice, method, target, around) : bearerOf(dice, dice.pick(around.scene.tokens));
}

function bearerOf(dice: Random, token: string): Credential {
  const line = `${dice.pick(['Authorization', 'authorization', 'AUTHORIZATION'])}: ${dice.pick(['Bearer', 'Bearer', 'bearer'])} ${token}`;
  const part = `access_token=${encodeURIComponent(token)}`;
  const places: readonly Credential[] = [
    ...Array.from({ length: 30 }, () => ({ ...NONE, lines: [line] })),
    { ...NONE, query: part },
    { ...NONE, form: `a=1&${part}&b=%20` },
    { ...NONE, lines: [line, line] },
    { ...NONE, lines: [line], query: part },
    { ...NONE, lines: [line], form: part },
    { ...NONE, query: `${part}&${part}` },
    { ...NONE, form: `${part}&${part}` },
    { ...NONE, lines: [line, 'Authorization: Basic eDp5'] },
    { ...NONE, lines: [`Cookie: access_token=${token}`] },
    {
      ...NONE,
      lines: [
        dice.pick(['Authorization: Bearer', 'Authorization:', 'Authorization: Bearer a b', 'Authorization: \xe9']),
      ],
    },
  ];
  return dice.pick(places);
}

function basicOf(dice: Random): Credential {
  const right = formatBasic(user.name, user.password);
  const values = [right, right, right, formatBasic(user.name, 'wrong'), formatBasic('nobody', 'x'), 'Basic =', 'Basic'];
  return { ...NONE, lines: [`Authorization: ${dice.pick(values)}`] };
}

function digestOf(dice: Random, method: string, target: string, { nonce }: Around): Credential {
  const password = dice.chance(0.8) ? user.password : 'wrong';
  const uri = dice.chance(0.9) ? target : '/other';
  const said = {
    nonce: dice.chance(0.9) ? nonce(dice) : 'made-up',
    uri,
    cnonce: 'c',
    protection: { qop: 'auth', nc: dice.pick(['00000001', '00000001', '00000001', '00000002', '0']) },
    algorithm: 'SHA-256',
  } as const;
  const ha1 = storedHash('SHA-256', user.name, user.realm, password);
  const response = digestResponse({ ...said, ha1, method });
  const named = { username: user.name, userhash: false, realm: user.realm, opaque: undefined };
  return { ...NONE, lines: [`Authorization: ${formatDigest({ ...said, ...named, response })}`] };
}

/** HTTP/1.0 has no expectations (RFC 9110 §10.1.1), so no server would ask for the body. */
function mannerOf({ manner }: Body, version: string): Case['manner'] {
  return manner === 'wait' && version === '1.0' ? 'whole' : manner;
}

interface Body {
  readonly lines: readonly string[];
  readonly text: string;
  readonly manner: Case['manner'];
  readonly isBroken: boolean;
}

const NO_BODY: Body = { lines: [], text: '', manner: 'whole', isBroken: false };
const FORM = 'Content-Type: application/x-www-form-urlencoded';

function bodyOf(dice: Random, method: string, form: string | undefined): Body {
  if (form !== undefined) return formOf(dice, form);
  const isUsual = !['GET', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT'].includes(method);
  if (dice.chance(isUsual ? 0.15 : 0.85)) return NO_BODY;
  const text = dice.text('abc\0\r\n\xff', dice.below(dice.pick([2, 100, 3_000, 100_000])));
  return dice.pick(dice.chance(0.06) ? brokenBodies : bodies)(dice, text);
}

function formOf(dice: Random, form: string): Body {
  return dice.chance(0.8)
    ? sized(form, FORM)
    : { ...NO_BODY, lines: [FORM, 'Transfer-Encoding: chunked'], text: chunked(dice, form) };
}

function sized(text: string, ...lines: readonly string[]): Body {
  return { ...NO_BODY, lines: [...lines, `Content-Length: ${text.length}`], text };
}

function chunked(dice: Random, text: string): string {
  let all = '';
  for (let at = 0; at < text.length; ) {
    const chunk = text.slice(at, at + 1 + dice.below(30_000));
    all += `${chunk.length.toString(16)}${dice.pick(['', '', ';a=b'])}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  return `${all}0\r\n${dice.pick(['', '', 'X-Sum: 1\r\nx-sum: 2\r\n', 'X-Auth-Subject: mallory\r\n'])}\r\n`;
}

const CODING = 'Transfer-Encoding: chunked';
const EXPECT = 'Expect: 100-continue';

const bodies: readonly ((dice: Random, text: string) => Body)[] = [
  (_, text) => sized(text),
  (_, text) => sized(text),
  (_, text) => sized(text, 'Content-Type: text/plain', 'Content-Digest: sha-256=:x:'),
  (dice, text) => ({ ...NO_BODY, lines: [CODING], text: chunked(dice, text) }),
  (dice, text) => ({ ...NO_BODY, lines: [CODING, 'Trailer: X-Sum'], text: chunked(dice, text) }),
  () => sized(''),
  (_, text) => ({ ...sized(text, EXPECT), manner: 'wait' }),
  (dice, text) => ({ ...NO_BODY, lines: [EXPECT, CODING], text: chunked(dice, text), manner: 'wait' }),
  // At least one byte, because undici sends the head together with the first byte of the body.
  (_, text) => ({ ...sized(`x${text}`), lines: [`Content-Length: ${text.length + 11}`], manner: 'leave' }),
];

const brokenBodies: typeof bodies = [
  (_, text) => ({ ...sized(text), lines: [`Content-Length: ${text.length}`, CODING], isBroken: true }),
  (_, text) => ({ ...sized(text), lines: ['Transfer-Encoding: gzip'], isBroken: true }),
  (_, text) => ({
    ...sized(text),
    lines: [`Content-Length: ${text.length}`, `Content-Length: ${text.length + 1}`],
    isBroken: true,
  }),
];

function hostLines(dice: Random): readonly string[] {
  const odd = [
    [],
    ['Host: a', 'Host: b'],
    ['Host:'],
    ['Host: a b'],
    ['Host: other.example.com:8443'],
    ['host: API.example.COM'],
  ];
  return dice.chance(0.95) ? ['Host: api.example.com'] : dice.pick(odd);
}

const harmless = [
  'X-A: b',
  'x-a: c',
  'X-A: b',
  'Accept: */*',
  'Accept: text/html, application/json;q=0.9',
  'User-Agent: odd/1.0 (\xe9)',
  'X-Version: 2',
  'X-Auth-Subject: mallory',
  'x_auth_subject: mallory',
  'X-Id-Tier: gold',
  'Remote-User: mallory',
  'X-Api-Key: mine',
  'X-Forwarded-For: 6.6.6.6',
  'Forwarded: for=6.6.6.6',
  'X-Forwarded-Proto: https',
  'Via: 1.0 other',
  'Connection: keep-alive',
  'Connection: X-Hop, X-A',
  'Connection: close',
  'X-Hop: 1',
  'Keep-Alive: timeout=5',
  'Proxy-Connection: keep-alive',
  'Proxy-Authorization: Basic eDp5',
  'TE: trailers',
  'TE: gzip;q=0.5, trailers',
  'Upgrade: h2c',
  'Cookie: a=b',
  'Cookie: c=d',
  'X-Empty:',
  'X-Blank:  \t ',
  'X-Spaces: \t a  b\tc \t',
  'X-Odd: \xff\x80',
  'X-Quoted: "a, \\"b\\"; c"',
  "X!#$%&'*+.^_`|~9: token",
  `X-Long: ${'v'.repeat(3000)}`,
  'Range: bytes=0-1',
  'If-None-Match: "x"',
  'Accept-Encoding: gzip, br',
  'Origin: https://app.example.com',
  'Max-Forwards: 3',
  'Max-Forwards: 0',
  'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'tracestate: a=b',
  'traceparent: broken',
  'X-Request-Id: mine',
  'HTTP2-Settings: AAMAAABkAAQAAP__',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

const malformed = [
  'Expect: nothing',
  'X : y',
  ' folded',
  'X: a\0b',
  'nocolon',
  ': y',
  'X: a\rb',
  'X\xff: y',
  'X: \x7f',
];

function headerLines(dice: Random): readonly string[] {
  const lines = Array.from({ length: dice.below(dice.pick([3, 8, 20])) }, () => dice.pick(harmless));
  return dice.chance(0.02) ? [...lines, dice.pick(malformed)] : lines;
}

/** The fields of a WebSocket, complete most of the time. */
function handshake(dice: Random): readonly string[] {
  const lines = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Protocol: chat',
    'X-Auth-Subject: mallory',
  ];
  return lines.filter(() => dice.chance(0.97));
}
