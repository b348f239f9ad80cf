import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { seconds, systemClock } from '../../src/base/clock.ts';
import { openRecords } from '../../src/storage/open.ts';
import { openTab, type Tab } from '../authorization/browser/walk.ts';
import { loggedInAt } from '../authorization/openid/provider.ts';
import { passwordHash, requests, temporaryDirectory } from '../authorization/running-service.ts';
import { claimsOf } from '../authorization/security-events/receiver.ts';
import { ready, type ServiceProcess, spawnService } from '../authorization/service-process.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway } from '../support/gateway.ts';
import { inTime, lateness } from '../support/lateness.ts';
import { watchedWay } from '../support/watched-way.ts';
import { witness } from '../support/witness.ts';
import { asked, eventually, type Followed, until } from './revoked.ts';

/** Starts a service several times, and waits until the event of a killed one is free: six seconds. */
t.setTimeout(120_000);

const PUSH = 'Bearer a-secret-for-pushed-events';
const AUDIENCE = 'https://edge.example.com';
const REVOKED = '401 token_revoked';
const PROMISED = 1_000;
const secret = 'cs_rp-secret-of-32-bytes-or-more!';
const key = randomBytes(32).toString('base64');

const text = (port: number, receiver: number) => `version: 1
issuer: http://127.0.0.1:${port}
listen: 127.0.0.1:${port}
storage: sqlite:gatehouse.db
encryption_keys: ['${key}']
resources: [https://api.example.com]
scopes: { orders.read: Read your orders }
openid: { enabled: true }
outbound: { private_addresses: [127.0.0.0/8], timeout: 500ms }
security_events:
  receivers:
    - { id: edge, url: 'http://127.0.0.1:${receiver}/security-events/main', audience: '${AUDIENCE}', authorization: ${PUSH} }
clients:
  - { client_id: rp, client_secret: ${secret}, scope: openid orders.read, grant_types: [authorization_code], redirect_uris: ['https://shop.example.com/callback'], access_token_format: jwt }
  - { client_id: phone, client_secret: ${secret}, scope: orders.read, grant_types: [password], access_token_format: jwt }
users:
  - { username: alice, password_argon2: '${passwordHash('wonderland')}' }
`;

interface Place {
  readonly gateway: Followed;
  readonly way: Awaited<ReturnType<typeof watchedWay>>;
  /** The tokens that the service has pushed, in this order. */
  readonly pushed: string[];
  readonly directory: string;
  readonly url: string;
  start(): Promise<ServiceProcess>;
  login(): Promise<{ tab: Tab; token: string; logout(): Promise<unknown> }>;
  phone(username: string, password: string): Promise<string>;
}

/** The service in its process, and our gateway, which verifies JWTs and has no feed. */
async function place(t: Test): Promise<Place> {
  const [directory, port] = [temporaryDirectory(t), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const main = {
    issuer: url,
    verify: 'jwt',
    jwks_uri: `${url}/oauth2/jwks`,
    audience: 'https://api.example.com',
    events: 'none',
    security_events: { audiences: [AUDIENCE], push: { authorization: PUSH } },
  };
  const upstream = await witness(t);
  const file = { authorization_servers: { main }, receiver: { listen: '127.0.0.1:0' }, health: '127.0.0.1:0' };
  const running = asked(await gateway(t, behind(upstream.url, file)));
  const pushed: string[] = [];
  const way = await watchedWay(t, Number(new URL(running.receiverUrl ?? '').port), (request) => {
    pushed.push(...(request.match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g) ?? []));
  });
  const configFile = join(directory, 'authorization.yaml');
  writeFileSync(configFile, text(port, way.port));
  const { post } = requests(url);
  return {
    gateway: running,
    way,
    pushed,
    directory,
    url,
    async start() {
      const service = spawnService(t, configFile);
      await ready(service);
      // For a second after a failed fetch of keys, the gateway does not fetch them again.
      t.ok(await eventually(async () => (await fetch(`${running.healthUrl}/readyz`)).ok));
      return service;
    },
    async login() {
      const tab = openTab({ url });
      const { access_token: token, id_token } = await loggedInAt({ post }, tab, 'openid orders.read');
      return { tab, token, logout: () => tab.get(`/oauth2/logout?id_token_hint=${id_token}`) };
    },
    async phone(username, password) {
      const form = { grant_type: 'password', client_id: 'phone', client_secret: secret, username, password };
      const answer = (await (await post('/oauth2/token', form)).json()) as { access_token: string };
      return answer.access_token;
    },
  };
}

const refused = ({ gateway }: Place, token: string) => eventually(async () => (await gateway.said(token)) === REVOKED);

t.test(
  'a logout and a new password at the service refuse the tokens of the user at the gateway within a second',
  async (t) => {
    const here = await place(t);
    await here.start();
    const late = await lateness(t);
    const { token, logout } = await here.login();
    t.equal(await here.gateway.said(token), '200');
    await logout();
    inTime(t, 'a logout', PROMISED, await late.measure(() => refused(here, token)));
    t.equal(await here.gateway.said(token), REVOKED);

    // As `gatehouse user` does, in another process.
    const store = await openRecords('sqlite:gatehouse.db', {
      directory: here.directory,
      clock: systemClock,
      encryptionKeys: [key],
    });
    t.teardown(() => store.close());
    const carol = { subject: 's-carol', username: 'carol', name: undefined, claims: {}, createdAt: 0 };
    await store.addAccount({ ...carol, passwordHash: passwordHash('first') });
    const old = await here.phone('carol', 'first');
    t.equal(await here.gateway.said(old), '200');
    await store.setPassword({ username: 'carol', passwordHash: passwordHash('second'), now: seconds(systemClock) });
    inTime(t, 'a new password', PROMISED, await late.measure(() => refused(here, old)));
    t.equal(await here.gateway.said(old), REVOKED);
  },
);

t.test('kill -9 between the commit of a logout and its delivery: the gateway gets it after the restart', async (t) => {
  const here = await place(t);
  for (let life = 1; life <= 2; life++) {
    const service = await here.start();
    const { token, logout } = await here.login();
    t.equal(await here.gateway.said(token), '200');
    const [before, held] = [here.pushed.length, here.way.held()];
    here.way.holdWhere(() => true);
    await logout();
    t.ok(await until(() => here.way.held() > held), 'the token is on its way');
    service.child.kill('SIGKILL');
    await service.ended;
    t.equal(await here.gateway.said(token), '200', 'nobody has told the gateway');
    here.way.holdWhere(() => false);
    const next = await here.start();
    t.ok(await refused(here, token), `life ${life}`);
    const ids = here.pushed.slice(before).map((each) => claimsOf(each).jti);
    t.equal(new Set(ids).size, 1, 'each attempt has the same jti');
    // A service that is killed before it has stored the answer would send this event again in the next life.
    t.ok(await until(() => next.stdout().includes('"event":"security_event"')), 'the answer is stored');
    next.child.kill('SIGKILL');
    await next.ended;
  }
});

t.test('what another process commits while no service runs is delivered at the next start', async (t) => {
  const here = await place(t);
  const first = await here.start();
  const { token } = await here.login();
  t.equal(await here.gateway.said(token), '200');
  first.child.kill('SIGKILL');
  await first.ended;
  const store = await openRecords('sqlite:gatehouse.db', {
    directory: here.directory,
    clock: systemClock,
    encryptionKeys: [key],
  });
  await store.signOutEverywhere({ subject: 'alice', now: seconds(systemClock), keysUntil: undefined });
  await store.close();
  t.equal(await here.gateway.said(token), '200');
  await here.start();
  t.ok(await refused(here, token));
});
