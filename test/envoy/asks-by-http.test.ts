import t, { type Test } from 'tap';
import { filesIn } from '../docs/cookbook.ts';
import { fronted, gist, type Starts } from '../flows/asked-by.ts';
import { crossings, refusals, spoofed, twoHosts } from '../flows/asked-cases.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { bearer } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { envoy } from './support/envoy.ts';

/** An Envoy starts for each test. */
t.setTimeout(300_000);

const page = 'behind-envoy.md';
const start: Starts = (t, page, { decision, listen, upstream }) =>
  envoy(t, page, { gatehouse: decision, gateway: listen, orders: upstream });
/** The page's route, and one that requires more than the token of the cases has. */
const routes = [
  ...(filesIn(page)[0]?.values.routes ?? []),
  { id: 'orders-write', match: { methods: ['POST'], path: '/orders/{rest*}' }, scope: 'orders.write' },
];
const open = (t: Test, changes?: object) => fronted(t, page, start, { routes, ...changes });
const options = { skip: skipWithoutPeer('envoy-1.40.0') };
const token = (scope = 'orders.read') => jwt({ scope }, { alg: 'HS256' });

t.test('Envoy forwards accepted requests, with the identity and without the token', options, async (t) => {
  const { send, upstream, proxy, gateway } = await open(t);
  const response = await send({ target: '/orders/%7e1?a=b', headers: [bearer(await token())] });
  t.equal(response.status, 200, proxy.log() + JSON.stringify(gateway.log.slice(-2)));
  const [seen] = upstream.seen;
  t.equal(seen?.target, '/orders/%7e1?a=b');
  t.strictSame(
    ['x-auth-subject', 'x-auth-client', 'x-auth-scope', 'authorization'].map((name) => seen?.header(name)),
    ['alice', 'shop', 'orders.read', undefined],
  );
  t.equal((await send({ target: '/catalogue/1', headers: [bearer('its-own')] })).status, 200);
  t.equal(upstream.seen[1]?.header('authorization'), 'Bearer its-own', 'on a public route it passes');
});

t.test('every refusal, preflight and document through Envoy is the same as from the gateway', options, async (t) => {
  const { send, direct, upstream } = await open(t);
  for (const [name, request] of Object.entries(await refusals()))
    t.strictSame(gist(await send(request)), gist(await direct(request)), name);
  t.equal(upstream.seen.length, 0);
});

t.test("a client cannot imitate Envoy's or Gatehouse's headers", options, async (t) => {
  // Envoy replaces a loopback address by an address of its own machine.
  await spoofed(t, await open(t), /^(?!6\.)[0-9.]+$/);
});

t.test("every spelling of a path gets the same decision as at the gateway's own listener", options, async (t) => {
  const running = await open(t);
  await crossings(t, running, { asAsked: true });
  await twoHosts(t, running);
});

t.test('if the endpoint is gone, or the gateway does not trust Envoy, nothing passes', options, async (t) => {
  const { send, gateway, upstream } = await open(t, { trusted_proxies: ['10.0.0.0/8'] });
  t.equal((await send({ target: '/catalogue/1' })).status, 403);
  await gateway.stop();
  t.equal((await send({ target: '/catalogue/1' })).status, 503);
  t.equal(upstream.seen.length, 0);
});
