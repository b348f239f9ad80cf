import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { command } from '../support/command.ts';
import { gateway } from '../support/gateway.ts';
import { type Keycloak, keycloak } from '../support/keycloak.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { witness } from '../support/witness.ts';
import { filesIn, type Values } from './cookbook.ts';

/** A Keycloak takes a minute to start on a busy machine. */
t.setTimeout(900_000);

const page = 'keycloak.md';
const SECRETS = { shop: 'secret-of-shop', api: 'secret-of-api' };
const ROLE = 'orders-reader';
const [plain, byIntrospection] = filesIn(page).map(({ values }) => values);

const mapper = {
  name: 'audience of the API',
  protocol: 'openid-connect',
  protocolMapper: 'oidc-audience-mapper',
  config: { 'included.client.audience': 'orders-api', 'access.token.claim': 'true' },
};

/** The three steps of the page, a client for introspection, and a user who may log in with a password. */
async function realm({ admin }: Keycloak): Promise<void> {
  await admin('POST', '', { realm: 'shop', enabled: true });
  const make = (path: string, body: object) => admin('POST', `/shop${path}`, body);
  const confidential = {
    publicClient: false,
    serviceAccountsEnabled: true,
    standardFlowEnabled: false,
    protocol: 'openid-connect',
  };
  await make('/clients', { clientId: 'orders-api', secret: SECRETS.api, ...confidential });
  await make('/client-scopes', {
    name: 'orders.read',
    protocol: 'openid-connect',
    attributes: { 'include.in.token.scope': 'true' },
    protocolMappers: [mapper],
  });
  await make('/roles', { name: ROLE });
  await make('/clients', {
    clientId: 'shop',
    secret: SECRETS.shop,
    directAccessGrantsEnabled: true,
    optionalClientScopes: ['orders.read'],
    protocolMappers: [],
    ...confidential,
  });
  await make('/clients', { clientId: 'other', secret: 'secret-of-other', ...confidential });
  await make('/users', {
    username: 'alice',
    enabled: true,
    email: 'alice@example.com',
    emailVerified: true,
    firstName: 'Alice',
    lastName: 'Liddell',
    credentials: [{ type: 'password', value: 'wonderland', temporary: false }],
  });
}

interface Scene {
  readonly asked: Keycloak;
  /** The result of a request with this token: 200, or the code of the refusal. */
  get(token: string): Promise<number | string>;
  readonly callers: () => readonly (string | undefined)[];
}

/** `shown`: a file of the page; `more`: additional settings above its part about the server. */
async function scene(t: Test, asked: Keycloak, shown: Values = plain, more: object = {}): Promise<Scene> {
  const upstream = await witness(t);
  const values = structuredClone(shown) as Values;
  values.authorization_servers.keycloak = {
    ...values.authorization_servers.keycloak,
    issuer: `${asked.url}/realms/shop`,
    ...more,
  };
  values.upstreams.orders.url = upstream.url;
  const { port, log } = await gateway(t, { ...values, development: true, listen: '127.0.0.1:0' });
  return {
    asked,
    async get(token) {
      const answer = await ask(port, requestText({ target: '/orders/1', headers: [bearer(token)] }));
      if (answer.status >= 500) t.comment(JSON.stringify(log.filter(({ level }) => Number(level) >= 40)));
      return answer.status === 200 ? 200 : JSON.parse(answer.body.toString()).code;
    },
    callers: () => upstream.seen.map((seen) => seen.header('x-auth-client')),
  };
}

const asShop = { grant_type: 'client_credentials', client_id: 'shop', client_secret: SECRETS.shop };
const asAlice = {
  grant_type: 'password',
  client_id: 'shop',
  client_secret: SECRETS.shop,
  username: 'alice',
  password: 'wonderland',
};

t.test('the page does what it says with a real Keycloak', { skip: skipWithoutPeer('keycloak-26.7.3') }, async (t) => {
  const server = await keycloak(t);
  await realm(server);
  const token = async (form: Readonly<Record<string, string>>) => (await server.token('shop', form)).access_token;

  await t.test(
    'a client scope with an audience mapper opens the route; without it the token has no audience',
    async (t) => {
      const { get, callers } = await scene(t, server);
      t.equal(await get(await token({ ...asShop, scope: 'orders.read' })), 200);
      t.strictSame(callers(), ['shop']);
      t.equal(await get(await token(asShop)), 'token_audience');
      t.equal(
        await get(await token({ ...asShop, client_id: 'other', client_secret: 'secret-of-other' })),
        'token_audience',
      );
    },
  );

  await t.test('an identity token and a refresh token are 401, whatever they say', async (t) => {
    const { get } = await scene(t, server);
    const told = (await server.token('shop', { ...asAlice, scope: 'openid orders.read' })) as Record<string, string>;
    t.equal(await get(told.access_token ?? ''), 200);
    t.equal(await get(told.id_token ?? ''), 'token_type');
    t.match(String(await get(told.refresh_token ?? '')), /^token_/);
  });

  await t.test('a token for another audience is explained with both values', async (t) => {
    const { url } = server;
    const values = structuredClone(plain) as Values;
    values.authorization_servers.keycloak = {
      ...values.authorization_servers.keycloak,
      issuer: `${url}/realms/shop`,
      audience: 'billing',
    };
    const directory = t.testdir({});
    const file = join(directory, 'gateway.yaml');
    writeFileSync(file, JSON.stringify({ ...values, development: true }));
    const held = join(directory, 'token');
    writeFileSync(held, await token({ ...asShop, scope: 'orders.read' }));
    const asked = command(t, ['explain', '--config', file, 'GET', '/orders/1', '--token-file', held]);
    t.match((await asked.ended()).stdout, /✗ aud .*orders-api.*billing/);
  });

  await t.test('a server that is only used for introspection gives the same decisions', async (t) => {
    // The rules for JWTs apply only to JWTs that are read here.
    const ofJwts = { algorithms: undefined, typ: undefined, required_claims: undefined };
    const opaque = { verify: 'introspection', client_secret: SECRETS.api, ...ofJwts };
    const { get } = await scene(t, server, byIntrospection, opaque);
    t.equal(await get(await token({ ...asShop, scope: 'orders.read' })), 200);
    t.match(String(await get(await token(asShop))), /^token_/);
    t.equal(await get('0'.repeat(40)), 'token_inactive');
  });

  await t.test('with `verify: both` the end of a session ends its tokens', async (t) => {
    const { get } = await scene(t, server, byIntrospection, { client_secret: SECRETS.api, cache: { ttl: '0s' } });
    const told = (await server.token('shop', { ...asAlice, scope: 'openid orders.read' })) as Record<string, string>;
    t.equal(await get(told.access_token ?? ''), 200);
    const body = new URLSearchParams({
      client_id: 'shop',
      client_secret: SECRETS.shop,
      refresh_token: told.refresh_token ?? '',
    });
    const left = await fetch(`${server.url}/realms/shop/protocol/openid-connect/logout`, { method: 'POST', body });
    t.equal(left.status, 204);
    t.equal(await get(told.access_token ?? ''), 'token_inactive');
  });
});
