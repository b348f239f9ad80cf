import * as oauth from 'oauth4webapi';
import t, { type Test } from 'tap';
import { decide, type FrontService, signedIn } from '../browser/walk.ts';
import { documentHost, redirectUri, runWithDocuments } from '../documents/document-host.ts';
import { configuration } from '../running-service.ts';
import { runRegistering } from './registering.ts';

/** The issuer of a test uses http, which the library rejects by default. */
const http = { [oauth.allowInsecureRequests]: true };

async function discovered({ issuer }: FrontService): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  const options = { ...http, algorithm: 'oauth2' } as const;
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options));
}

interface Party {
  readonly service: FrontService;
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly auth: oauth.ClientAuth;
}

/** A login with the consent of alice, a refresh and a revocation, as the library does them. */
async function story(t: Test, { service, server, client, auth }: Party): Promise<void> {
  const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: 'orders.read',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: 'https://api.example.com',
  }).toString();
  const tab = await signedIn(service);
  const { location } = await decide(tab, await tab.get(url.href), ['orders.read']);
  const answer = oauth.validateAuthResponse(server, client, location ?? new URL('x:'), state);
  const sent = await oauth.authorizationCodeGrantRequest(server, client, auth, answer, redirectUri, verifier, http);
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, sent);
  t.equal(tokens.scope, 'orders.read');
  const again = await oauth.refreshTokenGrantRequest(server, client, auth, tokens.refresh_token ?? '', http);
  const { access_token } = await oauth.processRefreshTokenResponse(server, client, again);
  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, auth, access_token, http));
}

const metadata = {
  client_name: 'Order Agent',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
};

t.test('oauth4webapi registers a client with each method, and logs its user in', async (t) => {
  const service = await runRegistering(t);
  const server = await discovered(service);
  const { privateKey, publicKey } = await oauth.generateKeyPair('ES256');
  const jwks = {
    keys: [{ ...(await crypto.subtle.exportKey('jwk', publicKey)), kid: 'k', alg: 'ES256' }],
  } as oauth.JWKS;
  const methods: Readonly<Record<string, (secret: string) => oauth.ClientAuth>> = {
    none: () => oauth.None(),
    client_secret_basic: oauth.ClientSecretBasic,
    client_secret_post: oauth.ClientSecretPost,
    private_key_jwt: () => oauth.PrivateKeyJwt({ key: privateKey, kid: 'k' }),
  };
  for (const [method, authOf] of Object.entries(methods)) {
    const said = { ...metadata, token_endpoint_auth_method: method, ...(method === 'private_key_jwt' && { jwks }) };
    const sent = await oauth.dynamicClientRegistrationRequest(server, said as unknown as Partial<oauth.Client>, http);
    const client = await oauth.processDynamicClientRegistrationResponse(sent);
    await story(t, { service, server, client, auth: authOf(String(client.client_secret ?? '')) });
    t.pass(method);
  }
});

t.test('oauth4webapi uses the URL of a metadata document as its client id', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t, { config: { clients: configuration().clients } });
  const server = await discovered(service);
  t.equal(server.client_id_metadata_document_supported, true);
  const id = host.publish('/client.json', metadata);
  await story(t, { service, server, client: { client_id: id }, auth: oauth.None() });
  const { privateKey, publicKey } = await oauth.generateKeyPair('EdDSA');
  const jwks = { keys: [{ ...(await crypto.subtle.exportKey('jwk', publicKey)), kid: 'k' }] };
  const keyed = host.publish('/keyed.json', { ...metadata, token_endpoint_auth_method: 'private_key_jwt', jwks });
  const auth = oauth.PrivateKeyJwt({ key: privateKey, kid: 'k' });
  await story(t, { service, server, client: { client_id: keyed }, auth });
});
