import t, { type Test } from 'tap';
import { gateway, type TestGateway } from '../support/gateway.ts';
import { type Keycloak, keycloak, sharedSignals } from '../support/keycloak.ts';
import { type Figures, figuresOf, isInTime, lateness } from '../support/lateness.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { redisServer } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { filesIn, type Values } from './cookbook.ts';
import { administrator, eventRealm, follower, session } from './keycloak-events.ts';

/** A Keycloak takes minutes to start on a busy machine. */
t.setTimeout(900_000);

const page = 'logged-out-at-once.md';
const [shown] = filesIn(page).map(({ values }) => values);
const SECRET = 'secret-of-shop';
/** Users who are logged out one after another. */
const USERS = 100;
/** Milliseconds. */
const PROMISED = 1_000;

/** The settings of the page, and users with cheap hashes of their passwords. */
async function realm({ admin }: Keycloak, receivers: readonly string[]): Promise<void> {
  await admin('POST', '', {
    realm: 'shop',
    enabled: true,
    passwordPolicy: 'hashAlgorithm(pbkdf2-sha256) and hashIterations(1)',
  });
  await admin('POST', '/shop/client-scopes', {
    name: 'orders.read',
    protocol: 'openid-connect',
    attributes: { 'include.in.token.scope': 'true' },
    protocolMappers: [
      {
        name: 'audience of the API',
        protocol: 'openid-connect',
        protocolMapper: 'oidc-audience-mapper',
        config: { 'included.custom.audience': 'orders-api', 'access.token.claim': 'true' },
      },
    ],
  });
  await admin('POST', '/shop/clients', {
    clientId: 'shop',
    secret: SECRET,
    publicClient: false,
    directAccessGrantsEnabled: true,
    defaultClientScopes: ['basic', 'orders.read'],
    attributes: { 'backchannel.logout.url': receivers[0], 'backchannel.logout.session.required': 'true' },
  });
  await admin('POST', '/shop/partialImport', { ifResourceExists: 'FAIL', users: names.map(user) });
}

const names = Array.from({ length: USERS + 1 }, (_, index) => `user-${index}`);

function user(username: string): object {
  const credentials = [{ type: 'password', value: 'wonderland' }];
  const person = { firstName: 'A', lastName: 'L', email: `${username}@example.com`, emailVerified: true };
  return { username, enabled: true, ...person, credentials };
}

async function replica(t: Test, server: Keycloak, counters: string): Promise<TestGateway> {
  const upstream = await witness(t);
  const values = structuredClone(shown) as Values;
  values.authorization_servers.keycloak.issuer = `${server.url}/realms/shop`;
  values.upstreams.orders.url = upstream.url;
  const receiver = { listen: '127.0.0.1:0' };
  return gateway(t, { ...values, counters, receiver, development: true, listen: '127.0.0.1:0' });
}

async function said({ url }: TestGateway, token: string): Promise<string> {
  const answer = await fetch(`${url}/orders/1`, { headers: { authorization: `Bearer ${token}` } });
  return answer.ok ? '200' : ((await answer.json()) as { code: string }).code;
}

const skip = skipWithoutPeer('keycloak-26.7.3');
/** One for all tests, because it takes long to start. */
const server = skip === false ? await keycloak(t, sharedSignals) : undefined;

t.test(
  "a logout at a real Keycloak ends the user's JWTs at both replicas within a second, and nobody else's",
  { skip },
  async (t) => {
    if (server === undefined) return;
    const redis = await redisServer(t);
    const pair = [await replica(t, server, redis.url), await replica(t, server, redis.url)] as const;
    await realm(server, [`${pair[0].receiverUrl}/backchannel-logout/keycloak`]);
    const ids = new Map(
      ((await (await server.admin('GET', '/shop/users?max=200')).json()) as { id: string; username: string }[]).map(
        ({ id, username }) => [username, id],
      ),
    );
    const tokens: string[] = [];
    for (const username of names) {
      const form = {
        grant_type: 'password',
        client_id: 'shop',
        client_secret: SECRET,
        username,
        password: 'wonderland',
      };
      tokens.push((await server.token('shop', form)).access_token);
    }
    for (const each of pair) for (const token of tokens) t.equal(await said(each, token), '200');
    const { measure } = await lateness(t);
    const rounds: Figures[] = [];
    for (let index = 0; index < USERS; index++) {
      const token = tokens[index] as string;
      await server.admin('POST', `/shop/users/${ids.get(`user-${index}`)}/logout`);
      rounds.push(
        await measure(async () => {
          for (const each of pair) t.ok(await until(async () => (await said(each, token)) === 'token_revoked'));
        }),
      );
      for (const each of pair) t.equal(await said(each, tokens[index + 1] as string), '200', 'the next user');
    }
    const slow = rounds.filter((each) => !isInTime(PROMISED, each));
    t.ok(slow.length <= USERS / 100, slow.map((each) => figuresOf(PROMISED, each)).join('; '));
    const times = rounds.map(({ took }) => Math.round(took)).sort((left, right) => left - right);
    t.comment(`from the answer of ${USERS} logouts until both replicas refuse: p50 ${times[49]}, p99 ${times[98]} ms`);
  },
);

t.test(
  'security events of a real Keycloak end the session or the user that they name, by push and by poll',
  { skip },
  async (t) => {
    if (server === undefined) return;
    await eventRealm(server);
    const gateways = [await follower(t, server, 'push'), await follower(t, server, 'poll')];
    const open = (name: string) => session(server, name);
    const ended = {
      alice: await open('alice'),
      alice2: await open('alice'),
      bob: await open('bob'),
      carol: await open('carol'),
    };
    const others = { bob2: await open('bob'), dave: await open('dave') };
    for (const each of gateways)
      for (const { token } of [...Object.values(ended), ...Object.values(others)])
        t.equal(await said(each, token), '200');
    const { logOut, resetPassword } = await administrator(server);
    await logOut('alice');
    await ended.bob.end();
    await resetPassword('carol');
    for (const each of gateways) {
      for (const [name, { token }] of Object.entries(ended))
        t.ok(await until(async () => (await said(each, token)) === 'token_revoked'), name);
      for (const [name, { token }] of Object.entries(others)) t.equal(await said(each, token), '200', name);
      const rejected = each.log.filter(({ msg }) => msg === 'receiver: rejected');
      t.strictSame(rejected, []);
    }
  },
);
