import t from 'tap';
import { parse, stringify } from 'yaml';
import { textOf } from '../docs/cookbook.ts';
import { signingKey } from '../support/keys.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, type RequestText, requestText } from '../support/request-text.ts';
import { audience, authorizationServer, issuer, jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';
import { type Around, envoyGateway, parentRef, peer, translate } from './support/envoy-gateway.ts';

/** egctl loads 300 MB for each translation, and an Envoy starts for each test. */
t.setTimeout(300_000);

const options = { skip: skipWithoutPeer(peer) || skipWithoutPeer('envoy-1.40.0') };
const namespace = 'shop';

const route = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'orders', namespace },
  spec: {
    parentRefs: [parentRef],
    hostnames: ['api.example.com'],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: '/' } }],
        backendRefs: [{ name: 'orders', port: 9000 }],
      },
    ],
  },
};

const rule = {
  name: 'read',
  action: 'Allow',
  operation: { methods: ['GET', 'HEAD'], path: { type: 'PathPrefix', value: '/orders' } },
  principal: { jwt: { provider: 'main', scopes: ['orders.read'] } },
};

/** `keys`: the part of the provider that says where its keys are. */
const policy = (keys: object, rules: readonly object[] = [rule]) => ({
  apiVersion: 'gateway.envoyproxy.io/v1alpha1',
  kind: 'SecurityPolicy',
  metadata: { name: 'orders', namespace },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'orders' }],
    jwt: { providers: [{ name: 'main', issuer, audiences: [audience], ...keys }] },
    authorization: { defaultAction: 'Deny', rules },
  },
});

const documents = (...objects: readonly object[]) => objects.map((each) => stringify(each)).join('---\n');
const inline = async () => {
  const { jwk } = await signingKey('ES256');
  return { localJWKS: { type: 'Inline', inline: JSON.stringify({ keys: [jwk] }) } };
};
const nowhere: Around = { namespace, services: { orders: { port: 9000, at: '127.0.0.1:9' } } };

t.test('a policy with defaultAction Deny lets only the scope, method and path of a rule pass', options, async (t) => {
  const upstream = await witness(t);
  const services = { orders: { port: 9000, at: new URL(upstream.url).host } };
  const proxy = await envoyGateway(t, documents(route, policy(await inline())), { namespace, services });
  const status = async (request: RequestText) => (await ask(proxy.port, requestText(request))).status;
  const read = bearer(await jwt({ scope: 'profile orders.read' }));
  t.equal(await status({ target: '/orders/1', headers: [read] }), 200, proxy.log());
  t.equal(upstream.seen.splice(0)[0]?.target, '/orders/1');
  const refused: readonly (readonly [number, RequestText])[] = [
    [401, { target: '/orders/1' }],
    [401, { target: '/orders/1', headers: [bearer('abc')] }],
    [401, { target: '/orders/1', headers: [bearer(await jwt({ scope: 'orders.read', exp: 1 }))] }],
    [401, { target: '/orders/1', headers: [bearer(await jwt({ scope: 'orders.read', iss: 'https://else.example' }))] }],
    [403, { target: '/orders/1', headers: [bearer(await jwt({ scope: 'orders.reader' }))] }],
    [403, { target: '/orders/1', headers: [bearer(await jwt())] }],
    [403, { target: '/orders/1', method: 'DELETE', headers: [read] }],
    [403, { target: '/ordersX', headers: [read] }],
    [403, { target: '/orders/../admin', headers: [read] }],
    [404, { target: '/orders/1', host: 'other.example', headers: [read] }],
  ];
  for (const [expected, request] of refused) t.equal(await status(request), expected, JSON.stringify(request));
  t.equal(upstream.seen.length, 0);
});

t.test('Envoy fetches the keys of a provider from a host outside of the cluster', options, async (t) => {
  const [upstream, server] = [await witness(t), await authorizationServer(t)];
  const keys = { remoteJWKS: { uri: 'http://keys.example.com/jwks' } };
  const proxy = await envoyGateway(t, documents(route, policy(keys)), {
    namespace,
    services: { orders: { port: 9000, at: new URL(upstream.url).host } },
    hosts: { 'keys.example.com:80': new URL(server.keys.url).host },
  });
  const headers = [bearer(await jwt({ scope: 'orders.read' }))];
  const response = await ask(proxy.port, requestText({ target: '/orders/1', headers }));
  t.equal(response.status, 200, proxy.log());
});

t.test('an object that Envoy Gateway does not accept is an error with the reason', options, async (t) => {
  const keys = await inline();
  const lost = { localJWKS: { type: 'ValueRef', valueRef: { group: '', kind: 'ConfigMap', name: 'lost' } } };
  t.throws(() => translate(t, documents(route, policy(lost)), nowhere), /lost/);
  t.throws(() => translate(t, documents(route, policy({ ...keys, jwks: 'x' })), nowhere), /jwks: Invalid value/);
  t.throws(() => translate(t, documents(policy(keys)), nowhere), /no target for orders/);
  t.throws(() => translate(t, documents(route), { ...nowhere, services: {} }), /orders/);
});

t.test('a rule with an unknown provider lets nothing pass, although Envoy Gateway accepts it', options, async (t) => {
  const upstream = await witness(t);
  const elsewhere = { ...rule, principal: { jwt: { provider: 'else', scopes: ['orders.read'] } } };
  const services = { orders: { port: 9000, at: new URL(upstream.url).host } };
  const proxy = await envoyGateway(t, documents(route, policy(await inline(), [elsewhere])), { namespace, services });
  const headers = [bearer(await jwt({ scope: 'orders.read' }))];
  t.equal((await ask(proxy.port, requestText({ target: '/orders/1', headers }))).status, 403);
});

t.test('a header whose name has a sign reaches no API, with the option that the page names', options, async (t) => {
  const upstream = await witness(t);
  const services = { orders: { port: 9000, at: new URL(upstream.url).host } };
  const named = /`removeOnMatch:\s+(\[.*?\])`/s.exec(textOf('kubernetes-edge.md'))?.[1];
  const listening = {
    apiVersion: 'gateway.envoyproxy.io/v1alpha1',
    kind: 'ClientTrafficPolicy',
    metadata: { name: 'public', namespace },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: parentRef.name }],
      headers: { earlyRequestHeaders: { removeOnMatch: parse(named ?? '') } },
    },
  };
  const proxy = await envoyGateway(t, documents(route, listening), { namespace, services });
  for (const separator of ".!#$%&'*+^`|~") {
    const headers = [[`X${separator}Auth${separator}Subject`, 'mallory'] as const, ['X-Plain', 'kept'] as const];
    t.equal((await ask(proxy.port, requestText({ target: '/orders/1', headers }))).status, 200, separator);
    const told = JSON.stringify(upstream.seen.pop()?.rawHeaders);
    t.match(told, 'kept', separator);
    t.notMatch(told, 'mallory', separator);
  }
  const headers = [['X_Auth_Subject', 'mallory'] as const];
  t.equal((await ask(proxy.port, requestText({ target: '/orders/1', headers }))).status, 400);
});
