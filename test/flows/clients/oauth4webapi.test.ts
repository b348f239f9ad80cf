import * as oauth from 'oauth4webapi';
import t, { type Test } from 'tap';
import { library, native, type Site, scope, signed, site } from './site.ts';

/** The test issuer uses http, which the library accepts only with an option. */
const http = { [oauth.allowInsecureRequests]: true };

interface Client {
  readonly site: Site;
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly auth: oauth.ClientAuth;
  readonly redirectUri: string;
}

async function client(t: Test, auth = oauth.ClientSecretBasic(library.secret)): Promise<Client> {
  const running = await site(t);
  const server = await discover(running, 'oauth2');
  return { site: running, server, client: { client_id: library.id }, auth, redirectUri: library.callback };
}

async function discover({ issuer }: Site, algorithm: 'oauth2' | 'oidc'): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { algorithm, ...http }));
}

interface Asked {
  readonly url: URL;
  readonly state: string;
  readonly verifier: string;
}

async function request({ server, client, redirectUri }: Client): Promise<Asked> {
  const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  return { url, state, verifier };
}

async function redeem({ server, client, auth, redirectUri }: Client, answer: URLSearchParams, verifier: string) {
  const response = await oauth.authorizationCodeGrantRequest(server, client, auth, answer, redirectUri, verifier, http);
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

async function tokens(here: Client): Promise<oauth.TokenEndpointResponse> {
  const { url, state, verifier } = await request(here);
  const answer = oauth.validateAuthResponse(here.server, here.client, await here.site.walk(url), state);
  return redeem(here, answer, verifier);
}

async function refresh({ server, client, auth }: Client, refreshToken = '') {
  const response = await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, http);
  return oauth.processRefreshTokenResponse(server, client, response);
}

async function introspect({ server, client, auth }: Client, token: string) {
  const response = await oauth.introspectionRequest(server, client, auth, token, http);
  return oauth.processIntrospectionResponse(server, client, response);
}

async function revoke({ server, client, auth }: Client, token: string) {
  return oauth.processRevocationResponse(await oauth.revocationRequest(server, client, auth, token, http));
}

t.test("oauth4webapi discovers the service through RFC 8414 and through OpenID Connect's address", async (t) => {
  const running = await site(t);
  const server = await discover(running, 'oauth2');
  t.strictSame(server, await discover(running, 'oidc'));
  t.match(server, {
    issuer: running.issuer,
    authorization_endpoint: `${running.issuer}/oauth2/authorize`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  });
});

for (const [method, auth] of Object.entries({
  client_secret_basic: oauth.ClientSecretBasic,
  client_secret_post: oauth.ClientSecretPost,
}))
  t.test(`oauth4webapi, ${method}: code with PKCE, introspection, refresh, revocation`, async (t) => {
    const here = await client(t, auth(library.secret));
    const first = await tokens(here);
    t.match(first, { token_type: 'bearer', scope, expires_in: Number });
    t.match(await introspect(here, first.access_token), {
      active: true,
      iss: here.site.issuer,
      client_id: library.id,
      sub: 'alice',
      scope,
    });
    const second = await refresh(here, first.refresh_token);
    t.not(second.refresh_token, first.refresh_token, 'rotated');
    await revoke(here, second.access_token);
    t.strictSame(await introspect(here, second.access_token), { active: false });
    const third = await refresh(here, second.refresh_token);
    await revoke(here, third.refresh_token ?? '');
    await t.rejects(refresh(here, third.refresh_token), { code: oauth.RESPONSE_BODY_ERROR, error: 'invalid_grant' });
    t.strictSame(await introspect(here, third.access_token), { active: false }, 'its access token too');
  });

t.test('oauth4webapi, a public client: code with PKCE, refresh, revocation', async (t) => {
  const here = {
    ...(await client(t, oauth.None())),
    client: { client_id: native.id },
    redirectUri: native.callback,
  };
  const first = await tokens(here);
  const second = await refresh(here, first.refresh_token);
  t.match(await here.site.introspect(second.access_token), { active: true, client_id: native.id });
  await revoke(here, second.access_token);
  t.strictSame(await here.site.introspect(second.access_token), { active: false });
});

t.test('oauth4webapi: client credentials', async (t) => {
  const here = await client(t);
  const { server, client: itself, auth } = here;
  const response = await oauth.clientCredentialsGrantRequest(server, itself, auth, { scope: 'orders.read' }, http);
  const token = await oauth.processClientCredentialsResponse(server, itself, response);
  t.match(token, { token_type: 'bearer', scope: 'orders.read', refresh_token: undefined });
  t.match(await introspect(here, token.access_token), { active: true, sub: library.id });
});

t.test('oauth4webapi verifies our JWTs by RFC 9068 with the keys from the metadata', async (t) => {
  const { server } = await client(t);
  const auth = oauth.ClientSecretBasic(signed.secret);
  const response = await oauth.clientCredentialsGrantRequest(server, { client_id: signed.id }, auth, { scope }, http);
  const { access_token } = await oauth.processClientCredentialsResponse(server, { client_id: signed.id }, response);
  const judge = (audience: string) => {
    const headers = { authorization: `Bearer ${access_token}` };
    return oauth.validateJwtAccessToken(server, new Request('https://api.example.com/', { headers }), audience, http);
  };
  t.match(await judge('https://api.example.com'), { iss: server.issuer, client_id: signed.id, sub: signed.id, scope });
  await t.rejects(judge('https://other.example.com'), { code: oauth.JWT_CLAIM_COMPARISON });
});

t.test('oauth4webapi rejects an answer whose iss or state does not match its request', async (t) => {
  const here = await client(t);
  const { url, state } = await request(here);
  const back = await here.site.walk(url);
  const judge = (name: string, value: string | undefined) => {
    const answer = new URL(back);
    if (value === undefined) answer.searchParams.delete(name);
    else answer.searchParams.set(name, value);
    return () => oauth.validateAuthResponse(here.server, here.client, answer, state);
  };
  t.doesNotThrow(judge('code', 'any'));
  t.throws(judge('iss', 'https://other.example'), { code: oauth.INVALID_RESPONSE });
  t.throws(judge('iss', undefined), { code: oauth.INVALID_RESPONSE }, 'the metadata promises it');
  t.throws(judge('state', 'other'), { code: oauth.INVALID_RESPONSE });
});

t.test('oauth4webapi reads every refusal: denied, a wrong verifier, a repeated code, a wrong secret', async (t) => {
  const here = await client(t);
  const { url, state, verifier } = await request(here);
  const denied = await here.site.walk(url, 'deny');
  t.throws(() => oauth.validateAuthResponse(here.server, here.client, denied, state), {
    code: oauth.AUTHORIZATION_RESPONSE_ERROR,
    error: 'access_denied',
  });
  const answer = async () => oauth.validateAuthResponse(here.server, here.client, await here.site.walk(url), state);
  const refused = { code: oauth.RESPONSE_BODY_ERROR, error: 'invalid_grant', status: 400 };
  await t.rejects(redeem(here, await answer(), oauth.generateRandomCodeVerifier()), refused);
  const used = await answer();
  const { access_token } = await redeem(here, used, verifier);
  await t.rejects(redeem(here, used, verifier), refused);
  t.strictSame(await introspect(here, access_token), { active: false }, 'what came of the code has ended');
  await t.rejects(redeem({ ...here, auth: oauth.ClientSecretBasic('wrong') }, await answer(), verifier), {
    code: oauth.WWW_AUTHENTICATE_CHALLENGE,
    status: 401,
    cause: [{ scheme: 'basic' }],
  });
});
