import * as oauth from 'oauth4webapi';
import t from 'tap';
import { type OpenidSite, openidScope, type Registration } from './site.ts';
import { openidTests, refusal } from './story.ts';

/** The issuer of a test uses http, which the library rejects by default. */
const http = { [oauth.allowInsecureRequests]: true };

interface Party {
  readonly site: OpenidSite;
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly auth: oauth.ClientAuth;
  readonly who: Registration;
}

async function party(site: OpenidSite, who: Registration): Promise<Party> {
  const url = new URL(site.issuer);
  const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, http));
  const auth = who.secret === undefined ? oauth.None() : oauth.ClientSecretBasic(who.secret);
  return { site, server, client: { client_id: who.id }, auth, who };
}

async function login(
  { site, server, client, auth, who }: Party,
  expectedNonce?: string,
): Promise<oauth.TokenEndpointResponse> {
  const [state, nonce, verifier] = [
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
    oauth.generateRandomCodeVerifier(),
  ];
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: who.id,
    redirect_uri: who.callback,
    scope: openidScope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const answer = oauth.validateAuthResponse(server, client, await site.visit(url), state);
  const sent = await oauth.authorizationCodeGrantRequest(server, client, auth, answer, who.callback, verifier, http);
  const checks = { expectedNonce: expectedNonce ?? nonce, requireIdToken: true };
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, sent, checks);
  await oauth.validateApplicationLevelSignature(server, sent, http);
  return tokens;
}

async function userinfo({ server, client }: Party, tokens: oauth.TokenEndpointResponse) {
  const { sub = '' } = oauth.getValidatedIdTokenClaims(tokens) ?? {};
  const sent = await oauth.userInfoRequest(server, client, tokens.access_token, http);
  return oauth.processUserInfoResponse(server, client, sub, sent);
}

async function refresh({ server, client, auth }: Party, { refresh_token = '' }: oauth.TokenEndpointResponse) {
  const sent = await oauth.refreshTokenGrantRequest(server, client, auth, refresh_token, http);
  const tokens = await oauth.processRefreshTokenResponse(server, client, sent);
  await oauth.validateApplicationLevelSignature(server, sent, http);
  return tokens;
}

/** The library leaves this request to its user. */
function logout({ server, who }: Party, { id_token = '' }: oauth.TokenEndpointResponse, state: string): URL {
  const url = new URL(server.end_session_endpoint ?? '');
  url.search = new URLSearchParams({
    id_token_hint: id_token,
    post_logout_redirect_uri: who.signedOut,
    state,
  }).toString();
  return url;
}

openidTests(t, 'oauth4webapi', () => async (site, who) => {
  const here = await party(site, who);
  const first = await login(here);
  const second = await refresh(here, first);
  const state = oauth.generateRandomState();
  return {
    discovered: here.server.issuer,
    'ID token': oauth.getValidatedIdTokenClaims(first),
    userinfo: await userinfo(here, second),
    'ID token of another request': await refusal(login(here, oauth.generateRandomNonce())),
    'ID token of the refresh': oauth.getValidatedIdTokenClaims(second),
    'state of the logout': state,
    'signed out': (await site.visit(logout(here, second, state))).href,
    'refresh after the logout': await refusal(refresh(here, second)),
  };
});
