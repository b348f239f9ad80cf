import { requestText } from '../../support/request-text.ts';

/** What a stranger may send to keep a parser, or an expression, busy for long. */
export interface Attack {
  /** The expressions and parsers of src that it targets. */
  readonly name: string;
  readonly bytes: Buffer;
  /** Any of these; undefined: also if the connection closes without a status. */
  readonly statuses: readonly (number | undefined)[];
}

type Fields = readonly (readonly [string, string])[];

const KIB = 1024;
const encode = (text: string | Buffer) => Buffer.from(text as string).toString('base64url');
const deep = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const head = encode('{"alg":"HS256","typ":"at+jwt"}');
const signature = 'A'.repeat(43);
/** Text whose normalization takes quadratic time: marks that must change places (UAX #15). */
const marks = (count: number) => `a${'\u0301'.repeat(count)}${'\u0323'.repeat(count)}`;

function get(name: string, statuses: Attack['statuses'], headers: Fields, target = '/orders/1'): Attack {
  return { name, statuses, bytes: requestText({ target, headers }) };
}

function form(name: string, statuses: Attack['statuses'], body: string, target: string, more: Fields = []): Attack {
  const headers: Fields = [['Content-Type', 'application/x-www-form-urlencoded'], ...more];
  return { name, statuses, bytes: requestText({ method: 'POST', target, headers, body }) };
}

const bearer = (token: string): Fields => [['Authorization', `Bearer ${token}`]];

/** Well-formed, but issued by no server. */
const digest = [
  'Digest username="a", realm="r", nonce="x", uri="/b", response="',
  '0'.repeat(64),
  '", algorithm=SHA-256, qop=auth, nc=00000001, cnonce="c"',
].join('');

/** At the gateway, whose heads may have 512 KiB in 100 lines. With more room, an attack takes longer. */
export const gatewayAttacks: readonly Attack[] = [
  get('a token of 256 KiB', [401], bearer('x'.repeat(256 * KIB))),
  get('a JWT of 256 KiB', [401], bearer(`${head}.${encode('x'.repeat(190 * KIB))}.${signature}`)),
  get(
    'a JWT whose header has 256 KiB',
    [401],
    bearer(`${encode(`{"alg":"${'x'.repeat(190 * KIB)}"}`)}.e30.${signature}`),
  ),
  get('100,000 dots', [401], bearer(`a${'.'.repeat(100_000)}`)),
  get(
    'JSON 20,000 deep as the header of a JWT',
    [401],
    bearer(`${encode(`{"alg":${deep(20_000)}}`)}.e30.${signature}`),
  ),
  get('JSON 20,000 deep as its payload', [401], bearer(`${head}.${encode(deep(20_000))}.${signature}`)),
  get('JSON as deep as a token may be long', [401], bearer(`${head}.${encode(deep(6_000))}.${signature}`)),
  get(
    'as many members as fit',
    [401],
    bearer(`${head}.${encode(`{${Array.from({ length: 1300 }, (_, i) => `"${i}":1`).join()}}`)}.${signature}`),
  ),
  get('token68 that ends in another character', [400], bearer(`${'='.repeat(200 * KIB)}!`)),
  get('spaces before a token', [400, 401], bearer(`${' '.repeat(200 * KIB)}!`)),
  get('a scheme of 256 KiB', [401], [['Authorization', `${'x'.repeat(256 * KIB)} `]]),
  get(
    'Basic: base64 that ends in another character',
    [400, 401],
    [['Authorization', `Basic ${'AAAA'.repeat(50 * KIB)}!`]],
    '/basic',
  ),
  ...[2_900, 40_000].map((count) =>
    get(
      `Basic: a name of ${2 * count} marks that have to change places`,
      [401],
      [['Authorization', `Basic ${Buffer.from(`${marks(count)}:x`).toString('base64')}`]],
      '/basic',
    ),
  ),
  get(
    'Digest: a quoted string without end',
    [400, 401],
    [['Authorization', `Digest username="${'\\a'.repeat(4_000)}`]],
    '/digest',
  ),
  get('Digest: commas', [400, 401], [['Authorization', `Digest ${','.repeat(8_000)}`]], '/digest'),
  get(
    'Digest: a prefix of slashes, from a proxy',
    [400],
    [
      ['Authorization', digest],
      ['X-Forwarded-Prefix', `${'/'.repeat(200 * KIB)}x`],
    ],
    '/digest',
  ),
  get(
    'Digest: an address of letters, from a proxy',
    [400],
    [
      ['Authorization', digest],
      ['X-Forwarded-Uri', `/${'a'.repeat(200 * KIB)}`],
    ],
    '/digest',
  ),
  ...['127.0.0.1,', '::1,', '[', ':', '[a]:', '127.0.0.1:1', ',', ' '].map((piece) =>
    get(`hops of ${JSON.stringify(piece)}`, [401], [['X-Forwarded-For', piece.repeat((200 * KIB) / piece.length)]]),
  ),
  get('a port of digits', [401], [['X-Forwarded-Host', `a:${'1'.repeat(200 * KIB)}x`]]),
  get('a request id of 256 KiB', [401], [['X-Request-Id', `${'a'.repeat(256 * KIB)} `]]),
  get(
    'a trace parent of 256 KiB',
    [401],
    [['traceparent', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-${'-'.repeat(256 * KIB)}`]],
  ),
  get(
    'a trace state of commas',
    [401],
    [
      ['traceparent', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`],
      ['tracestate', 'a=b,'.repeat(50 * KIB)],
    ],
  ),
  ...[';', '; ', ' ', ';action="', ';action= ', 'action='].map((piece) =>
    get(
      `a SOAP action behind ${JSON.stringify(piece)}`,
      [400, 404, 401],
      [['Content-Type', `application/soap+xml${piece.repeat((200 * KIB) / piece.length)}`]],
      '/soap',
    ),
  ),
  get('a SOAPAction of quotation marks', [404, 401], [['SOAPAction', '"'.repeat(200 * KIB)]], '/soap'),
  ...['; ', ' ', ';charset=', 'x'].map((piece) => ({
    name: `a type of form with ${JSON.stringify(piece)}`,
    statuses: [400, 401],
    bytes: requestText({
      method: 'POST',
      target: '/form',
      headers: [['Content-Type', `application/x-www-form-urlencoded${piece.repeat((200 * KIB) / piece.length)}`]],
      body: 'access_token=x',
    }),
  })),
  form('a form of ampersands', [400, 401], '&'.repeat(500 * KIB), '/form'),
  form('a form of percent signs', [400, 401], '%'.repeat(500 * KIB), '/form'),
  form('a form of encoded pairs', [400, 401], '%61ccess_toke=b&'.repeat(32 * KIB), '/form'),
  form('a form of short pairs', [400, 401], '%61=&'.repeat(100 * KIB), '/form'),
  form('a form with a token of 500 KiB', [400, 401], `access_token=${'+'.repeat(500 * KIB)}`, '/form'),
  form('a form with 36,000 tokens', [400], 'access_token=&'.repeat(36_000), '/form'),
  form(
    'a token of JSON, 20,000 deep, in a form',
    [401],
    `access_token=${head}.${encode(deep(20_000))}.${signature}`,
    '/form',
  ),
  ...['/', '/.', '/..;', '%2e', '%2F', '%c0%ae', '%e0%80%ae', '%f0%80%80%ae', '%c1%', '%25', '\\', ';', 'a'].map(
    (piece) => get(`a path of ${piece}`, [400, 401, 404], [], `/${piece.repeat((250 * KIB) / piece.length)}`),
  ),
  ...['access_token=a&', '%61ccess_toke=&', '%61=&', '&', '?', '[', '\u007e'].map((piece) =>
    get(`a query of ${piece}`, [400, 401], [], `/orders/1?${piece.repeat((250 * KIB) / piece.length)}`),
  ),
  ...['op[]=a&', 'OP;', '%6fp=&', '&', ';', '[', '+', '%5B', 'op%00'].flatMap((piece) =>
    ['/asked', '/read'].map((path) =>
      get(`a query of ${piece} at ${path}`, [400, 401, 404], [], `${path}?${piece.repeat((250 * KIB) / piece.length)}`),
    ),
  ),
  get('100,000 names in Connection', [400], [['Connection', 'a,'.repeat(100_000)]], '/read'),
  get('100,000 names in Connection, none that decides', [404], [['Connection', 'a,'.repeat(100_000)]], '/asked'),
  get('a URL of 1 MB', [431], [], `/${'a'.repeat(1_048_576)}`),
  get('an absolute target of slashes', [400, 404], [], `http://${'a'.repeat(100 * KIB)}${'/'.repeat(100 * KIB)}`),
  get('a path among 10,000 routes', [404], [], `/many/${'a/'.repeat(200 * KIB)}`),
  get('a host of dots', [400, 401, 404], [['X-Forwarded-Host', '.'.repeat(200 * KIB)]]),
  {
    name: '5,000 header lines',
    statuses: [431],
    bytes: requestText({ target: '/orders/1', headers: Array.from({ length: 5_000 }, (_, i) => [`X-${i}`, 'a']) }),
  },
  {
    name: '100 lines of Connection',
    statuses: [400, 401, 431],
    bytes: requestText({
      target: '/orders/1',
      headers: Array.from({ length: 95 }, () => ['Connection', 'a,'.repeat(2_500)]),
    }),
  },
];

const token = '/oauth2/token';
const secret = Buffer.from('shop:cs_shop-secret-of-32-bytes-or-so').toString('base64');
const asShop: Fields = [['Authorization', `Basic ${secret}`]];
const asGateway: Fields = [
  ['Authorization', `Basic ${Buffer.from('gateway:cs_gateway-secret-of-32-bytes').toString('base64')}`],
];
const ROOM = 60 * KIB;
const filled = (piece: string, room = ROOM) => piece.repeat(room / piece.length);
const refused = [400, 401];

/** At the authorization service, whose heads have 16 KiB and whose forms have 64 KiB. */
export const serviceAttacks: readonly Attack[] = [
  ...['&', '%', 'a&', '%61=b&', '+', 'grant_type=a&'].map((piece) =>
    form(`a form of ${piece}`, refused, filled(piece), token, asShop),
  ),
  form(
    '8,000 names',
    refused,
    Array.from({ length: 8_000 }, (_, i) => `${i}=1`)
      .join('&')
      .slice(0, ROOM),
    token,
    asShop,
  ),
  form('a scope of words', refused, `grant_type=client_credentials&scope=${filled('a+')}a`, token, asShop),
  form('a scope of spaces', refused, `grant_type=client_credentials&scope=a${filled('+')}`, token, asShop),
  form('2,000 resources', refused, `grant_type=client_credentials&${filled('resource=https://a.b/&')}`, token, asShop),
  form(
    'a token of JSON, 20,000 deep',
    [200],
    `token=${head}.${encode(deep(20_000))}.A`,
    '/oauth2/introspect',
    asGateway,
  ),
  form('100,000 dots, as many as fit', [200], `token=a${filled('.')}`, '/oauth2/introspect', asGateway),
  form(
    'a client of marks that change places',
    refused,
    `grant_type=client_credentials&client_id=${encodeURIComponent(marks(5_000))}`,
    token,
  ),
  form('a user of marks that change places', [400, 401], passwordOf(marks(2_400), 'x'), token),
  form('a password of marks that change places', [400, 401], passwordOf('alice', marks(2_400)), token),
  form('a verifier', refused, `grant_type=authorization_code&code=x&code_verifier=${filled('a')}`, token, asShop),
  form('a refresh token', refused, `grant_type=refresh_token&refresh_token=${filled('a')}`, token, asShop),
  get(
    'credentials that end in another character',
    [200, 400, 401, 404, 405],
    [['Authorization', `Basic ${'A'.repeat(15_000)}!`]],
    token,
  ),
  get('conditions', [200], [['If-None-Match', 'W/,'.repeat(5_000)]], '/.well-known/oauth-authorization-server'),
  get('cookies', [200, 302, 303, 400], [['Cookie', 'a=b;'.repeat(3_800)]], '/oauth2/authorize'),
  get('a language of commas', [200, 400], [['Accept-Language', 'a;q=0.1,'.repeat(1_900)]], '/oauth2/authorize'),
  ...['client_id=', 'redirect_uri=http://127.0.0.1:', 'state=', 'scope=a+', 'resource=https://', 'max_age='].map(
    (name) => get(`authorize: ${name}`, [400], [], `/oauth2/authorize?${name}${'1'.repeat(15_000)}`),
  ),
  ...['&', '%61=&', 'state=a&', '%', '/'].map((piece) =>
    get(`a query of ${piece}`, [400], [], `/oauth2/authorize?${filled(piece, 15_000)}`),
  ),
  get('a path of slashes', [400, 404], [], '/'.repeat(15_000)),
  get('a path of percent signs', [400, 404], [], `/${'%61'.repeat(5_000)}`),
  form('a login of marks that change places', [400, 401, 403], passwordOf(marks(2_400), marks(2_400)), '/oauth2/login'),
  get('a path of letters', [404], [], `/oauth2/${'a'.repeat(15_000)}`),
];

function passwordOf(username: string, password: string): string {
  const fields = { grant_type: 'password', client_id: 'legacy', username, password };
  return new URLSearchParams(fields).toString();
}
