import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { corpus, skip as withoutCorpora } from '../../support/corpora.ts';
import { folder } from '../../support/front-proxy.ts';
import { signingKey } from '../../support/keys.ts';
import { audience, issuer, jwt } from '../../support/tokens.ts';

const PARTNER = 'https://partner.example.com';

/** A file with most rules that Envoy can judge. The wide routes are more open than the narrow ones. */
export async function judgedFile(t: Test): Promise<object> {
  const [jwks_file, partnerKeys] = [join(folder(t), 'keys.json'), join(folder(t), 'keys.json')];
  writeFileSync(jwks_file, JSON.stringify({ keys: [(await signingKey('ES256')).jwk] }));
  writeFileSync(partnerKeys, JSON.stringify({ keys: [(await signingKey('RS256')).jwk] }));
  const partner = { issuer: PARTNER, audience, jwks_file: partnerKeys, algorithms: ['RS256'] };
  const server = { issuer, audience, jwks_file, algorithms: ['ES256'], clock_skew: '30s', typ: ['at+jwt'] };
  return {
    resource: audience,
    scopes: { admin: { implies: ['orders.read'] } },
    authorization_servers: { main: server, partner },
    defaults: { upstream: 'api' },
    routes: [
      { id: 'health', match: { path: '/health', methods: ['GET'] }, access: 'public' },
      { id: 'order-new', match: { path: '/orders/new', methods: ['POST'] }, scope: 'orders.write' },
      { id: 'order-one', match: { path: '/orders/{id}', methods: ['GET', 'HEAD'] }, scope: 'orders.read' },
      { id: 'orders', match: { path: '/orders/{rest*}' }, scope: { any_of: ['orders.read orders.list', 'admin'] } },
      { id: 'own', match: { path: '/own' }, access: 'authenticated', authorization_servers: ['main'] },
      { id: 'secret', match: { path: '/files/secret/{rest*}' }, scope: 'admin' },
      { id: 'colon', match: { path: '/files/a:b' }, scope: 'admin' },
      { id: 'letter', match: { path: '/files/J%C3%BCrgen' }, scope: 'admin' },
      { id: 'files', match: { path: '/files/{rest*}' }, access: 'authenticated', forward_credential: true },
      { id: 'open', match: { path: '/open/{rest*}' }, access: 'public' },
      { id: 'open-not', match: { path: '/open/closed', methods: ['PUT'] }, scope: 'admin' },
      { id: 'maybe', match: { path: '/maybe/{id}' }, access: 'optional' },
      {
        id: 'tenant',
        match: { path: '/t', methods: ['GET'] },
        scope: 'orders.read',
        claims: { tenant: { equals: 'acme' } },
      },
      { id: 'page', match: { path: '/page' }, access: 'public', origins: ['https://app.example.com'] },
      { id: 'host', match: { path: '/{rest*}', host: 'internal.example.com' }, scope: 'admin' },
      { id: 'hosts', match: { path: '/{rest*}', host: '{t}.tenants.example.com' }, scope: 'orders.read' },
    ],
  };
}

export interface CompileCase {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly headers: readonly (readonly [string, string])[];
}

type Lines = readonly (readonly [string, string])[];

const bearer = (token: string): Lines => [['Authorization', `Bearer ${token}`]];
const read = { scope: 'orders.read' };

/** Name → the lines of the credential. */
export async function credentials(): Promise<ReadonlyMap<string, Lines>> {
  const now = Math.floor(Date.now() / 1000);
  const good = await jwt(read);
  const signed = async (claims: Record<string, unknown>, header: Record<string, unknown> = {}) =>
    bearer(await jwt({ ...read, ...claims }, { header }));
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
    ['not yet valid', await signed({ nbf: now + 600 })],
    ['issued in the future', await signed({ iat: now + 200 })],
    ['long lifetime', await signed({ exp: now + 200_000 })],
    ['old and long', await signed({ iat: now - 2_000_000, exp: now + 600 })],
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
    ['partner', bearer(await jwt({ ...read, iss: PARTNER }, { alg: 'RS256' }))],
    ['partner with another key', await signed({ iss: PARTNER })],
    ['another algorithm', bearer(await jwt(read, { alg: 'RS256' }))],
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

function caseOf(line: string, credential: string, headers: Lines, host = 'api.example.com'): CompileCase {
  const [method = '', target = ''] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
  return { name: `${line} at ${host} with ${credential}`, method, target, host, headers };
}

/** Every target with every credential, every host with some, and paths of the corpora with two. */
export function* compileCases(known: ReadonlyMap<string, Lines>): Generator<CompileCase> {
  for (const [credential, headers] of known) {
    for (const line of TARGETS) yield caseOf(line, credential, headers);
    for (const host of HOSTS)
      for (const line of ['GET /orders/7', 'GET /open/x']) yield caseOf(line, credential, headers, host);
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
  for (const target of corpusTargets()) yield caseOf(`GET ${target}`, 'read', read);
}

const LISTS = ['patt_deep_traversal', 'patt_directory_traversal', 'patt_traversals-8-deep-exotic-encoding'];

function corpusTargets(): readonly string[] {
  if (withoutCorpora !== false) return [];
  return LISTS.flatMap((list) => {
    const lines = corpus(`path-lists/${list}.txt`).split('\n').filter(Boolean);
    return lines.map((line, index) => {
      const text = Buffer.from(line.replaceAll('{FILE}', 'files/secret')).toString('latin1');
      return ['/files/', '/open/', '/'][index % 3] + text;
    });
  });
}

/** Rules that Envoy cannot judge, beside rules that it can. */
export async function askedFile(t: Test, upstream: string, decision: number): Promise<object> {
  const file = await judgedFile(t);
  return {
    ...file,
    listen: '127.0.0.1:0',
    decision: { listen: `127.0.0.1:${decision}` },
    trusted_proxies: ['127.0.0.1'],
    upstreams: { api: { url: upstream } },
    routes: [
      { id: 'files', match: { path: '/files/{rest*}', methods: ['GET'] }, access: 'authenticated' },
      { id: 'beta', match: { path: '/beta', headers: { 'x-stage': 'beta' } }, access: 'public' },
      { id: 'beta-all', match: { path: '/beta' }, scope: 'admin', when: 'request.method == "GET"' },
      {
        id: 'tenants',
        match: { path: '/tenants/{t}' },
        scope: 'orders.list',
        claims: { tenant: { equals: 'path.t' } },
      },
    ],
  };
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
