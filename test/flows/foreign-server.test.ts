import { decodeProtectedHeader } from 'jose';
import t, { type Test } from 'tap';
import { foreignServer, resources, secrets } from '../support/foreign-server.ts';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { witness } from '../support/witness.ts';

const routes = [
  { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
  { id: 'soap', match: { path: '/soap' }, scope: 'orders.read', audience: resources.opaque },
];

/** Only the issuer is configured; its metadata name its keys and endpoints. */
async function bench(t: Test, changes: (clientKey: string) => object = () => ({})) {
  const upstream = await witness(t);
  const server = await foreignServer(t);
  const main = {
    issuer: server.issuer,
    audience: resources.jwt,
    client_id: 'gateway',
    client_secret: secrets.gateway,
    cache: { ttl: '0s', negative_ttl: '0s' },
    ...changes(server.clientKey),
  };
  const { port } = await gateway(t, behind(upstream.url, { authorization_servers: { main }, routes }));
  const get = (target: string, token: string) => ask(port, requestText({ target, headers: [bearer(token)] }));
  return { upstream, server, get };
}

t.test('JWTs of a certified server are verified with the keys that its metadata name', async (t) => {
  const { upstream, server, get } = await bench(t);
  const token = await server.issue(resources.jwt, 'orders.read');
  t.equal(decodeProtectedHeader(token).typ, 'at+jwt');
  t.equal((await get('/orders/1', token)).status, 200);
  t.equal(upstream.seen[0]?.header('x-auth-client'), 'shop');
  t.equal(upstream.seen[0]?.header('x-auth-scope'), 'orders.read');
  t.equal((await get('/orders/1', await server.issue(resources.jwt, 'orders.write'))).status, 403);
  t.equal((await get('/soap', token)).status, 401, 'for another resource');
});

const ways: Readonly<Record<string, (t: Test, clientKey: string) => object>> = {
  client_secret_basic: () => ({}),
  private_key_jwt: (t, clientKey) => ({
    introspection_endpoint_auth_method: 'private_key_jwt',
    client_id: 'keyed-gateway',
    client_secret: undefined,
    client_key: `${t.testdir({ 'client.jwk': clientKey })}/client.jwk`,
  }),
};

for (const [method, settings] of Object.entries(ways)) {
  t.test(`opaque tokens of a certified server pass by introspection until they are revoked: ${method}`, async (t) => {
    const { upstream, server, get } = await bench(t, (clientKey) => settings(t, clientKey));
    const token = await server.issue(resources.opaque, 'orders.read');
    t.equal(token.split('.').length, 1);
    for (let i = 0; i < 3; i++) t.equal((await get('/soap', token)).status, 200);
    t.equal(upstream.seen[0]?.header('x-auth-client'), 'shop');
    t.equal((await get('/orders/1', token)).status, 401, 'for another resource');
    await server.revoke(token);
    const response = await get('/soap', token);
    t.equal(response.status, 401);
    t.equal(JSON.parse(response.body.toString()).code, 'token_inactive');
  });
}
