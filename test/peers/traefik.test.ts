import t, { type Test } from 'tap';
import { fronted, gist, type Starts } from '../flows/asked-by.ts';
import { crossings, refusals, spoofed, twoHosts } from '../flows/asked-cases.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { bearer } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { peer, traefik } from './support/traefik.ts';

/** A Traefik starts for each test. */
t.setTimeout(300_000);

const page = 'behind-traefik.md';
const start: Starts = (t, page, { decision, listen, upstream }) =>
  traefik(t, page, { 'gatehouse:8082': decision, 'gatehouse:8080': listen, 'orders:9000': upstream });
const open = (t: Test, changes?: object) => fronted(t, page, start, { trusted_proxies: ['127.0.0.1'], ...changes });
const options = { skip: skipWithoutPeer(peer) };
const token = (scope = 'orders.read') => jwt({ scope }, { alg: 'HS256' });

t.test('Traefik forwards accepted requests, with the identity and without the token', options, async (t) => {
  const { send, upstream, proxy, gateway } = await open(t);
  const response = await send({ target: '/orders/%7e1?a=b', headers: [bearer(await token())] });
  t.equal(response.status, 200, proxy.log() + JSON.stringify(gateway.log.slice(-2)));
  const [seen] = upstream.seen;
  t.equal(seen?.target, '/orders/~1?a=b');
  t.strictSame(
    ['x-auth-subject', 'x-auth-client', 'x-auth-scope', 'authorization', 'x-gatehouse-clear'].map((name) =>
      seen?.header(name),
    ),
    ['alice', 'shop', 'orders.read', undefined, undefined],
  );
  const write = { method: 'POST', target: '/orders/1', headers: [bearer(await token('orders.write'))], body: 'hello' };
  t.equal((await send(write)).status, 200);
  t.equal(upstream.seen[1]?.body.toString(), 'hello');
  t.equal((await send({ target: '/catalogue/1', headers: [bearer('its-own')] })).status, 200);
  t.equal(upstream.seen[2]?.header('authorization'), 'Bearer its-own', 'on a public route it passes');
});

t.test('every refusal, preflight and document through Traefik is the same as from the gateway', options, async (t) => {
  const { send, direct, upstream } = await open(t);
  for (const [name, request] of Object.entries(await refusals()))
    t.strictSame(gist(await send(request)), gist(await direct(request)), name);
  t.equal(upstream.seen.length, 0);
});

t.test("a client cannot imitate Traefik's or Gatehouse's headers", options, async (t) => {
  await spoofed(t, await open(t));
});

t.test('only the gateway can set headers with the identity prefix, in any spelling', options, async (t) => {
  const { send, upstream } = await open(t);
  for (const separator of "-_.!#$%&'*+^`|~")
    for (const name of [`X${separator}Auth${separator}Else`, `x-auth${separator}subject`, `X${separator}Auth-Client`]) {
      t.equal((await send({ target: '/catalogue/1', headers: [[name, 'mallory']] })).status, 200);
      t.notMatch(JSON.stringify(upstream.seen.pop()?.rawHeaders), 'mallory', name);
    }
});

/** Before Traefik asks, it decodes unreserved characters, resolves dot segments, merges slashes, and encodes `;`. */
function asked(target: string): string {
  const [path = '', ...query] = target.replace(/^http:\/\/[^/]+/, '').split('?');
  const plain = path.replace(/%[0-9a-f]{2}/gi, (code) => {
    const letter = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(letter) ? letter : code.toUpperCase();
  });
  const segments: string[] = [];
  for (const segment of plain.split('/'))
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  const end = plain.endsWith('/') ? '/' : '';
  return [`/${segments.join('/')}${end}`, ...query.map((text) => text.replaceAll(';', '%3B'))].join('?');
}

t.test("every spelling of a path gets the gateway's decision about the path that is forwarded", options, async (t) => {
  const running = await open(t);
  await crossings(t, running, { asks: asked, asAsked: true });
  await twoHosts(t, running);
});

t.test('Connection removes no header that is added for the upstream', options, async (t) => {
  const { send, upstream } = await open(t);
  for (const names of ['X-Auth-Subject', 'x-auth-subject, close', 'keep-alive, X-AUTH-SUBJECT', 'Authorization']) {
    const headers = [bearer(await token()), ['Connection', names] as const];
    const { status } = await send({ target: '/orders/1', headers });
    const seen = upstream.seen.pop();
    if (status === 401) t.equal(names, 'Authorization', 'the credential itself is gone');
    else t.strictSame([seen?.header('x-auth-subject'), seen?.header('authorization')], ['alice', undefined], names);
  }
});

t.test('if the endpoint is gone, or the gateway does not trust Traefik, nothing passes', options, async (t) => {
  const { send, gateway, upstream } = await open(t, { trusted_proxies: ['10.0.0.0/8'] });
  t.equal((await send({ target: '/catalogue/1' })).status, 403);
  await gateway.stop();
  t.equal((await send({ target: '/catalogue/1' })).status, 500);
  t.equal(upstream.seen.length, 0);
});
