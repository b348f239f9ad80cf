import t from 'tap';
import { settableClock } from '../../support/settable-clock.ts';
import { challenge, code, redeem, refresh, type TokenAnswer, tokens, verifier } from '../grant-flow.ts';
import { basic, callback, configuration, other, run, shop, web } from '../running-service.ts';

const webJwt = { id: 'web-jwt', secret: web.secret };

async function error(response: Response | Promise<Response>): Promise<string> {
  const answered = await response;
  return `${answered.status} ${((await answered.json()) as { error: string }).error}`;
}

const refused = '400 invalid_grant';

t.test('a code is exchanged for an access token and a refresh token of what the user granted', async (t) => {
  const service = await run(t, { clock: settableClock() });
  const response = await redeem(service, await code(service));
  t.equal(response.status, 200);
  t.equal(response.headers.get('cache-control'), 'no-store');
  const answer = (await response.json()) as TokenAnswer;
  t.match(answer.access_token, /^at_/);
  t.match(answer.refresh_token, /^rt_/);
  t.match(answer, { token_type: 'Bearer', expires_in: 3600, scope: 'orders.read' });
  t.match(await service.introspect(answer.access_token), {
    active: true,
    client_id: 'web',
    sub: 'alice',
    username: 'alice',
    scope: 'orders.read',
    aud: 'https://api.example.com',
  });
});

t.test('a JWT of a code names the user, the client, the grant and when the user logged in', async (t) => {
  const service = await run(t, { config: { tokens: withClaims() } });
  const { access_token } = await tokens(service, {}, webJwt);
  const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString());
  t.match(claims, {
    sub: 'alice',
    client_id: 'web-jwt',
    scope: 'orders.read',
    tenant: 'acme',
    gid: String,
    jti: String,
  });
  t.type(claims.auth_time, 'number');
  t.match(await service.introspect(access_token), { active: true, sub: 'alice', tenant: 'acme' });
});

function withClaims() {
  const { tokens: settings } = configuration();
  return { ...settings, access: { ...settings.access, claims: { tenant: { of: 'user' as const, name: 'tenant' } } } };
}

t.test('T6: a wrong, missing or unexpected code_verifier is invalid_grant, and keeps the code valid', async (t) => {
  const service = await run(t);
  const text = await code(service);
  t.equal(await error(redeem(service, text, { code_verifier: verifier.replace('a', 'b') })), refused);
  t.equal(await error(redeem(service, text, { code_verifier: '' })), refused);
  t.equal(await error(redeem(service, text, { code_verifier: challenge })), refused, 'plain is never taken');
  t.equal((await redeem(service, text)).status, 200);
  const withoutChallenge = await code(service, { challenge: undefined });
  t.equal(await error(redeem(service, withoutChallenge)), refused);
  t.equal((await redeem(service, withoutChallenge, { code_verifier: '' })).status, 200);
});

t.test('the redirect address must equal that of the authorization request, byte by byte', async (t) => {
  const service = await run(t);
  const text = await code(service);
  for (const changed of [`${callback}/`, callback.toUpperCase(), `${callback}?a`, callback.slice(0, -1)])
    t.equal(await error(redeem(service, text, { redirect_uri: changed })), refused, changed);
  t.equal((await redeem(service, text)).status, 200);
  const sent = await code(service, { challenge: undefined });
  t.equal(await error(redeem(service, sent, { redirect_uri: '', code_verifier: '' })), refused, 'RFC 6749 §4.1.3');
  const notSent = await code(service, { challenge: undefined, redirectUriSent: false });
  t.equal((await redeem(service, notSent, { redirect_uri: '', code_verifier: '' })).status, 200);
  const withPkce = await redeem(service, await code(service), { redirect_uri: '' });
  t.equal(withPkce.status, 200, 'with PKCE it may be left out');
});

t.test('the fifth wrong attempt destroys a code', async (t) => {
  const service = await run(t);
  const text = await code(service);
  for (let index = 0; index < 4; index++) await redeem(service, text, { code_verifier: `${verifier}${index}` });
  const other = await code(service);
  t.equal((await redeem(service, other)).status, 200, 'another code is not concerned');
  await redeem(service, text, { code_verifier: `${verifier}4` });
  t.equal(await error(redeem(service, text)), refused);
});

t.test('T7: a replayed code is invalid_grant, and the tokens from it are revoked', async (t) => {
  const service = await run(t);
  for (const client of [web, webJwt]) {
    const text = await code(service, { clientId: client.id });
    const answer = (await (await redeem(service, text, {}, client)).json()) as TokenAnswer;
    t.equal((await service.introspect(answer.access_token)).active, true);
    t.equal(await error(redeem(service, text, {}, client)), refused);
    t.equal((await service.introspect(answer.access_token)).active, false);
    t.equal(await error(refresh(service, answer.refresh_token, {}, client)), refused);
  }
  t.match(service.logged(), /"event":"code_replayed"/);
});

t.test('T8, advisories 63 and 66: of 50 parallel exchanges of one code, exactly one gets 200', async (t) => {
  const service = await run(t);
  for (let round = 0; round < 4; round++) {
    const text = await code(service);
    const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(service, text)));
    t.equal(answers.filter(({ status }) => status === 200).length, 1);
    t.equal(answers.filter(({ status }) => status === 400).length, 49);
  }
});

t.test('T9: a code older than its lifetime is invalid_grant', async (t) => {
  const clock = settableClock();
  const service = await run(t, { clock });
  const [inTime, late] = [await code(service), await code(service)];
  clock.advance(59_000);
  t.equal((await redeem(service, inTime)).status, 200);
  clock.advance(1_000);
  t.equal(await error(redeem(service, late)), refused);
});

t.test('T10, advisory 68: client B cannot redeem the code of A, which A can still redeem', async (t) => {
  const service = await run(t);
  const text = await code(service);
  t.equal(await error(redeem(service, text, {}, webJwt)), refused);
  t.equal(await error(redeem(service, text, {}, other)), '400 unauthorized_client');
  t.match(service.logged(), /"event":"code_refused".*"client_id":"web-jwt"/);
  t.equal((await redeem(service, text)).status, 200);
});

t.test('a public client sends only its code and its verifier', async (t) => {
  const service = await run(t);
  const text = await code(service, { clientId: 'app', redirectUri: 'http://127.0.0.1:5000/callback' });
  const form = { grant_type: 'authorization_code', code: text, redirect_uri: 'http://127.0.0.1:5000/callback' };
  const answer = await service.post('/oauth2/token', { ...form, client_id: 'app', code_verifier: verifier });
  t.equal(answer.status, 200);
  const { refresh_token } = (await answer.json()) as TokenAnswer;
  const again = { grant_type: 'refresh_token', refresh_token, client_id: 'app' };
  t.equal((await service.post('/oauth2/token', again)).status, 200);
});

t.test('a code for a session key is refused at the token endpoint', async (t) => {
  const service = await run(t);
  t.equal(await error(redeem(service, await code(service, { use: 'session' }))), refused);
});

t.test('the token is for all granted resources, or for some of them', async (t) => {
  const service = await run(t);
  const both = ['https://api.example.com', 'https://other.example.com'];
  const narrowed = await redeem(service, await code(service, { audience: both }), { resource: both[1] ?? '' });
  const { access_token } = (await narrowed.json()) as TokenAnswer;
  t.equal((await service.introspect(access_token)).aud, 'https://other.example.com');
  const beyond = redeem(service, await code(service), { resource: 'https://other.example.com' });
  t.equal(await error(beyond), '400 invalid_target');
});

t.test('the code of a deleted user is refused', async (t) => {
  const service = await run(t);
  t.equal(await error(redeem(service, await code(service, { subject: 'nobody' }))), refused);
});

t.test('every value that is not our code is invalid_grant', async (t) => {
  const service = await run(t);
  for (const text of ['x', 'ac_', `${await code(service)}x`, "' OR 1=1 --", '\u0000', 'é'])
    t.equal(await error(redeem(service, text)), refused);
  t.equal(await error(redeem(service, '')), '400 invalid_request');
});

t.test('T15, T16: a grant that the client does not list is unauthorized_client', async (t) => {
  const service = await run(t);
  for (const grant_type of ['authorization_code', 'refresh_token', 'password'])
    t.equal(await error(service.post('/oauth2/token', { grant_type }, basic(shop))), '400 unauthorized_client');
});

t.test('the code of a user who no longer exists is refused, and not consumed', async (t) => {
  const service = await run(t);
  const text = await code(service, { subject: 'carol', username: 'carol' });
  t.equal(await error(redeem(service, text)), refused);
  t.equal(await error(redeem(service, text)), refused, 'as an unused one: nothing of it was replayed');
  const carol = { subject: 'carol', username: 'carol', name: undefined, claims: {}, createdAt: 0 };
  await service.service.records.addAccount({ ...carol, passwordHash: 'none' });
  t.equal((await redeem(service, text)).status, 200);
});
