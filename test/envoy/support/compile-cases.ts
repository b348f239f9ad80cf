import { audience, jwt } from '../../support/tokens.ts';
import { bodyCases } from './body-cases.ts';
import { type CompileCase, caseOf, type Lines } from './case.ts';
import { PARTNER } from './judged-file.ts';

const bearer = (token: string): Lines => [['Authorization', `Bearer ${token}`]];
const read = { scope: 'orders.read' };

/** Seconds. A token must not change its validity while the cases run. */
const HALF_HOUR = 1800;

/** Name → the lines of the credential. */
export async function credentials(): Promise<ReadonlyMap<string, Lines>> {
  const now = Math.floor(Date.now() / 1000);
  const usual = { ...read, exp: now + 2 * HALF_HOUR };
  const good = await jwt(usual);
  const signed = async (claims: Record<string, unknown>, header: Record<string, unknown> = {}) =>
    bearer(await jwt({ ...usual, ...claims }, { header }));
  return new Map<string, Lines>([
    ['none', []],
    ['read', bearer(good)],
    ['admin', await signed({ scope: 'admin' })],
    ['both', await signed({ scope: 'orders.list orders.read orders.write', tenant: 'acme' })],
    ['scope without rights', await signed({ scope: 'other' })],
    ['longer scope', await signed({ scope: 'orders.reader orders.writer administrator' })],
    ['shorter scope', await signed({ scope: 'orders' })],
    ['scope with a tab', await signed({ scope: 'x\torders.read' })],
    ['no scope', await signed({ scope: undefined })],
    ['scope as a list', await signed({ scope: undefined, scp: ['orders.read'] })],
    ['list with a joined scope', await signed({ scope: undefined, scp: ['orders.read admin'] })],
    ['another tenant', await signed({ tenant: 'acme2' })],
    ['tenants', await signed({ tenant: ['acme'] })],
    ['expired', await signed({ iat: now - 600, exp: now - 120 })],
    ['not yet valid', await signed({ nbf: now + HALF_HOUR })],
    ['issued in the future', await signed({ iat: now + HALF_HOUR })],
    ['long lifetime', await signed({ exp: now + 200_000 })],
    ['old and long', await signed({ iat: now - 2_000_000 })],
    ['no exp', await signed({ exp: undefined })],
    ['another audience', await signed({ aud: 'https://other.example.com' })],
    ['audience with a slash', await signed({ aud: `${audience}/` })],
    ['audience with another scheme', await signed({ aud: audience.replace('https', 'http') })],
    ['no audience', await signed({ aud: undefined })],
    ['several audiences', await signed({ aud: ['https://other.example.com', audience] })],
    ['ID token', await signed({}, { typ: 'JWT' })],
    ['long type', await signed({}, { typ: 'application/AT+jwt' })],
    ['no type', await signed({}, { typ: undefined })],
    ['another issuer', await signed({ iss: 'https://other.example.com' })],
    ['no issuer', await signed({ iss: undefined })],
    ['bound', await signed({ cnf: { jkt: 'x' } })],
    ['logout token', await signed({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } })],
    ['key in the header', await signed({}, { jku: 'https://evil.example.com' })],
    ['number as subject', await signed({ sub: 7 })],
    ['line break in the subject', await signed({ sub: 'a\r\nX-Auth-Scope: admin' })],
    ['partner', bearer(await jwt({ ...usual, iss: PARTNER }, { alg: 'RS256' }))],
    ['partner with another key', await signed({ iss: PARTNER })],
    ['partner with another algorithm', bearer(await jwt({ ...usual, iss: PARTNER }, { alg: 'ES384' }))],
    ['another algorithm', bearer(await jwt(usual, { alg: 'RS256' }))],
    ['changed signature', bearer(`${good.slice(0, -6)}AAAAAA`)],
    ['unused bits', bearer(unusedBits(good))],
    ['without signature', bearer(`${good.slice(0, good.lastIndexOf('.'))}.`)],
    ['opaque', bearer('gh_opaque')],
    ['lower case scheme', [['Authorization', `bearer ${good}`]]],
    ['behind Basic', [['Authorization', `Basic Zm9v, Bearer ${good}`]]],
    ['twice', [...bearer(good), ...bearer(good)]],
    [
      'forged identity',
      [...bearer(good), ['X-Auth-Subject', 'root'], ['X-Auth-Other', 'root'], ['x.auth.subject', 'root']],
    ],
    ['forged underscore', [...bearer(good), ['X_Auth_Subject', 'root']]],
    ['underscore', [...bearer(good), ['X_Custom', '1']]],
    [
      'headers of one hop',
      [...bearer(good), ['Connection', 'X-Hop'], ['X-Hop', '1'], ['Keep-Alive', '5'], ['TE', 'gzip']],
    ],
    [
      'forged scope',
      [
        ['X-Auth-Scope', 'admin'],
        ['X-Auth-Client', 'root'],
        ['X~Auth~Scope', 'admin'],
      ],
    ],
    ['override', [...bearer(good), ['X-Original-URL', '/files/secret'], ['X-HTTP-Method-Override', 'PUT']]],
  ]);
}

/** The same signature with other unused bits in its last character. */
function unusedBits(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(token.slice(-1));
  return token.slice(0, -1) + alphabet[last + 1];
}

const TARGETS: readonly string[] = [
  'GET /health',
  'POST /health',
  'GET /orders',
  'GET /orders/',
  'GET /orders/7',
  'HEAD /orders/7',
  'DELETE /orders/7',
  'GET /orders/new',
  'POST /orders/new',
  'PUT /orders/new',
  'GET /orders/7/items',
  'GET /orders/7;a=b',
  'GET /orders/%37',
  'GET /%6frders/7',
  'GET /orders/a%20b',
  'GET /orders/7?x=1',
  'GET /orders/7?access_token=x',
  'GET /orders/7?access%5Ftoken=x',
  'GET /files/x',
  'GET /files/secret',
  'GET /files/secret/x',
  'GET /files/secret%2fx',
  'GET /files/%73ecret/x',
  'GET /files/Secret',
  'GET /files/./secret',
  'GET /files/x/../secret',
  'GET /files/%2e%2e/files/secret',
  'GET /files//secret',
  'GET /files/secret%3fx',
  'GET /files/secret%20',
  'GET /files/secret.',
  'GET /files/a:b',
  'GET /files/a%3Ab',
  'GET /files/a%3ab',
  'GET /files/J%C3%BCrgen',
  'GET /files/j%c3%bcrgen',
  'GET /files/J%c3%bcrgen',
  'GET /files/%E5%AD%97',
  'GET /files/x%00',
  'GET /files/x%5cy',
  'GET /files/x\\y',
  'GET /files/%252e%252e/secret',
  'GET /files/...',
  'GET /files/..x',
  'GET /open/x',
  'GET /open/closed',
  'PUT /open/closed',
  'PUT /open/x',
  'GET /open/../files/secret',
  'GET /health/../orders/7',
  'GET /own',
  'GET /maybe/x',
  'GET /maybe/',
  'GET /t',
  'GET /page',
  'TRACE /open/x',
  'CONNECT /open/x',
  'OPTIONS /open/x',
  'OPTIONS /orders/7',
  'GET /',
  'GET //',
  'GET /nothing',
  'GET /.well-known/oauth-protected-resource',
  'GET http://api.example.com/orders/7',
  'GET /orders/7#x',
  'GET /orders/7?a=b|c',
  'GET /files/%C5%BFecret',
  'GET /files/x%C2%A0',
];

const HOSTS = [
  'internal.example.com',
  'INTERNAL.example.com:80',
  'internal.example.com.',
  'a.tenants.example.com',
  'a.b.tenants.example.com',
  '127.0.0.1',
  '[::1]',
  'api.example.com:99999',
];

/** Every target with every credential, every host with some, and bodies. */
export function* compileCases(known: ReadonlyMap<string, Lines>): Generator<CompileCase> {
  for (const [credential, headers] of known) {
    for (const line of TARGETS) yield caseOf(line, credential, headers);
    for (const host of HOSTS)
      for (const line of ['GET /orders/7', 'GET /open/x']) yield caseOf(line, credential, headers, { host });
  }
  const read = known.get('read') ?? [];
  for (const origin of ['https://app.example.com', 'https://evil.example.com', 'null'])
    for (const line of ['GET /page', 'GET /orders/7', 'OPTIONS /orders/7'])
      yield caseOf(line, `origin ${origin}`, [...read, ['Origin', origin], ['Access-Control-Request-Method', 'GET']]);
  const twoPages: Lines = [
    ['Origin', 'https://app.example.com'],
    ['Origin', 'https://evil.example.com'],
  ];
  yield caseOf('GET /page', 'two origins', twoPages);
  yield* bodyCases(known);
}

export function* askedCases(known: ReadonlyMap<string, Lines>): Generator<CompileCase> {
  for (const credential of ['both', 'none', 'read', 'admin', 'expired', 'ID token', 'another tenant']) {
    const headers = known.get(credential) ?? [];
    for (const line of [
      'GET /tenants/acme',
      'GET /tenants/other',
      'GET /files/x',
      'POST /files/x',
      'GET /beta',
      'POST /beta',
    ])
      yield caseOf(line, credential, headers);
    yield caseOf('POST /beta', `${credential} and a stage`, [...headers, ['X-Stage', 'beta']]);
    yield caseOf('GET /beta', `${credential} and two stages`, [...headers, ['X-Stage', 'beta'], ['X-Stage', 'beta']]);
  }
}
