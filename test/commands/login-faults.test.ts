import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { browserLogin, type LoginResult } from '../../src/commands/login/browser-login.ts';
import { LoginFailure } from '../../src/commands/login/failure.ts';
import { loginInWords } from '../../src/commands/login/login-in-words.ts';
import { json } from '../support/endpoint.ts';
import { freePort } from '../support/free-port.ts';
import { accessToken, type Script, type ScriptedProvider, scriptedProvider } from './scripted-provider.ts';

/** The browser goes straight back, as with a provider that already knows the user. */
async function loggedIn(provider: ScriptedProvider, changes: { issuer?: string; secret?: string } = {}) {
  const options = { issuer: provider.issuer, clientId: 'cli', secret: undefined, scope: 'openid', resources: [] };
  const callback = { port: undefined, timeout: 60_000, remedy: '', onForeign: () => {} };
  const back: Promise<unknown>[] = [];
  const onReady = (url: string, redirectUri: string) => {
    const { searchParams } = new URL(url);
    provider.expect(searchParams.get('nonce') ?? '');
    back.push(fetch(`${redirectUri}?code=c&state=${searchParams.get('state')}`));
  };
  try {
    return await browserLogin({ ...options, ...callback, ...changes, onReady });
  } finally {
    await Promise.all(back);
  }
}

async function failure(t: Test, script: Script): Promise<string> {
  const outcome: unknown = await loggedIn(await scriptedProvider(t, script)).catch((error: unknown) => error);
  t.ok(outcome instanceof LoginFailure, String(outcome));
  return outcome instanceof LoginFailure ? outcome.message : '';
}

const hash = (name: string) => {
  const digest = createHash(name).update(accessToken).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
};

for (const [alg, at_hash] of [
  ['RS256', hash('sha256')],
  ['PS384', hash('sha384')],
  ['ES256', hash('sha256')],
  ['EdDSA', hash('sha512')],
] as const)
  t.test(`an ID token with ${alg} and its at_hash is accepted`, async (t) => {
    const metadata = { id_token_signing_alg_values_supported: [alg] };
    const { claims } = await loggedIn(await scriptedProvider(t, { alg, metadata, claims: { at_hash } }));
    t.match(claims, { sub: 'alice' });
  });

const past = Math.floor(Date.now() / 1000) - 3600;

for (const [title, script, told] of [
  ['a signature of another key', { foreignKey: true }, /signature verification failed/],
  ['another issuer', { claims: { iss: 'https://evil.example' } }, /"iss"/],
  ['another audience', { claims: { aud: 'other' } }, /"aud"/],
  ['no subject', { claims: { sub: undefined } }, /"sub"/],
  ['a time that is over', { claims: { exp: past } }, /"exp"/],
  ['another nonce', { claims: { nonce: 'other' } }, /its nonce/],
  ['no nonce', { claims: { nonce: undefined } }, /its nonce/],
  ['another authorized party', { claims: { azp: 'other' } }, /issued to "other"/],
  ['several audiences and no party', { claims: { aud: ['cli', 'other'] } }, /issued to none/],
  ['the hash of another token', { claims: { at_hash: hash('sha512') } }, /its at_hash/],
  ['an algorithm that is not offered', { metadata: { id_token_signing_alg_values_supported: ['RS256'] } }, /alg/],
] as const satisfies readonly (readonly [string, Script, RegExp])[])
  t.test(`an ID token with ${title} gives no token`, async (t) => {
    const message = await failure(t, script);
    t.match(message, /^the ID token is not valid: /);
    t.match(message, told);
  });

t.test('an ID token that no published key can verify gives no token', async (t) => {
  t.match(await failure(t, { metadata: { jwks_uri: undefined } }), 'no jwks_uri');
  const gone = `http://127.0.0.1:${await freePort()}/keys`;
  t.match(await failure(t, { metadata: { jwks_uri: gone } }), 'ECONNREFUSED');
});

for (const [title, tokens, told] of [
  ['another type of token', { access_token: 'x', token_type: 'DPoP' }, /has the type "DPoP"/],
  ['no token', { token_type: 'Bearer' }, /without a token/],
  ['a token that would steer a terminal', { access_token: 'x\u001b[2J', token_type: 'Bearer' }, /without a token/],
] as const)
  t.test(`an answer with ${title} is refused`, async (t) => {
    t.match(await failure(t, { tokens: (response) => json(response, tokens) }), told);
  });

t.test(
  'an error of the token endpoint is told with its remedy, and an answer that is no JSON with its status',
  async (t) => {
    const refuse = (body: string): Script => ({ tokens: (response) => void response.writeHead(400).end(body) });
    t.match(await failure(t, refuse('{"error":"invalid_grant"}')), /answers invalid_grant: run the command again/);
    t.match(await failure(t, refuse('{"error":"odd one"}')), /answers "odd one": the documentation/);
    t.match(await failure(t, refuse('<html>')), /\/token answers status 400 without a token/);
    t.match(await failure(t, { tokens: (response) => void response.destroy() }), /\/token: \w+: check that/);
  },
);

t.test(
  'metadata of another issuer, and endpoints that others can read, end the login before the browser',
  async (t) => {
    const other = 'https://other.example';
    t.match(
      await failure(t, { metadata: { issuer: other } }),
      /belong to the issuer "https:\/\/other\.example": if you/,
    );
    const http = 'http://auth.example.com/token';
    t.match(await failure(t, { metadata: { token_endpoint: http } }), /others can read/);
    t.match(await failure(t, { metadata: { token_endpoint: undefined } }), /have no token_endpoint/);
    const provider = await scriptedProvider(t);
    await t.rejects(loggedIn(provider, { issuer: `${provider.issuer}/` }), {
      message: /differs only by a slash at the end/,
    });
    await t.rejects(loggedIn(provider, { issuer: `${provider.issuer}/none` }), { message: /has no metadata at/ });
    await t.rejects(loggedIn(provider, { issuer: `http://127.0.0.1:${await freePort()}` }), {
      message: /ECONNREFUSED/,
    });
    for (const issuer of ['http://auth.example.com', 'auth.example.com', 'https://user:secret@auth.example.com'])
      await t.rejects(loggedIn(provider, { issuer }), { message: /^--issuer .*write the whole https URL/ });
  },
);

t.test('an answer without iss counts, unless the server promises it (RFC 9207)', async (t) => {
  t.ok((await loggedIn(await scriptedProvider(t))).tokens.access_token);
  const metadata = { authorization_response_iss_parameter_supported: true };
  t.match(await failure(t, { metadata }), /from the issuer none/);
});

t.test('the summary names the user of userinfo only if the subject is the same', async (t) => {
  const named = async (userinfo: Script['userinfo'] = {}) =>
    loginInWords(await loggedIn(await scriptedProvider(t, { userinfo })), 'openid');
  t.equal(await named({ sub: 'alice', name: 'Alice Ng' }), 'Signed in as Alice Ng (sub alice).\nScope: openid\n');
  t.equal(await named({ sub: 'bob', name: 'Bob' }), 'Signed in as alice.\nScope: openid\n');
  const steering: LoginResult = {
    tokens: { access_token: 'x', scope: 'a\nb' },
    claims: { sub: '\u001b[2J' },
    userinfo: {},
  };
  t.match(loginInWords(steering, undefined), /^Signed in as \ufffd\[2J\.\nScope: a\ufffdb\n$/);
});
