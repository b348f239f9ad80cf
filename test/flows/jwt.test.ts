import t, { type Test } from 'tap';
import type { AlgorithmName } from '../../src/jwt/algorithms.ts';
import { behind, gateway } from '../support/gateway.ts';
import { secret } from '../support/keys.ts';
import { ask } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { authorizationServer, jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const scope = { scope: 'orders.read' };

async function bench(t: Test, algorithms: readonly AlgorithmName[] = ['ES256'], changes: object = {}) {
  const upstream = await witness(t);
  const server = await authorizationServer(t, { algorithms, changes });
  const { port } = await gateway(t, behind(upstream.url, { authorization_servers: server.config }));
  return {
    upstream,
    server,
    get: (token: string) => ask(port, requestText({ target: '/orders/1', headers: [bearer(token)] })),
  };
}

function codeOf(response: RawResponse): string {
  return JSON.parse(response.body.toString()).code;
}

const pairs: readonly AlgorithmName[] = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
];

for (const alg of pairs) {
  t.test(`a token signed with ${alg} opens its route, with one fetch of the keys`, async (t) => {
    const { server, get } = await bench(t, [alg]);
    for (let i = 0; i < 3; i++) t.equal((await get(await jwt(scope, { alg }))).status, 200);
    t.equal(server.keys.calls.length, 1);
    t.equal(server.introspection.calls.length, 0);
  });
}

for (const alg of ['HS256', 'HS384', 'HS512'] as const) {
  t.test(`a token signed with ${alg} and the shared secret opens its route`, async (t) => {
    const { get } = await bench(t, [], { algorithms: [alg], secret, jwks_uri: undefined });
    t.equal((await get(await jwt(scope, { alg }))).status, 200);
  });
}

t.test('an algorithm that is not listed is refused, even if its key is in the set', async (t) => {
  const { get } = await bench(t, ['ES256', 'RS256'], { algorithms: ['ES256'] });
  const response = await get(await jwt(scope, { alg: 'RS256' }));
  t.equal(response.status, 401);
  t.equal(codeOf(response), 'token_algorithm');
});

const now = Math.floor(Date.now() / 1000);

/** Semantics 4 and statements T24 to T27: the fault of a token, and its code. */
const wrong: readonly (readonly [
  title: string,
  claims: Record<string, unknown>,
  header: Record<string, unknown>,
  codes: readonly string[],
])[] = [
  ['expired', { exp: now - 60 }, {}, ['token_expired']],
  ['not valid yet', { nbf: now + 600 }, {}, ['token_not_yet_valid']],
  ['of another issuer', { iss: 'https://evil.example' }, {}, ['token_issuer']],
  ['of an issuer that differs by a slash', { iss: 'https://auth.example.com/' }, {}, ['token_issuer']],
  ['without an issuer', { iss: undefined }, {}, ['token_issuer', 'token_malformed']],
  ['for another audience', { aud: 'https://other.example' }, {}, ['token_audience']],
  ['for no audience', { aud: undefined }, {}, ['token_audience', 'token_malformed']],
  ['for an empty list of audiences', { aud: [] }, {}, ['token_audience', 'token_malformed']],
  ['without an end', { exp: undefined }, {}, ['token_malformed', 'token_expired']],
  ['with an end that is text', { exp: String(now + 300) }, {}, ['token_malformed', 'token_expired']],
  ['of type JWT', {}, { typ: 'JWT' }, ['token_type']],
  ['without a type', {}, { typ: undefined }, ['token_type']],
  ['an identity token', { nonce: 'x' }, { typ: 'id_token' }, ['token_type']],
  ['a logout token', { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }, {}, ['token_type']],
  ['bound to a key by DPoP', { cnf: { jkt: 'x' } }, {}, ['token_bound']],
  ['bound to a certificate', { cnf: { 'x5t#S256': 'x' } }, {}, ['token_bound']],
  ['with an unknown kid', {}, { kid: 'other' }, ['token_signature']],
  ['with a kid that is a path', {}, { kid: '../../etc/passwd' }, ['token_signature']],
  ['with a header that must be understood', {}, { crit: ['exp'], exp: now }, ['token_malformed', 'token_signature']],
];

t.test('a token with one fault is 401 with its code, and causes no call except one for keys (T24–T27)', async (t) => {
  const { server, upstream, get } = await bench(t);
  t.equal((await get(await jwt(scope))).status, 200);
  for (const [title, claims, header, codes] of wrong) {
    const token =
      header.crit === undefined ? await jwt({ ...scope, ...claims }, { header }) : await critical(claims, header);
    const response = await get(token);
    t.equal(response.status, 401, title);
    t.ok(codes.includes(codeOf(response)), `${title}: ${codeOf(response)}`);
    t.match(response.header('www-authenticate'), /error="invalid_token"/);
  }
  t.equal(upstream.seen.length, 1);
  t.equal(server.introspection.calls.length, 0, 'a JWT with a known issuer is never introspected');
  t.ok(server.keys.calls.length <= 2, 'unknown kids share one fetch');
});

/** jose refuses to sign a `crit` that it does not know, so the header replaces a valid one. */
async function critical(claims: Record<string, unknown>, header: Record<string, unknown>): Promise<string> {
  const [head = '', body, signature] = (await jwt({ ...scope, ...claims })).split('.');
  const changed = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), ...header };
  return `${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${body}.${signature}`;
}

t.test('a header that contains its own key, or an address of one, causes no call (T24)', async (t) => {
  const { server, get } = await bench(t);
  await get(await jwt(scope));
  const calls = server.keys.calls.length;
  for (const extra of [
    { jku: `${server.keys.url}/evil` },
    { x5u: `${server.keys.url}/evil` },
    { jwk: { kty: 'oct', k: 'AAAA' } },
  ]) {
    await get(await jwt({ ...scope, jti: JSON.stringify(extra) }, { header: extra }));
  }
  t.equal(server.keys.calls.length, calls);
});

t.test('none, in any spelling, and a public key as HMAC secret are refused', async (t) => {
  const { get, upstream } = await bench(t, ['RS256']);
  const [, body, signature] = (await jwt(scope, { alg: 'RS256' })).split('.');
  for (const alg of ['none', 'None', 'NONE', 'nOnE', '', 'HS256', 'hs256', 'RS256 ', null, 7, ['RS256']]) {
    const header = Buffer.from(JSON.stringify({ alg, typ: 'at+jwt', kid: 'key-RS256' })).toString('base64url');
    for (const token of [`${header}.${body}.${signature}`, `${header}.${body}.`]) {
      const response = await get(token);
      t.equal(response.status, 401, JSON.stringify(alg));
    }
  }
  t.equal(upstream.seen.length, 0);
});

t.test('every other spelling of a valid token is refused, whether the valid one is cached or not', async (t) => {
  const { get, upstream } = await bench(t);
  const token = await jwt(scope);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const others = [...alphabet].map((last) => token.slice(0, -1) + last).filter((each) => each !== token);
  const padded = [
    `${token}=`,
    `${token}==`,
    `${token}.`,
    `.${token}`,
    token.replace('.', '..'),
    token.replaceAll('-', '+').replaceAll('_', '/'),
  ].filter((each) => each !== token);
  for (const spelling of [...others, ...padded])
    t.ok([400, 401].includes((await get(spelling)).status), spelling.slice(-8));
  t.equal((await get(token)).status, 200);
  for (const spelling of [...others, ...padded])
    t.ok([400, 401].includes((await get(spelling)).status), spelling.slice(-8));
  t.equal(upstream.seen.length, 1);
});

t.test('a token that expires while it is cached is refused from then on', async (t) => {
  const { get } = await bench(t, ['ES256'], { clock_skew: '0s' });
  const token = await jwt({ ...scope, exp: Math.floor(Date.now() / 1000) + 5 });
  t.equal((await get(token)).status, 200);
  await new Promise((waited) => setTimeout(waited, 5500));
  const response = await get(token);
  t.equal(response.status, 401);
  t.equal(codeOf(response), 'token_expired');
});

t.test(
  'keys that are unavailable at the start are 503 with Retry-After, never 401, and no other keys are used',
  async (t) => {
    const upstream = await witness(t);
    const server = await authorizationServer(t, { changes: { jwks: { cooldown: '100ms' } } });
    await server.keys.down();
    const { port } = await gateway(t, behind(upstream.url, { authorization_servers: server.config }));
    const token = await jwt(scope);
    const response = await ask(port, requestText({ target: '/orders/1', headers: [bearer(token)] }));
    t.equal(response.status, 503);
    t.ok(Number(response.header('retry-after')) > 0);
    t.same(response.all('www-authenticate'), []);
    t.equal(codeOf(response), 'authorization_server_unavailable');
    await server.keys.up();
    let status = 0;
    for (let i = 0; i < 40 && status !== 200; i++) {
      await new Promise((waited) => setTimeout(waited, 100));
      status = (await ask(port, requestText({ target: '/orders/1', headers: [bearer(token)] }))).status;
    }
    t.equal(status, 200, 'it recovers without a restart');
  },
);

t.test('hundreds of tokens with unknown kids cause only a few key fetches', async (t) => {
  const { server, get } = await bench(t);
  t.equal((await get(await jwt(scope))).status, 200);
  const [, body, signature] = (await jwt(scope)).split('.');
  for (let i = 0; i < 200; i++) {
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: `kid-${i}` })).toString('base64url');
    const { status } = await get(`${header}.${body}.${signature}`);
    t.equal(status, 401);
  }
  t.ok(server.keys.calls.length <= 3, `${server.keys.calls.length} fetches`);
});
