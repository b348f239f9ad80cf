import t from 'tap';
import { babbling } from '../support/endpoint.ts';
import { gateway } from '../support/gateway.ts';
import { exchange } from '../support/raw-client.ts';
import { bearer, type RequestText, requestText } from '../support/request-text.ts';
import { active, authorizationServer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

const opaque = 'at_secret-of-the-caller-37';
const cookie = 'sessioncookie-of-the-caller-37';
const password = 'password-of-the-caller-37';
const legacy = 'password-of-the-upstream-37';
const clientSecret = 'gateway-secret-of-32-bytes-or-so';
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
const methods = { bearer_methods_supported: ['header', 'body', 'query'] };

const routes = [
  { match: { path: '/public/{x*}' }, access: 'public' },
  { match: { path: '/optional/{x*}' }, access: 'optional', ...methods },
  { match: { path: '/orders/{x*}' }, scope: 'orders.read', ...methods },
  { match: { path: '/admin/{x*}' }, scope: 'admin', when: 'request.headers["cookie"] == "x"', ...methods },
  { match: { path: '/shadow/{x*}' }, scope: 'admin', mode: 'shadow', ...methods },
];

const protectedTargets = ['/optional/a', '/orders/a', '/admin/a', '/shadow/a'];
const allTargets = [...protectedTargets, '/public/a', '/nowhere', '/orders/%00', '/a#b'];

function requests(token: string, targets: readonly string[]): RequestText[] {
  const cookies = ['Cookie', `s=${cookie}`] as const;
  const basic = ['Authorization', `Basic ${Buffer.from(`u:${password}`).toString('base64')}`] as const;
  return targets.flatMap((target) => [
    { target, headers: [bearer(token), cookies] },
    { target: `${target}?access_token=${token}&code=${password}`, headers: [cookies] },
    { method: 'POST', target, headers: [form, cookies], body: `access_token=${token}&password=${password}` },
    { target, headers: [bearer(token), bearer(token)] },
    { target, headers: [basic, cookies] },
    { target, headers: [['Authorization', `Bearer ${token} ${token}`]] },
    { target, headers: [['Authorization', token]] },
    { target, headers: [['Transfer-Encoding', token], bearer(token)] },
    { target, version: `HTTP/${token}` },
    { target, headers: [bearer(token), ['Connection', 'upgrade'], ['Upgrade', 'websocket'], cookies] },
  ]);
}

/** The text, and the encoded forms that a search for it would miss. */
function forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return [text, encodeURIComponent(text), bytes.toString('base64').slice(0, 20), bytes.toString('hex')];
}

t.test('T37: at level trace, the log never contains a token, code, password, cookie or secret', async (t) => {
  const upstream = await witness(t);
  const server = await authorizationServer(t);
  server.tokens.set(opaque, active('orders.read'));
  const { port, log } = await gateway(t, {
    upstreams: { api: { url: upstream.url, credentials: { basic: { username: 'u', password: legacy } } } },
    defaults: { upstream: 'api' },
    authorization_servers: server.config,
    routes,
  });
  const signed = await jwt({ scope: 'orders.read' });
  const foreign = await jwt({ iss: 'https://other.example' });
  const sendAll = async (token: string, to: readonly string[] = allTargets) => {
    for (const request of requests(token, to)) {
      await exchange(port, requestText(request), { method: request.method ?? 'GET' });
    }
  };
  await sendAll(opaque);
  for (const token of [signed, foreign]) await sendAll(token, protectedTargets);
  upstream.behaveAtHead((request) => void request.socket.destroy());
  await sendAll(opaque, ['/public/a', '/orders/a']);
  for (const [index, fault] of Object.values(babbling).entries()) {
    server.introspection.misbehave(fault);
    await exchange(port, requestText({ target: '/orders/a', headers: [bearer(`${opaque}-${index}`)] }));
  }
  await server.introspection.down();
  await server.keys.down();
  await sendAll(`${opaque}-unseen`, protectedTargets);
  t.ok(await until(() => log.length > 200), `${log.length} lines`);
  const lines = JSON.stringify(log);
  for (const code of ['authorization_server_unavailable', 'scope_insufficient', 'upstream_invalid'])
    t.ok(lines.includes(code), 'outages and refusals are among them');
  const signatures = [signed, foreign].map((token) => token.split('.')[2] as string);
  for (const secret of [opaque, ...signatures, cookie, password, legacy, clientSecret])
    for (const form of forms(secret)) t.notOk(lines.includes(form), form);
});
