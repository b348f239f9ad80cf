import { createHmac } from 'node:crypto';
import t from 'tap';
import { basic, shop } from '../running-service.ts';
import { exchangeCode, mini, plain, queryOf, runSession, session, sessionCode } from '../session-flow.ts';

const errcode = { session: { errors: 'errcode' } } as const;

t.test('session.errors: errcode answers every refusal with status 200 and its number', async (t) => {
  const service = await runSession(t, errcode);
  const get = (path: string) => fetch(service.url + path);
  const used = await sessionCode(service);
  t.match(await (await get(queryOf(used))).json(), { session_key: /=$/, openid: /./ });
  const attempts: [string, Promise<Response>, number, string][] = [
    ['a used code', get(queryOf(used)), 40163, 'code been used'],
    ['a bad code', get(queryOf('x')), 40029, 'invalid code'],
    ['an unknown client', get(queryOf('x', { ...mini, id: 'nobody' })), 40013, 'invalid appid'],
    ['a wrong secret', get(queryOf('x', { ...mini, secret: 'wrong' })), 40125, 'invalid appsecret'],
    ['no secret', get(`/oauth2/session?appid=${mini.id}&js_code=x`), 40125, 'invalid appsecret'],
    ['another client', exchangeCode(service, await sessionCode(service), plain), 48001, 'api unauthorized'],
    ['another grant', service.post('/oauth2/session', { grant_type: 'x' }, basic(mini)), 40002, 'invalid grant_type'],
    ['no code', get(queryOf('')), 40035, 'The parameter code is missing.'],
  ];
  for (const [title, sent, code, errmsg] of attempts) {
    const response = await sent;
    t.equal(response.status, 200, title);
    const request_id = response.headers.get('x-request-id');
    t.strictSame(await response.json(), { errcode: code, errmsg, request_id });
    t.equal(response.headers.get('www-authenticate'), null);
    t.equal(response.headers.get('cache-control'), 'no-store');
  }
});

t.test('wrong secrets lead to 45011 with Retry-After, an outage is -1', async (t) => {
  const service = await runSession(t, { ...errcode, config: { login: { max_failures: 1, window: 900_000 } } });
  const wrong = () => fetch(service.url + queryOf('x', { ...mini, secret: 'wrong' }));
  await wrong();
  const limited = await wrong();
  t.match(await limited.json(), { errcode: 45011 });
  t.ok(Number(limited.headers.get('retry-after')) > 890);
  await service.service.records.close();
  const down = await fetch(service.url + queryOf('x'));
  t.strictSame([down.status, ((await down.json()) as { errcode: number }).errcode], [200, -1]);
});

t.test('a wrong signature is 87009, a right one is no error', async (t) => {
  const service = await runSession(t, errcode);
  const { openid, session_key } = await session(service);
  const check = (signature: string) => service.post('/oauth2/session/check', { openid, signature }, basic(mini));
  t.match(await (await check('0'.repeat(64))).json(), { errcode: 87009, errmsg: 'invalid signature' });
  const signature = createHmac('sha256', Buffer.from(session_key, 'base64')).update('').digest('hex');
  t.strictSame(await (await check(signature)).json(), { valid: true });
});

t.test('the numbers are only for the exchange: /token and /session/code use OAuth errors', async (t) => {
  const service = await runSession(t, errcode);
  t.equal((await service.post('/oauth2/token', {}, basic({ ...shop, secret: 'wrong' }))).status, 401);
  t.equal((await service.post('/oauth2/session/code', { client_id: 'nobody' })).status, 400);
});
