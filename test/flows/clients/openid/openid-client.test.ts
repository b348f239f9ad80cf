import * as client from 'openid-client';
import t from 'tap';
import { type OpenidSite, openidScope, type Registration } from './site.ts';
import { openidTests, refusal } from './story.ts';

/** The library, which verifies signatures of ID tokens too. */
function discovered({ issuer }: OpenidSite, { id, secret }: Registration): Promise<client.Configuration> {
  const auth = secret === undefined ? client.None() : client.ClientSecretBasic(secret);
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
  return client.discovery(new URL(issuer), id, undefined, auth, { execute });
}

async function request(config: client.Configuration, { callback }: Registration) {
  const checks = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
    idTokenExpected: true,
  };
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: openidScope,
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return { url, checks };
}

openidTests(t, 'openid-client', () => async (site, who) => {
  const config = await discovered(site, who);
  const login = async (changes = {}) => {
    const { url, checks } = await request(config, who);
    return client.authorizationCodeGrant(config, await site.visit(url), { ...checks, ...changes });
  };
  const first = await login();
  const { sub = '' } = first.claims() ?? {};
  const userinfo = await client.fetchUserInfo(config, first.access_token, sub);
  const second = await client.refreshTokenGrant(config, first.refresh_token ?? '');
  const state = client.randomState();
  const logout = { post_logout_redirect_uri: who.signedOut, id_token_hint: second.id_token ?? '', state };
  const again = () => client.refreshTokenGrant(config, second.refresh_token ?? '');
  return {
    discovered: config.serverMetadata().issuer,
    'ID token': first.claims(),
    userinfo,
    'ID token of another request': await refusal(login({ expectedNonce: client.randomNonce() })),
    'ID token of the refresh': second.claims(),
    'state of the logout': state,
    'signed out': (await site.visit(client.buildEndSessionUrl(config, logout))).href,
    'refresh after the logout': await refusal(again()),
  };
});
