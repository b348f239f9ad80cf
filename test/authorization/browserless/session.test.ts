import t from 'tap';
import { settableClock } from '../../support/settable-clock.ts';
import { code as authorizationCode, redeem } from '../grant-flow.ts';
import { basic, configuration, gateway, run } from '../running-service.ts';
import {
  askForCode,
  exchangeCode,
  mini,
  origin,
  plain,
  queryOf,
  rival,
  runSession,
  type SessionAnswer,
  session,
  sessionCode,
} from '../session-flow.ts';

t.test('a code gives a session key and a name for the user, and no access token', async (t) => {
  const service = await runSession(t);
  const response = await exchangeCode(service, await sessionCode(service, { scope: 'orders.read' }));
  const answer = (await response.json()) as SessionAnswer;
  t.equal(response.status, 200);
  t.strictSame(Object.keys(answer).sort(), ['expires_in', 'openid', 'scope', 'session_key']);
  t.equal(Buffer.from(answer.session_key, 'base64').length, 32);
  t.match(answer.openid, /^[A-Za-z0-9_-]{43}$/);
  t.strictSame([answer.expires_in, answer.scope], [7 * 86_400, 'orders.read']);
  t.match(Object.fromEntries(response.headers), {
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'referrer-policy': 'no-referrer',
    'content-type': 'application/json; charset=utf-8',
  });
});

t.test('a session code is valid for the lifetime of codes', async (t) => {
  const clock = settableClock();
  const service = await runSession(t, { clock });
  const response = await askForCode(service);
  t.match(await response.clone().json(), { code: /^ac_/, expires_in: 60 });
  const { code } = (await response.json()) as { code: string };
  clock.advance(60_000);
  const late = await exchangeCode(service, code);
  t.strictSame([late.status, ((await late.json()) as { error: string }).error], [400, 'invalid_grant']);
});

t.test('every form of the exchange gives the same answer: GET and POST, Basic and form, all names', async (t) => {
  const service = await runSession(t);
  const code = () => sessionCode(service);
  const grant = { grant_type: 'authorization_code' };
  const get = (path: string, headers = {}) => fetch(service.url + path, { headers });
  const ways: Record<string, () => Promise<Response>> = {
    'the query, as the old applications send it': async () => get(queryOf(await code())),
    'the query, in the words of OAuth': async () =>
      get(
        `/oauth2/session?${new URLSearchParams({ ...grant, client_id: mini.id, client_secret: mini.secret, code: await code() })}`,
      ),
    'the query with Basic': async () =>
      get(`/oauth2/session?${new URLSearchParams({ ...grant, js_code: await code() })}`, basic(mini)),
    'the form, as the old applications would': async () =>
      service.post('/oauth2/session', { ...grant, app_id: mini.id, app_secret: mini.secret, js_code: await code() }),
    'the form, in the words of OAuth': async () =>
      service.post('/oauth2/session', { ...grant, client_id: mini.id, client_secret: mini.secret, code: await code() }),
    'the code in the query of a form': async () =>
      service.post(`/oauth2/session?js_code=${await code()}`, grant, basic(mini)),
  };
  const openids = new Set<string>();
  for (const [title, send] of Object.entries(ways)) {
    const response = await send();
    t.equal(response.status, 200, title);
    openids.add(((await response.json()) as SessionAnswer).openid);
  }
  t.equal(openids.size, 1);
});

t.test('a parameter in both the query and the form counts as repeated', async (t) => {
  const service = await runSession(t);
  const code = await sessionCode(service);
  const form = { grant_type: 'authorization_code', code };
  const twice = await service.post(`/oauth2/session?js_code=x${code}`, form, basic(mini));
  t.strictSame([twice.status, ((await twice.json()) as { error: string }).error], [400, 'invalid_request']);
  t.equal((await exchangeCode(service, code)).status, 200, 'and the code is still good');
});

t.test('T21: with allow_query false the query is refused, as at every endpoint', async (t) => {
  const service = await runSession(t, { session: { allow_query: false } });
  const code = await sessionCode(service);
  const get = await fetch(service.url + queryOf(code));
  t.strictSame([get.status, get.headers.get('allow')], [405, 'POST']);
  const grant = { grant_type: 'authorization_code' };
  t.equal((await service.post(`/oauth2/session?js_code=${code}`, grant, basic(mini))).status, 400);
  t.equal((await service.post(`/oauth2/session?secret=${mini.secret}`, { ...grant, code }, basic(mini))).status, 400);
  t.equal((await exchangeCode(service, code)).status, 200);
});

t.test('T21: with allow_query true the query is accepted only at /session', async (t) => {
  const service = await runSession(t);
  const form = { grant_type: 'client_credentials', openid: 'x', signature: 'x' };
  for (const path of ['token', 'revoke', 'introspect', 'session/check', 'session/code'])
    for (const name of ['secret', 'client_secret', 'app_secret', 'js_code', 'code']) {
      const response = await service.post(`/oauth2/${path}?${name}=x`, form, basic(mini));
      t.strictSame([response.status, ((await response.json()) as { error: string }).error], [400, 'invalid_request']);
    }
  t.equal((await fetch(service.url + queryOf(await sessionCode(service)))).status, 200);
});

t.test('secret and js_code are parameters only of /session', async (t) => {
  const service = await runSession(t);
  const form = { grant_type: 'client_credentials', app_id: mini.id, secret: mini.secret };
  t.equal((await service.post('/oauth2/token', form)).status, 401);
  const js_code = await authorizationCode(service);
  const redeemed = await redeem(service, '', { js_code });
  t.strictSame([redeemed.status, ((await redeemed.json()) as { error: string }).error], [400, 'invalid_request']);
});

t.test('with compat.aliases false only the OAuth names are accepted', async (t) => {
  const service = await runSession(t, { config: { compat: { aliases: false } } });
  t.equal((await fetch(service.url + queryOf(await sessionCode(service)))).status, 401);
});

t.test('HEAD must change nothing, so it redeems no code', async (t) => {
  const service = await runSession(t);
  const code = await sessionCode(service);
  const head = await fetch(service.url + queryOf(code), { method: 'HEAD' });
  t.strictSame([head.status, head.headers.get('allow')], [405, 'GET, POST']);
  t.equal((await exchangeCode(service, code)).status, 200);
});

t.test('advisory 70: of 20 exchanges of one code at once, exactly one succeeds', async (t) => {
  const service = await runSession(t);
  const code = await sessionCode(service);
  const answers = await Promise.all(Array.from({ length: 20 }, () => exchangeCode(service, code)));
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  t.equal(answers.filter(({ status }) => status === 400).length, 19);
});

t.test('advisory 70: a reused code ends its session key, and the audit log records it', async (t) => {
  const service = await runSession(t);
  const code = await sessionCode(service);
  const { session_key } = (await (await exchangeCode(service, code)).json()) as SessionAnswer;
  t.equal((await service.introspect(session_key)).active, true);
  const again = await exchangeCode(service, code);
  t.match(await again.json(), { error: 'invalid_grant' });
  t.strictSame(await service.introspect(session_key), { active: false });
  t.match(service.logged(), /"event":"code_replayed"/);
});

t.test('advisory 70: a code of one exchange is refused at the other, and stays valid', async (t) => {
  const service = await runSession(t);
  const forSession = await sessionCode(service);
  const forToken = await authorizationCode(service, {
    clientId: mini.id,
    redirectUri: `${origin}/callback`,
    challenge: undefined,
  });
  const redeemMini = (text: string) =>
    redeem(service, text, { redirect_uri: `${origin}/callback`, code_verifier: '' }, mini);
  t.match(await (await redeemMini(forSession)).json(), { error: 'invalid_grant' });
  t.match(await (await exchangeCode(service, forToken)).json(), { error: 'invalid_grant' });
  t.equal((await exchangeCode(service, forSession)).status, 200);
  t.equal((await redeemMini(forToken)).status, 200);
});

t.test('a code is refused to another client, and is destroyed at the fifth attempt', async (t) => {
  const service = await runSession(t);
  const code = await sessionCode(service);
  t.match(await (await exchangeCode(service, code, rival)).json(), { error: 'invalid_grant' });
  t.equal((await exchangeCode(service, code)).status, 200);
  const burnt = await sessionCode(service);
  for (let count = 0; count < 5; count++) await exchangeCode(service, burnt, rival);
  t.equal((await exchangeCode(service, burnt)).status, 400);
});

t.test('a new session key replaces the previous one', async (t) => {
  const service = await runSession(t);
  const [first, second] = [await session(service), await session(service)];
  t.not(first.session_key, second.session_key);
  t.equal(first.openid, second.openid);
  t.strictSame(await service.introspect(first.session_key), { active: false });
  t.match(await service.introspect(second.session_key), {
    active: true,
    token_type: 'session_key',
    client_id: 'mini',
    username: 'alice',
    sub: 'alice',
  });
  t.strictSame(await service.introspect(second.session_key, mini), { active: false }, 'to whom may not introspect');
  await service.post('/oauth2/revoke', { token: second.session_key }, basic(mini));
  t.strictSame(await service.introspect(second.session_key, gateway), { active: false });
});

t.test('only clients with session: true can use the exchange, and with enabled: false no client can', async (t) => {
  const service = await runSession(t);
  const asked = await askForCode(service, { client_id: plain.id });
  t.match(await asked.json(), { error: 'unauthorized_client' });
  const exchanged = await exchangeCode(service, 'x', plain);
  t.strictSame([exchanged.status, await exchanged.json()].slice(0, 1), [400]);
  const check = await service.post('/oauth2/session/check', { openid: 'x', signature: 'x' }, basic(plain));
  t.match(await check.json(), { error: 'unauthorized_client' });
  const off = await run(t);
  for (const path of ['session', 'session/code', 'session/check'])
    t.equal((await off.post(`/oauth2/${path}`, {})).status, 404, path);
  t.equal((await fetch(`${off.url}/oauth2/session?js_code=x`)).status, 404);
});

t.test('a client without a secret cannot use the exchange, even if it is registered for it', async (t) => {
  const clients = [
    ...configuration().clients,
    { client_id: 'open', session: true, grant_types: ['password' as const] },
  ];
  const service = await runSession(t, { config: { clients } });
  t.match(await (await askForCode(service, { client_id: 'open' })).json(), { error: 'unauthorized_client' });
  const exchanged = await service.post('/oauth2/session', {
    client_id: 'open',
    grant_type: 'authorization_code',
    code: 'x',
  });
  t.match(await exchanged.json(), { error: 'unauthorized_client' });
});

t.test('missing or unknown values are reported with the errors of RFC 6749 §5.2', async (t) => {
  const service = await runSession(t);
  const answers: [Record<string, string>, Record<string, string>, number, string][] = [
    [{}, basic(mini), 400, 'invalid_request'],
    [{ code: 'x' }, basic(mini), 400, 'invalid_request'],
    [{ grant_type: 'password', code: 'x' }, basic(mini), 400, 'unsupported_grant_type'],
    [{ grant_type: 'authorization_code' }, basic(mini), 400, 'invalid_request'],
    [{ grant_type: 'authorization_code', code: 'x' }, basic(mini), 400, 'invalid_grant'],
    [{ grant_type: 'authorization_code', code: 'x' }, basic({ ...mini, secret: 'wrong' }), 401, 'invalid_client'],
    [{ grant_type: 'authorization_code', code: 'x' }, basic({ ...mini, id: 'nobody' }), 401, 'invalid_client'],
    [{ grant_type: 'authorization_code', code: 'x', app_id: mini.id }, {}, 401, 'invalid_client'],
  ];
  for (const [form, headers, status, error] of answers) {
    const response = await service.post('/oauth2/session', form, headers);
    t.equal(response.status, status, JSON.stringify(form));
    t.match(await response.json(), { error, request_id: response.headers.get('x-request-id') });
    t.equal(response.headers.get('cache-control'), 'no-store');
    t.equal(response.headers.get('referrer-policy'), 'no-referrer');
  }
});

t.test('a user who no longer exists gets no session key', async (t) => {
  const service = await runSession(t);
  const code = await sessionCode(service);
  service.service.accounts.bySubject = async () => undefined;
  t.match(await (await exchangeCode(service, code)).json(), { error: 'invalid_grant' });
});

t.test('the metadata does not list the exchange: no specification has a name for it', async (t) => {
  const service = await runSession(t);
  t.notMatch(await (await fetch(`${service.url}/.well-known/oauth-authorization-server`)).text(), /session/);
});
