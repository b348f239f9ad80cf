import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { gateway as follower } from '../authorization/running-service.ts';
import { jwtOf, rotate, runWithUserKeys } from '../authorization/user-key-flow.ts';
import { eventually } from '../flows/revoked.ts';
import { endpoint, json } from '../support/endpoint.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { signingKey } from '../support/keys.ts';
import { settableClock } from '../support/settable-clock.ts';
import { active, audience, authorizationServer, jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';
import { type FaultProxy, faultProxy } from './support/fault-proxy.ts';
import {
  dependency,
  during,
  type Expected,
  type FaultName,
  faults,
  put,
  type Rows,
  recoversWithin,
  recovery,
  type Scene,
} from './support/point.ts';
import { tell, tellWith } from './support/tell.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);
t.jobs = 16;

/** Milliseconds for an answer of an authorization server. They are not configurable. */
const DEADLINE = 5_000;
const OUT = ['503 authorization_server_unavailable'];

const routes = [
  { match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
  { match: { path: '/other/{rest*}' }, access: 'public' },
];

async function before(t: Test, main: object, clock = systemClock): Promise<TestGateway> {
  const { url } = await witness(t);
  return gateway(t, behind(url, { admin: '127.0.0.1:0', routes, authorization_servers: { main } }), clock);
}

type Asking = Pick<Scene, 'good' | 'bad'>;

function scene({ url, adminUrl = '' }: TestGateway, proxy: FaultProxy, asking: (orders: string) => Asking): Scene {
  const orders = `${url}/orders/1`;
  return { proxy, adminUrl, none: () => tell(orders), other: () => tell(`${url}/other/1`), ...asking(orders) };
}

const spoilt = (token: string) => `${token.slice(0, -8)}AAAAAAAA`;

function rows(out: Expected, unaffected: Expected): Rows {
  const late: Expected = { ...out, took: [DEADLINE, 1.2 * DEADLINE] };
  const atOnce: Expected = { ...out, took: [0, DEADLINE / 5] };
  return {
    refusing: atOnce,
    resetting: atOnce,
    hanging_up: atOnce,
    garbage: atOnce,
    silent: late,
    unreachable: late,
    'half-open': late,
    slow: unaffected,
    'in pieces': unaffected,
  };
}

const passes: Expected = { good: ['200'] };
const out: Expected = { good: OUT, retryAfter: true };

async function introspection(t: Test): Promise<Scene> {
  const server = await authorizationServer(t);
  const proxy = await faultProxy(t, server.introspection.url);
  const running = await before(t, {
    ...server.config.main,
    introspection_endpoint: proxy.through(`${server.introspection.url}/introspect`),
  });
  let asked = 0;
  return scene(running, proxy, (orders) => ({
    good() {
      const token = `good-${asked++}`;
      server.tokens.set(token, active('orders.read'));
      return tellWith(orders, token);
    },
    bad: () => tellWith(orders, `bad-${asked++}`),
  }));
}

dependency(t, 'introspection', introspection, rows({ ...out, bad: OUT }, passes));

/** Every request needs a new key set, because one is trusted only for a moment. */
async function keys(t: Test): Promise<Scene> {
  const server = await authorizationServer(t);
  const proxy = await faultProxy(t, server.keys.url);
  const jwks = { ttl: '100ms', cooldown: '100ms', stale_if_error: '0s' };
  const running = await before(t, { ...server.config.main, verify: 'jwt', jwks_uri: `${proxy.url}/jwks`, jwks });
  const token = await jwt({ scope: 'orders.read' });
  return {
    ...scene(running, proxy, (orders) => ({
      good: () => tellWith(orders, token),
      bad: () => tellWith(orders, spoilt(token)),
    })),
    feels: () => pause(300),
  };
}

const stale: Expected = { ...out, bad: OUT, ready: 503, took: [0, 1.2 * DEADLINE] };

dependency(t, 'keys that have gone stale', keys, {
  refusing: stale,
  resetting: stale,
  hanging_up: stale,
  garbage: stale,
  silent: stale,
  unreachable: stale,
  'half-open': stale,
  'in pieces': passes,
});

/** As by default: the last good set is valid for an hour. */
async function kept(t: Test): Promise<Scene> {
  const server = await authorizationServer(t);
  const proxy = await faultProxy(t, server.keys.url);
  const running = await before(t, { ...server.config.main, jwks_uri: `${proxy.url}/jwks`, jwks: { ttl: '100ms' } });
  let asked = 0;
  return scene(running, proxy, (orders) => ({
    good: async () => tellWith(orders, await jwt({ scope: 'orders.read', n: asked++ })),
    bad: async () => tellWith(orders, spoilt(await jwt({ scope: 'orders.read' }))),
  }));
}

const serves: Expected = { good: ['200'], took: [0, DEADLINE / 5] };
dependency(t, 'keys that are kept', kept, {
  refusing: serves,
  resetting: serves,
  hanging_up: serves,
  garbage: serves,
  silent: serves,
  unreachable: serves,
  'half-open': serves,
});

/** Each token has its own key, as if every user had one. */
async function userKeys(t: Test): Promise<Scene> {
  const service = await runWithUserKeys(t);
  const proxy = await faultProxy(t, service.url);
  const running = await before(t, {
    issuer: 'http://localhost:8081',
    jwks_uri: `${service.url}/oauth2/jwks`,
    verify: 'jwt',
    user_key_uri_template: `${proxy.url}/oauth2/keys/{kid}`,
    events: 'none',
    client_id: follower.id,
    client_secret: follower.secret,
    audience,
  });
  const fresh = async () => {
    await rotate(service);
    return (await jwtOf(service)).access_token;
  };
  return scene(running, proxy, (orders) => ({
    good: async () => tellWith(orders, await fresh()),
    bad: async () => tellWith(orders, spoilt((await jwtOf(service, 'bob')).access_token)),
  }));
}

dependency(t, "a user's key", userKeys, rows({ ...out, bad: [...OUT, '401 token_signature'] }, passes));

const issuerOf = new WeakMap<FaultProxy, string>();

interface Cold {
  readonly proxy: FaultProxy;
  start(): Promise<Scene>;
}

/** A gateway that starts while nothing answers. */
function coldStart(t: Test, name: string, prepare: (t: Test) => Promise<Cold>, expected: Expected): void {
  const hostile: FaultName[] = ['refusing', 'resetting', 'hanging_up', 'garbage', 'silent', 'unreachable'];
  for (const fault of hostile) {
    void t.test(`a start without ${name}: ${fault.replace('_', ' ')}`, async (t) => {
      const { proxy, start } = await prepare(t);
      await put(proxy, faults[fault]);
      const scene = await start();
      await during(t, scene, expected);
      t.equal((await fetch(`${scene.adminUrl}/readyz`)).status, 503, 'not ready');
      await proxy.mend();
      await recoversWithin(t, scene, 2_000);
      t.match(await scene.bad(), { status: 401 });
      t.equal((await fetch(`${scene.adminUrl}/readyz`)).status, 200, 'ready');
    });
  }
}

coldStart(
  t,
  'keys',
  async (t) => {
    const server = await authorizationServer(t);
    const proxy = await faultProxy(t, server.keys.url);
    const token = await jwt({ scope: 'orders.read' });
    const start = async () =>
      scene(
        await before(t, { ...server.config.main, verify: 'jwt', jwks_uri: `${proxy.url}/jwks` }),
        proxy,
        (orders) => ({
          good: () => tellWith(orders, token),
          bad: () => tellWith(orders, spoilt(token)),
        }),
      );
    return { proxy, start };
  },
  { ...out, bad: OUT, took: [0, 1.2 * DEADLINE] },
);

coldStart(
  t,
  'metadata',
  async (t) => {
    const { jwk } = await signingKey('ES256');
    const server = await endpoint(t, (request, response) => {
      if (request.url === '/jwks') json(response, { keys: [jwk] });
      else json(response, { issuer: issuerOf.get(proxy), jwks_uri: `${server.url}/jwks` });
    });
    const proxy = await faultProxy(t, server.url);
    issuerOf.set(proxy, proxy.url);
    const token = await jwt({ scope: 'orders.read', iss: proxy.url });
    const start = async () =>
      scene(await before(t, { issuer: proxy.url, audience, verify: 'jwt' }), proxy, (orders) => ({
        good: () => tellWith(orders, token),
        bad: () => tellWith(orders, spoilt(token)),
      }));
    return { proxy, start };
  },
  { ...out, bad: OUT, took: [0, 1.2 * DEADLINE] },
);

/** With a feed that is silent for longer than `max_staleness`, by the clock of the gateway. */
async function feed(t: Test): Promise<Scene> {
  const service = await runWithUserKeys(t);
  const proxy = await faultProxy(t, service.url);
  const clock = settableClock();
  const main = {
    issuer: 'http://localhost:8081',
    jwks_uri: `${service.url}/oauth2/jwks`,
    user_key_uri_template: `${service.url}/oauth2/keys/{kid}`,
    events: `${proxy.url}/oauth2/events`,
    on_stale: 'deny',
    verify: 'jwt',
    client_id: follower.id,
    client_secret: follower.secret,
    audience,
  };
  const running = await before(t, main, clock);
  const token = (await jwtOf(service)).access_token;
  const standing = scene(running, proxy, (orders) => ({
    good: () => tellWith(orders, token),
    bad: () => tellWith(orders, spoilt(token)),
  }));
  if (!(await isStale(running, 0))) throw new Error('the gateway is not in step');
  return {
    ...standing,
    async feels({ door }) {
      // An open connection would continue without a fault.
      if (door === undefined) proxy.cut();
      clock.advance(door === undefined ? 0 : 61_000);
      if (!(await isStale(running, door === undefined ? 0 : 1))) throw new Error('the feed is not as it should be');
      if (door === undefined) await recovery(standing);
    },
  };
}

function isStale({ adminUrl }: TestGateway, wanted: 0 | 1): Promise<boolean> {
  return eventually(async () => {
    const text = await (await fetch(`${adminUrl}/metrics`)).text();
    return new RegExp(`^gatehouse_feed_stale\\{server="main"\\} ${wanted}$`, 'm').test(text);
  }, 20_000);
}

/** A follower waits longer between attempts each time, up to 15 s. */
const denied: Expected = { ...out, took: [0, DEADLINE / 5], recovers: 15_000 };

dependency(t, 'the revocation feed', feed, {
  refusing: denied,
  resetting: denied,
  hanging_up: denied,
  garbage: denied,
  silent: denied,
  unreachable: denied,
  'half-open': denied,
  slow: passes,
  'in pieces': passes,
});
