import t, { type Test } from 'tap';
import { caddy, programAt } from '../support/front-proxy.ts';
import { bearer } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { fronted, gist, type Starts } from './asked-by.ts';
import { crossings, refusals, spoofed, twoHosts } from './asked-cases.ts';

const page = 'behind-caddy.md';
const start: Starts = (t, page, { decision, listen, upstream }) =>
  caddy(t, page, { '127.0.0.1:8082': decision, '127.0.0.1:8080': listen, '127.0.0.1:9000': upstream });
const open = (t: Test, changes?: object) => fronted(t, page, start, changes);
const options = { skip: programAt('caddy') === undefined && 'caddy not present' };
const token = (scope = 'orders.read') => jwt({ scope }, { alg: 'HS256' });

t.test('Caddy forwards accepted requests, with the identity and without the token', options, async (t) => {
  const { send, upstream, proxy, gateway } = await open(t);
  const response = await send({ target: '/orders/%7e1?a=b', headers: [bearer(await token())] });
  t.equal(response.status, 200, proxy.log() + JSON.stringify(gateway.log.slice(-2)));
  const [seen] = upstream.seen;
  t.equal(seen?.target, '/orders/%7e1?a=b');
  t.strictSame(
    ['x-auth-subject', 'x-auth-client', 'x-auth-scope', 'authorization', 'x-gatehouse-clear'].map((name) =>
      seen?.header(name),
    ),
    ['alice', 'shop', 'orders.read', undefined, undefined],
  );
  const write = { method: 'POST', target: '/orders', headers: [bearer(await token('orders.write'))], body: 'hello' };
  t.equal((await send(write)).status, 200);
  t.equal(upstream.seen[1]?.body.toString(), 'hello');
  t.equal((await send({ target: '/catalogue/1', headers: [bearer('its-own')] })).status, 200);
  t.equal(upstream.seen[2]?.header('authorization'), 'Bearer its-own', 'on a public route it passes');
});

t.test('every refusal, preflight and document through Caddy is the same as from the gateway', options, async (t) => {
  const { send, direct, upstream } = await open(t);
  for (const [name, request] of Object.entries(await refusals()))
    t.strictSame(gist(await send(request)), gist(await direct(request)), name);
  const limited = { target: '/reports/1', headers: [bearer(await token())] };
  for (const status of [200, 200, 429]) t.equal((await send(limited)).status, status);
  t.ok((await send(limited)).header('retry-after'));
  t.equal(upstream.seen.length, 2);
});

t.test("a client cannot imitate Caddy's or Gatehouse's headers", options, async (t) => {
  await spoofed(t, await open(t));
});

t.test('only the gateway can set headers with the identity prefix, in any spelling', options, async (t) => {
  const { send, upstream } = await open(t);
  for (const name of ['X-Auth-Else', 'x-auth-else', 'X_Auth_Else', 'X-Auth_Else', 'X_Auth-Else', 'x_auth_subject']) {
    t.equal((await send({ target: '/catalogue/1', headers: [[name, 'mallory']] })).status, 200);
    t.notMatch(JSON.stringify(upstream.seen.pop()?.rawHeaders), 'mallory', name);
  }
});

t.test(
  "advisory 1, 8, 16, 21, 55, 59: every spelling of a path gets the same decision as at the gateway's own listener",
  options,
  async (t) => {
    const running = await open(t);
    // Go rewrites a target that is not a URI. Caddy asks about the rewritten target and forwards it.
    await crossings(t, running, { asks: (target) => target.replace('#', '%23'), asAsked: true });
    await twoHosts(t, running);
  },
);

t.test('advisory 4, 33: Connection removes no header that is added for the upstream', options, async (t) => {
  const { send, upstream } = await open(t);
  for (const names of ['X-Auth-Subject', 'x-auth-subject, close', 'keep-alive, X-AUTH-SUBJECT', 'X-Gatehouse-Clear']) {
    const headers = [bearer(await token()), ['Connection', names] as const];
    t.equal((await send({ target: '/orders/1', headers })).status, 200);
    const seen = upstream.seen.pop();
    t.strictSame([seen?.header('x-auth-subject'), seen?.header('authorization')], ['alice', undefined], names);
  }
});

t.test('if the endpoint is gone, or the gateway does not trust Caddy, nothing passes', options, async (t) => {
  const { send, gateway, upstream } = await open(t, { trusted_proxies: ['10.0.0.0/8'] });
  t.equal((await send({ target: '/catalogue/1' })).status, 403);
  await gateway.stop();
  t.equal((await send({ target: '/catalogue/1' })).status, 502);
  t.equal(upstream.seen.length, 0);
});
