import type { Random } from '../../support/random.ts';

/** A request as a client of an old API may send it: valid HTTP, whatever the rules of a gateway say. */
export interface Shape {
  readonly id: string;
  readonly method: string;
  readonly target: string;
  readonly lines: readonly (readonly [name: string, value: string])[];
  /** After the head, with its framing. */
  readonly body: string;
  readonly bytes: Buffer;
}

const methods = ['GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND', 'TRACE'];

const targets = [
  '/orders/7',
  '/orders/7?x=1&y=%20',
  '/orders/a%2Fb',
  '/orders;v=1/7',
  '/orders//7',
  '/orders/../admin',
  '/orders/%2e%2e/admin',
  '/orders/./7/',
  '/orders/%41%7e',
  '/orders/%',
  '/orders/%zz',
  '/orders/%252e',
  '/orders/%00',
  '/orders/a%5Cb',
  '/admin/7',
  '/admin%3Fx',
  '/none/of/them',
  '/',
  '/orders/7?access_token=abc',
  '/orders/7?access_token=abc&access_token=abc',
  '/orders/7?X-API-Key=k',
  '/limited/1',
  '/closed/1',
];

/** The fields that enforcement drops, in the spellings of old clients and proxies. */
const fields: readonly (readonly [string, string])[] = [
  ['X-Auth-Token', 't-1'],
  ['X-AUTH-KEY', 'k'],
  ['x-auth-user', 'bob'],
  ['X-Auth-Subject', 'mallory'],
  ['x_auth_client', 'mallory'],
  ['X-Auth-Scope', 'everything'],
  ['X-Real-IP', '192.0.2.7'],
  ['X-Forwarded-For', '192.0.2.7'],
  ['X-Forwarded-For', '192.0.2.7, 198.51.100.1'],
  ['x-forwarded-for', '192.0.2.8'],
  ['X-Forwarded-Host', 'shop.example'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Port', '443'],
  ['X-Forwarded-Prefix', '/api'],
  ['Forwarded', 'for=192.0.2.7;proto=https'],
  ['X-Request-Id', 'r-1'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Original-URL', '/admin'],
  ['X-Rewrite-URL', '/admin'],
  ['SSL-Client-Verify', 'SUCCESS'],
  ['X-Client-Cert', 'pem'],
  ['Client-Cert', ':AAAA:'],
  ['Via', '1.1 squid'],
  ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  ['traceparent', 'broken'],
  ['tracestate', 'a=b'],
  ['Content-MD5', 'Q2hlY2sgSW50ZWdyaXR5IQ=='],
  ['Origin', 'https://shop.example'],
  ['Access-Control-Request-Method', 'PUT'],
  ['Cookie', 'a=b; c="d"'],
  ['Accept', '*/*'],
  ['Accept', 'text/html;q=0.5'],
  ['A.b~c', 'odd name'],
  ['X-Empty', ''],
  ['X-Latin', 'Jos\xe9'],
  ['X-Tabs', 'a\tb'],
  ['SOAPAction', '"urn:x"'],
  ['Max-Forwards', '5'],
  ['Max-Forwards', 'abc'],
  ['Content_Length', '5'],
  ['Transfer.Encoding', 'chunked'],
  ['TE', 'trailers'],
  ['Keep-Alive', 'timeout=5'],
  ['Proxy-Authorization', 'Basic eDp5'],
  ['Range', 'bytes=0-10'],
  ['If-None-Match', '"x"'],
  ['Content-Type', 'application/json'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Content-Encoding', 'gzip'],
];

const connections = ['keep-alive', 'X-Hop', 'keep-alive, X-Auth-Token'];

function authorizations(token: string): readonly string[][] {
  return [
    [],
    [],
    [`Bearer ${token}`],
    [`bearer ${token}`],
    ['Bearer x.y.z'],
    ['Bearer'],
    ['Basic YWxpY2U6d29uZGVybGFuZA=='],
    ['Digest username="a"'],
    ['deadbeefcafef00d1234567890abcdef'],
    [`Bearer ${token}`, 'Basic eDp5'],
  ];
}

const bodies = ['', '{"a":1}', 'a=b&access_token=abc', 'x'.repeat(5000), '\x00\xff\r\n\r\n'];

export function shapeOf(dice: Random, token: string, index: number): Shape {
  const id = `case-${index}`;
  const method = dice.pick(methods);
  const isAsterisk = method === 'OPTIONS' && dice.chance(0.1);
  const target = isAsterisk ? '*' : dice.pick(targets);
  const lines: (readonly [string, string])[] = [['Host', 'api.example.com']];
  lines.push(['X-Case', id]);
  for (const value of dice.pick(authorizations(token))) lines.push(['Authorization', value]);
  for (let count = dice.below(8); count > 0; count--) lines.push(dice.pick(fields));
  if (dice.chance(0.1)) lines.push(['X-Hop', '1'], ['Connection', dice.pick(connections)]);
  const body = ['GET', 'HEAD', 'TRACE', 'OPTIONS'].includes(method) ? '' : dice.pick(bodies);
  const framed = frame(dice, body, method);
  const all = [...lines, ...framed.lines];
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const bytes = Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n${framed.body}`, 'latin1');
  return { id, method, target, lines: all, body, bytes };
}

function frame(dice: Random, body: string, method: string) {
  if (body === '') return { lines: method === 'POST' ? [['Content-Length', '0'] as const] : [], body: '' };
  if (dice.chance(0.6)) return { lines: [['Content-Length', String(body.length)] as const], body };
  const half = Math.ceil(body.length / 2);
  const chunks = [body.slice(0, half), body.slice(half)].filter((each) => each !== '');
  const text = chunks.map((each) => `${each.length.toString(16)}\r\n${each}\r\n`).join('');
  return { lines: [['Transfer-Encoding', 'chunked'] as const], body: `${text}0\r\n\r\n` };
}
