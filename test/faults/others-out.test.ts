import t, { type Test } from 'tap';
import { basic, run, shop } from '../authorization/running-service.ts';
import { jwtOf, rotate, runWithUserKeys } from '../authorization/user-key-flow.ts';
import { follow, timeUntil } from '../flows/revoked.ts';
import { behind, gateway } from '../support/gateway.ts';
import { random } from '../support/random.ts';
import { connectTo } from '../support/raw-client.ts';
import { audience, hmacServer, issuer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { type Fault, faultProxy } from './support/fault-proxy.ts';
import { dependency, type Expected, type FaultName, faults, put, type Scene } from './support/point.ts';
import { sized } from './support/size.ts';
import { tell, tellWith } from './support/tell.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);
t.jobs = 12;

const good = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
const bad = `${good.slice(0, -6)}AAAAAA`;
const orders = { match: { path: '/orders/{rest*}' }, scope: 'orders.read' };
const open = { match: { path: '/other/{rest*}' }, access: 'public', upstream: 'sound' };

/** An upstream with health checks, with all its services behind the proxy. */
async function asked(t: Test): Promise<Scene> {
  const [api, sound] = [await witness(t), await witness(t)];
  const proxy = await faultProxy(t, api.url);
  const health = { path: '/healthz', interval: '100ms', timeout: '1s', unhealthy_after: 2, healthy_after: 1 };
  const upstreams = { api: { url: proxy.url, health }, sound: { url: sound.url } };
  const file = { admin: '127.0.0.1:0', upstreams, defaults: { upstream: 'api' }, routes: [orders, open] };
  const running = await gateway(t, behind(sound.url, { ...file, authorization_servers: hmacServer }));
  const url = `${running.url}/orders/1`;
  const isOut = async () =>
    /^gatehouse_upstream_up\{upstream="api",[^}]*\} 0$/m.test(
      await (await fetch(`${running.adminUrl}/metrics`)).text(),
    );
  return {
    proxy,
    adminUrl: running.adminUrl ?? '',
    good: () => tellWith(url, good),
    bad: () => tellWith(url, bad),
    none: () => tell(url),
    other: () => tell(`${running.url}/other/1`),
    feels: async ({ door }) => {
      if (door !== undefined) t.ok(await until(isOut), 'the url is unhealthy');
    },
  };
}

const unwell: Expected = { good: ['503 upstream_unhealthy'], retryAfter: true, took: [0, 500] };

dependency(t, 'an upstream that is asked for its health', asked, {
  refusing: unwell,
  resetting: unwell,
  hanging_up: unwell,
  garbage: unwell,
  silent: unwell,
  unreachable: unwell,
  'half-open': unwell,
  slow: { good: ['200'] },
});

const nowhere = 'nowhere.invalid';
const OUT = '503 authorization_server_unavailable';
const remote = { issuer, audience, client_id: 'gateway', client_secret: 'gateway-secret-of-32-bytes-or-so' };
const local = { main: { ...hmacServer.main } };

interface Unknown {
  readonly file: object;
  readonly token?: string;
  readonly said: string;
  readonly ready: number;
}

/** RFC 6761 §6.4: a name that no resolver knows. */
const unknown: Readonly<Record<string, () => Promise<Unknown>>> = {
  'an upstream': async () => ({
    file: { upstreams: { api: { url: `http://${nowhere}` } }, authorization_servers: local },
    said: '502 upstream_unreachable',
    ready: 200,
  }),
  'a key set': async () => ({
    file: { authorization_servers: { main: { ...remote, verify: 'jwt', jwks_uri: `https://${nowhere}/jwks` } } },
    token: await jwt({ scope: 'orders.read' }),
    said: OUT,
    ready: 503,
  }),
  metadata: async () => ({
    file: { authorization_servers: { main: { ...remote, verify: 'jwt', issuer: `https://${nowhere}` } } },
    token: await jwt({ scope: 'orders.read', iss: `https://${nowhere}` }),
    said: OUT,
    ready: 503,
  }),
  introspection: async () => ({
    file: {
      authorization_servers: {
        main: { ...remote, verify: 'introspection', introspection_endpoint: `https://${nowhere}/introspect` },
      },
    },
    token: 'opaque',
    said: OUT,
    ready: 200,
  }),
  'the database of `verify: store`': async () => ({
    file: {
      authorization_servers: {
        main: {
          issuer,
          audience,
          verify: 'store',
          storage: `postgres://u@${nowhere}/db`,
          jwks_uri: `https://${nowhere}/`,
        },
      },
    },
    token: 'opaque',
    said: OUT,
    ready: 503,
  }),
  'the Redis of counters': async () => ({
    file: { counters: `redis://${nowhere}:6379`, authorization_servers: local },
    said: '200',
    ready: 200,
  }),
};

for (const [name, make] of Object.entries(unknown)) {
  void t.test(`the name of ${name} does not resolve`, async (t) => {
    const { file, token = good, said, ready } = await make();
    const sound = await witness(t);
    const upstreams = {
      api: { url: sound.url },
      ...(file as { upstreams?: object }).upstreams,
      sound: { url: sound.url },
    };
    const routes = [orders, open];
    const running = await gateway(t, behind(sound.url, { admin: '127.0.0.1:0', routes, ...file, upstreams }));
    const url = `${running.url}/orders/1`;
    for (let round = 0; round < sized(2, 5, 20); round++) {
      const told = await tellWith(url, token);
      t.equal(told.said, said);
      if (told.status === 503) t.match(told.retryAfter, /^[1-9]/);
      t.match((await tell(url)).said, /^401 /);
      t.equal((await tell(`${running.url}/other/1`)).said, '200');
    }
    t.notMatch(await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text(), nowhere);
    t.ok(await readies(running.adminUrl, ready));
    t.equal((await fetch(`${running.adminUrl}/livez`)).status, 200);
  });
}

async function readies(adminUrl: string | undefined, wanted: number): Promise<boolean> {
  const end = performance.now() + 20_000;
  while (performance.now() < end) if ((await fetch(`${adminUrl}/readyz`)).status === wanted) return true;
  return false;
}

void t.test("the service does not start if its database's name does not resolve, and says so", async (t) => {
  const encryption_keys = [Buffer.alloc(32, 1).toString('base64')];
  await t.rejects(run(t, { config: { storage: `postgres://u@${nowhere}/db`, encryption_keys } }), {
    message: /nowhere\.invalid.*cannot be (used|reached)/,
  });
});

const ASKERS = sized(50, 50, 100);

interface Asker extends Fault {
  readonly told: readonly (number | 'lost' | 'gave up')[];
  /** Milliseconds until the client gives up, where no answer can arrive. */
  readonly patience?: number;
}

/** How a proxy that asks whether a request passes can fail. */
const askers: Readonly<Record<string, Asker>> = {
  'reset in the middle of a request': { request: { resetAfter: 30 }, told: ['lost'] },
  'end in the middle of a request': { request: { endAfter: 30 }, told: ['lost', 400] },
  'become silent before a request': { request: { delay: 60_000 }, told: ['lost', 'gave up', 408], patience: 5_000 },
  'do not read': { answer: { hold: true }, told: ['gave up'], patience: 5_000 },
  'reset in the middle of an answer': { answer: { resetAfter: 5 }, told: ['lost'] },
  'ask in pieces': { request: { slice: 20, pause: 1 }, told: [200] },
};

for (const [name, { told: allowed, patience, ...fault }] of Object.entries(askers)) {
  void t.test(
    `${ASKERS} proxies ${name}: the next request gets its usual answer, and nothing of them is left`,
    async (t) => {
      const running = await decisionEndpoint(t);
      const proxy = await faultProxy(t, running.decisionUrl ?? '');
      await proxy.set(fault);
      const asked = Array.from({ length: ASKERS }, () =>
        question(proxy.url, good, patience).then(({ status }) => status, howLost),
      );
      for (let round = 0; round < sized(5, 20, 50); round++) await asEver(t, running.decisionUrl ?? '');
      const told = new Set<Asker['told'][number]>(await Promise.all(asked));
      t.ok(told.isSubsetOf(new Set(allowed)), [...told].join());
      t.ok(await until(() => proxy.open === 0 || name === 'ask in pieces'));
      await asEver(t, running.decisionUrl ?? '');
    },
  );
}

void t.test(
  `${ASKERS} proxies that send garbage get 400 or nothing, and the next request gets its usual answer`,
  async (t) => {
    const { decisionUrl = '' } = await decisionEndpoint(t);
    const dice = random(7);
    for (let index = 0; index < ASKERS; index++) {
      const client = await connectTo(Number(new URL(decisionUrl).port));
      client.send(Buffer.from(Array.from({ length: 200 }, () => dice.below(256))));
      client.send('\r\n\r\n');
      const answer = await client.read().catch(() => undefined);
      if (answer !== undefined && answer.status !== 400) t.fail(`${index}: ${answer.status}`);
      client.destroy();
      if (index % 10 === 0) await asEver(t, decisionUrl);
    }
  },
);

async function decisionEndpoint(t: Test) {
  const sound = await witness(t);
  const decision = { listen: '127.0.0.1:0' };
  const limits = { headers_timeout: '2s' };
  const trusted_proxies = ['127.0.0.1/32'];
  const file = { decision, limits, trusted_proxies, routes: [orders], authorization_servers: hmacServer };
  return gateway(t, behind(sound.url, file));
}

function question(url: string, token: string | undefined, patience = 20_000) {
  return tell(`${url}/forward-auth`, {
    headers: {
      'x-forwarded-method': 'GET',
      'x-forwarded-host': 'api.example.com',
      'x-forwarded-uri': '/orders/1',
      'x-forwarded-proto': 'https',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    signal: AbortSignal.timeout(patience),
  });
}

function howLost(error: unknown): 'lost' | 'gave up' {
  return error instanceof Error && error.name === 'TimeoutError' ? 'gave up' : 'lost';
}

async function asEver(t: Test, url: string): Promise<void> {
  const told = await Promise.all([question(url, good), question(url, bad), question(url, undefined)]);
  t.strictSame(
    told.map(({ status }) => status),
    [200, 401, 401],
  );
}

const followers: FaultName[] = [
  'refusing',
  'resetting',
  'hanging_up',
  'garbage',
  'silent',
  'half-open',
  'slow',
  'in pieces',
];

for (const fault of followers) {
  void t.test(`a follower of the feed that is ${fault.replace('_', ' ')} does not delay the others`, async (t) => {
    const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
    const way = await faultProxy(t, service.url);
    const changes = { on_stale: 'allow', verify: 'jwt', introspection_endpoint: undefined };
    const near = await follow(t, upstream, service, { changes });
    const far = await follow(t, upstream, service, { changes: { ...changes, events: `${way.url}/oauth2/events` } });
    const token = (await jwtOf(service)).access_token;
    t.strictSame([await near.said(token), await far.said(token)], ['200', '200']);
    await put(way, faults[fault]);
    await rotate(service);
    const told = await timeUntil(near, token, '401 token_revoked');
    t.ok(told < 1_500, `the other within ${told.toFixed(0)} ms`);
    t.strictSame(
      await Promise.all(['livez', 'readyz'].map(async (path) => (await fetch(`${service.admin}/${path}`)).status)),
      [200, 200],
    );
    const grant = await service.post('/oauth2/token', { grant_type: 'client_credentials' }, basic(shop));
    t.equal(grant.status, 200);
    await way.mend();
    const late = await timeUntil(far, token, '401 token_revoked', 20_000);
    t.ok(late < 20_000, `what was missed is told within ${late.toFixed(0)} ms`);
  });
}
