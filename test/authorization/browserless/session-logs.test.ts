import { createHmac } from 'node:crypto';
import t from 'tap';
import { basic } from '../running-service.ts';
import {
  consented,
  exchangeCode,
  mini,
  origin,
  queryOf,
  rival,
  runSession,
  session,
  sessionCode,
} from '../session-flow.ts';

t.test('T37: no code, key, secret, password or cookie of the exchange is in the log, at any level', async (t) => {
  const service = await runSession(t);
  const codes = [await sessionCode(service), await sessionCode(service), await sessionCode(service)];
  const [first = '', second = '', third = ''] = codes;
  const tab = await consented(service, ['orders.read']);
  const page = await tab.post('/oauth2/session/code', { client_id: mini.id }, { origin });
  codes.push((JSON.parse(page.body) as { code: string }).code);
  const inQuery = (await (await fetch(service.url + queryOf(first))).json()) as { session_key: string };
  const { session_key, openid } = await session(service);
  const typed = 'cs_mistyped-secret-0123456789';
  const signature = createHmac('sha256', Buffer.from(session_key, 'base64')).update('').digest('hex');
  await fetch(service.url + queryOf(first));
  await fetch(service.url + queryOf(second, { ...mini, secret: typed }));
  await fetch(`${service.url}${queryOf(second)}&js_code=${third}`);
  await fetch(`${service.url}${queryOf(second)}&%zz`);
  await fetch(service.url + queryOf(second), { method: 'PUT' });
  await fetch(`${service.url}/oauth2/sessions?js_code=${second}&secret=${mini.secret}`);
  await exchangeCode(service, second, rival);
  await service.post('/oauth2/session/check', { openid, signature }, basic(mini));
  await service.post('/oauth2/session/check', { openid, signature: signature.replace(/./g, '0') }, basic(mini));
  await service.introspect(session_key);
  await service.post('/oauth2/session/code', { client_id: mini.id, username: 'alice', password: typed });
  await service.service.records.close();
  await fetch(service.url + queryOf(third));

  const logged = service.logged();
  t.match(logged, /"the store is unreachable: /, 'the log is there, and outages are in it');
  t.match(logged, /"endpoint":"session"/);
  const secrets = [
    ...codes,
    inQuery.session_key,
    session_key,
    signature,
    typed,
    mini.secret,
    rival.secret,
    'wonderland',
  ];
  const cookies = [...tab.cookies.values()];
  t.ok(cookies.length > 0);
  const encoded = (text: string) => [
    text,
    encodeURIComponent(text),
    Buffer.from(text).toString('base64').slice(0, 20),
    Buffer.from(text).toString('hex'),
  ];
  for (const secret of [...secrets, ...cookies].flatMap(encoded))
    t.notOk(logged.includes(secret), `${secret.slice(0, 8)}…`);
  const key = Buffer.from(session_key, 'base64');
  for (const form of ['hex', 'base64url'] as const) t.notOk(logged.includes(key.toString(form)), form);
});
