import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { overrideHeaders } from '../../src/config/words/override-headers.ts';
import { asEnvoy, asks, asTraefik, type Received } from '../support/asking.ts';
import { blockOf } from '../support/front-proxy.ts';
import { behind, gateway, routes } from '../support/gateway.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { bearer } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

type Fields = readonly (readonly [name: string, value: string])[];

async function opened(t: Test) {
  const { url } = await witness(t);
  const decision = { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };
  return gateway(t, behind(url, { ...decision, routes }));
}

const client: Fields = [
  ['X-Auth-Subject', 'mallory'],
  ['X-Auth-Else', 'mallory'],
  ['X-Forwarded-Uri', '/public/a'],
  ['X-Original-Url', 'https://api.example.com/public/a'],
  ['Accept', 'text/plain'],
  ...overrideHeaders.map((name) => [name, 'DELETE'] as const),
];
const overridesIn = (fields: object) => overrideHeaders.filter((name) => name.toLowerCase() in fields);
const read = async () => bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
const asObject = (fields: Fields) => Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));

/** The relevant headers that the upstream gets, as Traefik documents its entry point and its two middlewares. */
function throughTraefik(received: Fields, answer: RawResponse): Record<string, string> {
  const { web } = parse(blockOf('behind-traefik.md', 'yml', {}, '# Traefik')).entryPoints;
  const isAlias = (name: string) => web.http.aliasHeadersStrategy === 'delete' && /[^a-z0-9-]/i.test(name);
  const page = parse(blockOf('behind-traefik.md', 'yml', {}, '# routing'));
  const { authResponseHeaders, authResponseHeadersRegex } = page.http.middlewares.gatehouse.forwardAuth;
  const regex = new RegExp(authResponseHeadersRegex.replace('(?i)', ''), 'i');
  const { middlewares } = page.http.routers.api;
  const cleared = page.http.middlewares[middlewares[0]].headers.customRequestHeaders;
  const gone = Object.keys(cleared).map((name) => (cleared[name] === '' ? name.toLowerCase() : ''));
  const names = new Set(authResponseHeaders.map((name: string) => name.toLowerCase()));
  const isCopied = (name: string) => names.has(name.toLowerCase()) || regex.test(name);
  return asObject([
    ...received.filter(([name]) => !isAlias(name) && !isCopied(name) && !gone.includes(name.toLowerCase())),
    ...answer.headers.filter(([name]) => isCopied(name)),
  ]);
}

interface Pattern {
  readonly exact?: string;
  readonly prefix?: string;
}

const fits = (patterns: readonly Pattern[], name: string) =>
  patterns.some(({ exact, prefix }) => exact === name || (prefix !== undefined && name.startsWith(prefix)));

function envoyFilter() {
  const page = parse(blockOf('behind-envoy.md', 'yml', {}));
  return { page, filter: page.http_filters[0].typed_config };
}

/** As Envoy documents `allowed_headers`. Envoy always sends Host, method, path, Content-Length and Authorization. */
function askedByEnvoy(received: Received): Received {
  const { patterns } = envoyFilter().filter.allowed_headers;
  const headers = (received.headers ?? []).filter(
    ([name]) => name === 'Authorization' || fits(patterns, name.toLowerCase()),
  );
  return { ...received, headers };
}

/** As Envoy documents `allowed_upstream_headers`, which it sets, and the list in the answer, which it then removes. */
function throughEnvoy(received: Fields, answer: RawResponse): Record<string, string> {
  const { patterns } = envoyFilter().filter.http_service.authorization_response.allowed_upstream_headers;
  const set = answer.headers.filter(([name]) => fits(patterns, name.toLowerCase()));
  const fields = asObject([...received, ...set]);
  const removed: readonly string[] = envoyFilter().page.route_config.request_headers_to_remove;
  for (const name of [...(answer.header('x-envoy-auth-headers-to-remove')?.split(',') ?? []), ...removed])
    delete fields[name];
  return fields;
}

t.test(
  'behind Traefik, configured as in the page, the upstream gets our headers and none that only the client sent',
  async (t) => {
    const running = await opened(t);
    const own = client.filter(([name]) => !/^x-forwarded/i.test(name));
    const token = await read();
    const passed = throughTraefik([...own, token], await asks(running, asTraefik({ headers: [...own, token] })));
    t.match(passed, { 'x-auth-subject': 'alice', 'x-auth-scope': 'orders.read', accept: 'text/plain' });
    t.strictSame([passed['x-auth-else'], passed.authorization], [undefined, undefined]);
    const odd: Fields = [...own, ['X_Auth_Subject', 'mallory'], token];
    const open = throughTraefik(odd, await asks(running, asTraefik({ target: '/public/a', headers: odd })));
    t.notMatch(Object.keys(open), /auth[-_]subject|auth-else/);
    const folded = client.map(([name, value]) => [name.replaceAll('-', '_'), value] as const);
    const spelt = throughTraefik(folded, await asks(running, asTraefik({ target: '/public/a', headers: folded })));
    t.notMatch(Object.keys(spelt), /original|rewrite|method/, 'nor a header that names another path or method');
    t.strictSame([overridesIn(passed), overridesIn(open)], [[], []]);
    t.equal(open.authorization, token[1], 'on a public route it passes');
  },
);

t.test(
  'behind Envoy, configured as in the page, the upstream gets our headers and none that only the client sent',
  async (t) => {
    const running = await opened(t);
    const token = await read();
    const headers = [...client, token];
    const passed = throughEnvoy(headers, await asks(running, asEnvoy(askedByEnvoy({ headers }))));
    t.match(passed, { 'x-auth-subject': 'alice', 'x-auth-scope': 'orders.read', accept: 'text/plain' });
    t.strictSame([passed['x-auth-else'], passed.authorization], [undefined, undefined]);
    const open = throughEnvoy(headers, await asks(running, asEnvoy(askedByEnvoy({ target: '/public/a', headers }))));
    t.strictSame([open['x-auth-subject'], open['x-auth-else']], [undefined, undefined]);
    t.strictSame([overridesIn(passed), overridesIn(open)], [[], []], 'nor a header that names another path or method');
    t.equal(open.authorization, token[1], 'on a public route it passes');
  },
);

t.test('the Envoy page uses the known prefix, fails closed, and forwards every header of a refusal', async (t) => {
  const { page, filter } = envoyFilter();
  t.equal(filter.http_service.path_prefix, '/envoy');
  t.strictSame([filter.failure_mode_allow, page.use_remote_address, page.normalize_path], [false, true, false]);
  const running = await opened(t);
  const refused = await asks(running, asEnvoy(askedByEnvoy({ headers: [] })));
  const { patterns } = filter.http_service.authorization_response.allowed_client_headers;
  const kept = refused.headers.map(([name]) => name.toLowerCase()).filter((name) => fits(patterns, name));
  for (const name of ['www-authenticate', 'content-type', 'x-request-id']) t.ok(kept.includes(name), name);
});

t.test('a gRPC call is decided by its service and method, in the form in which Envoy asks', async (t) => {
  const { url } = await witness(t);
  const grpc = { id: 'get', match: { methods: ['POST'], path: '/orders.v1.Orders/Get' }, scope: 'orders.read' };
  const decision = { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };
  const running = await gateway(t, behind(url, { ...decision, routes: [grpc] }));
  const headers: Fields = [['Content-Type', 'application/grpc'], ['TE', 'trailers'], await read()];
  const call = (target: string) => asks(running, asEnvoy({ method: 'POST', target, headers }));
  t.equal((await call('/orders.v1.Orders/Get')).status, 200);
  t.equal((await call('/orders.v1.Orders/Put')).status, 404);
  t.equal((await asks(running, asEnvoy({ method: 'POST', target: '/orders.v1.Orders/Get' }))).status, 401);
});
