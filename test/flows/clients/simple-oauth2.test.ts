import { createHash, randomBytes } from 'node:crypto';
import { AuthorizationCode, ClientCredentials } from 'simple-oauth2';
import t, { type Test } from 'tap';
import { library, type Site, scope, site } from './site.ts';

/** The library has neither discovery nor PKCE, state or iss. Its users add them, and this is how they do it. */
interface Client {
  readonly site: Site;
  readonly client: AuthorizationCode;
}

type Method = 'header' | 'body';

const options = ({ issuer }: Site, authorizationMethod: Method, secret: string) => ({
  client: { id: library.id, secret },
  auth: { tokenHost: issuer, tokenPath: '/oauth2/token', revokePath: '/oauth2/revoke' },
  // an answer without a body, as in RFC 7009 §2.2, is not JSON: the default, 'strict', would throw after the revocation
  http: { json: true },
  options: { authorizationMethod },
});

async function client(t: Test, method: Method = 'header'): Promise<Client> {
  const running = await site(t);
  const { auth, ...rest } = options(running, method, library.secret);
  return {
    site: running,
    client: new AuthorizationCode({ ...rest, auth: { ...auth, authorizePath: '/oauth2/authorize' } }),
  };
}

interface Asked {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
}

function request({ client }: Client): Asked {
  const [state, verifier] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
  const url = client.authorizeURL({
    redirect_uri: library.callback,
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { url, state, verifier };
}

const redeem = ({ client }: Client, code: string, verifier: string) =>
  client.getToken({ code, redirect_uri: library.callback, code_verifier: verifier });

async function code(t: Test, { site }: Client, { url, state }: Asked): Promise<string> {
  const { searchParams } = await site.walk(url);
  t.strictSame([searchParams.get('state'), searchParams.get('iss')], [state, site.issuer]);
  return searchParams.get('code') ?? '';
}

for (const method of ['header', 'body'] as const)
  t.test(`simple-oauth2, the secret in the ${method}: code with PKCE, refresh, revocation`, async (t) => {
    const here = await client(t, method);
    const asked = request(here);
    const first = await redeem(here, await code(t, here, asked), asked.verifier);
    t.match(first.token, { token_type: 'Bearer', scope });
    t.notOk(first.expired());
    t.match(await here.site.introspect(first.token.access_token ?? ''), { active: true, sub: 'alice' });
    const second = await first.refresh({ scope: 'orders.read' });
    t.equal(second.token.scope, 'orders.read');
    t.not(second.token.refresh_token, first.token.refresh_token, 'rotated');
    await second.revoke('access_token');
    t.strictSame(await here.site.introspect(second.token.access_token ?? ''), { active: false });
    const third = await second.refresh();
    await third.revokeAll();
    t.strictSame(await here.site.introspect(third.token.access_token ?? ''), { active: false });
    await t.rejects(third.refresh(), refusal(400, 'invalid_grant'));
  });

t.test('simple-oauth2: client credentials', async (t) => {
  const running = await site(t);
  const { token } = await new ClientCredentials(options(running, 'header', library.secret)).getToken({ scope });
  t.match(token, { token_type: 'Bearer', scope, refresh_token: undefined });
  t.match(await running.introspect(token.access_token ?? ''), { active: true, sub: library.id });
});

t.test('simple-oauth2 reads every refusal: denied, a wrong verifier, a repeated code, a wrong secret', async (t) => {
  const here = await client(t);
  const asked = request(here);
  const denied = (await here.site.walk(asked.url, 'deny')).searchParams;
  t.strictSame([denied.get('error'), denied.get('state')], ['access_denied', asked.state]);
  const wrong = redeem(here, await code(t, here, asked), request(here).verifier);
  await t.rejects(wrong, refusal(400, 'invalid_grant'));
  const used = await code(t, here, asked);
  await redeem(here, used, asked.verifier);
  await t.rejects(redeem(here, used, asked.verifier), refusal(400, 'invalid_grant'));
  const stranger = new ClientCredentials(options(here.site, 'header', 'wrong'));
  await t.rejects(stranger.getToken({ scope }), refusal(401, 'invalid_client'));
});

/** The exception of the library contains the answer's own words. */
function refusal(statusCode: number, error: string) {
  return { message: `Response Error: ${statusCode}`, data: { payload: { error }, res: { statusCode } } };
}
