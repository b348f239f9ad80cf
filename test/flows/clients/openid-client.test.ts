import * as client from 'openid-client';
import t, { type Test } from 'tap';
import { library, native, type Site, scope, site } from './site.ts';

interface Client {
  readonly site: Site;
  readonly config: client.Configuration;
  readonly redirectUri: string;
}

interface Discovery {
  readonly algorithm?: 'oauth2' | 'oidc';
  readonly id?: string;
  readonly auth?: client.ClientAuth;
  readonly redirectUri?: string;
}

async function discovered(running: Site, { algorithm = 'oauth2', ...who }: Discovery = {}): Promise<Client> {
  const { id = library.id, auth = client.ClientSecretBasic(library.secret), redirectUri = library.callback } = who;
  const execute = [client.allowInsecureRequests];
  const config = await client.discovery(new URL(running.issuer), id, undefined, auth, { algorithm, execute });
  return { site: running, config, redirectUri };
}

const found = async (t: Test, discovery?: Discovery) => discovered(await site(t), discovery);

interface Asked {
  readonly url: URL;
  readonly checks: { readonly pkceCodeVerifier: string; readonly expectedState: string };
}

async function request({ config, redirectUri }: Client): Promise<Asked> {
  const checks = { pkceCodeVerifier: client.randomPKCECodeVerifier(), expectedState: client.randomState() };
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    state: checks.expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return { url, checks };
}

async function tokens(here: Client) {
  const { url, checks } = await request(here);
  return client.authorizationCodeGrant(here.config, await here.site.walk(url), checks);
}

t.test("openid-client discovers the service through RFC 8414 and through OpenID Connect's address", async (t) => {
  const running = await site(t);
  const [plain, openid] = [await discovered(running), await discovered(running, { algorithm: 'oidc' })];
  t.strictSame(plain.config.serverMetadata(), openid.config.serverMetadata());
  t.equal(plain.config.serverMetadata().issuer, running.issuer);
  t.ok(plain.config.serverMetadata().supportsPKCE());
  await t.rejects(
    client.discovery(new URL(running.issuer), library.id),
    { code: 'OAUTH_HTTP_REQUEST_FORBIDDEN' },
    'http is taken because the test says so',
  );
});

for (const [method, auth] of Object.entries({
  client_secret_basic: client.ClientSecretBasic,
  client_secret_post: client.ClientSecretPost,
}))
  t.test(`openid-client, ${method}: code with PKCE, introspection, refresh, revocation`, async (t) => {
    const here = await found(t, { auth: auth(library.secret) });
    const { config } = here;
    const first = await tokens(here);
    t.match(first, { token_type: 'bearer', scope });
    t.ok((first.expiresIn() ?? 0) > 0);
    t.match(await client.tokenIntrospection(config, first.access_token), {
      active: true,
      iss: here.site.issuer,
      client_id: library.id,
      sub: 'alice',
    });
    const second = await client.refreshTokenGrant(config, first.refresh_token ?? '', { scope: 'orders.read' });
    t.equal(second.scope, 'orders.read', 'narrowed');
    t.not(second.refresh_token, first.refresh_token, 'rotated');
    await client.tokenRevocation(config, second.access_token, { token_type_hint: 'access_token' });
    t.strictSame(await client.tokenIntrospection(config, second.access_token), { active: false });
    await client.tokenRevocation(config, second.refresh_token ?? '', { token_type_hint: 'refresh_token' });
    await t.rejects(client.refreshTokenGrant(config, second.refresh_token ?? ''), {
      code: 'OAUTH_RESPONSE_BODY_ERROR',
      error: 'invalid_grant',
    });
  });

t.test('openid-client, a public client: code with PKCE, refresh, revocation', async (t) => {
  const here = await found(t, { id: native.id, auth: client.None(), redirectUri: native.callback });
  const first = await tokens(here);
  const second = await client.refreshTokenGrant(here.config, first.refresh_token ?? '');
  t.match(await here.site.introspect(second.access_token), { active: true, client_id: native.id });
  await client.tokenRevocation(here.config, second.access_token);
  t.strictSame(await here.site.introspect(second.access_token), { active: false });
});

t.test('openid-client: client credentials', async (t) => {
  const { config } = await found(t);
  const token = await client.clientCredentialsGrant(config, { scope: 'orders.read' });
  t.match(token, { token_type: 'bearer', scope: 'orders.read', refresh_token: undefined });
  t.match(await client.tokenIntrospection(config, token.access_token), { active: true, sub: library.id });
});

t.test('openid-client rejects an answer whose iss or state does not match its request', async (t) => {
  const here = await found(t);
  const { url, checks } = await request(here);
  const back = await here.site.walk(url);
  const redeem = (name: string, value: string | undefined) => {
    const answer = new URL(back);
    if (value === undefined) answer.searchParams.delete(name);
    else answer.searchParams.set(name, value);
    return client.authorizationCodeGrant(here.config, answer, checks);
  };
  const refused = { name: 'ClientError', code: 'OAUTH_INVALID_RESPONSE' };
  await t.rejects(redeem('iss', 'https://other.example'), refused);
  await t.rejects(redeem('iss', undefined), refused, 'the metadata promises it');
  await t.rejects(redeem('state', 'other'), refused);
  await t.resolves(redeem('unrelated', 'parameter'), 'the code was not touched by any of them');
});

t.test('openid-client reads every refusal: denied, a wrong verifier, a repeated code, a wrong secret', async (t) => {
  const here = await found(t);
  const { url, checks } = await request(here);
  const denied = await here.site.walk(url, 'deny');
  await t.rejects(client.authorizationCodeGrant(here.config, denied, checks), {
    code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
    error: 'access_denied',
  });
  const refused = { code: 'OAUTH_RESPONSE_BODY_ERROR', error: 'invalid_grant', status: 400 };
  const wrong = { ...checks, pkceCodeVerifier: client.randomPKCECodeVerifier() };
  await t.rejects(client.authorizationCodeGrant(here.config, await here.site.walk(url), wrong), refused);
  const used = await here.site.walk(url);
  await client.authorizationCodeGrant(here.config, used, checks);
  await t.rejects(client.authorizationCodeGrant(here.config, used, checks), refused);
  const { config } = await discovered(here.site, { auth: client.ClientSecretBasic('wrong') });
  await t.rejects(client.clientCredentialsGrant(config), { code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE', status: 401 });
});
