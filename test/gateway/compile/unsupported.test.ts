import t from 'tap';
import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import { renderEnvoy } from '../../../src/gateway/compile/envoy/render.ts';
import { stoppingFindings } from '../../../src/gateway/compile/make-plan.ts';
import type { CompilePlan } from '../../../src/gateway/compile/plan.ts';
import { type CompileOptions, compileText, entryFor, filterOf, managerOf } from './compiled.ts';

/** As a file writes a variable. */
const VARIABLE = '$' + '{SECRET}';

const SERVER = 'issuer: https://a.example, audience: https://api.example.com, jwks_uri: https://a.example/keys';
const UPSTREAM = 'url: http://127.0.0.1:9';
const ROUTE = 'match: { path: /a }, scope: s';

interface Parts {
  readonly top?: string;
  readonly server?: string;
  readonly upstream?: string;
  readonly route?: string;
}

/** The route is in line 8, the server in line 3 and the upstream in line 5. */
function fileWith({ top = 'realm: api', server = SERVER, upstream = UPSTREAM, route = ROUTE }: Parts): string {
  return [
    'version: 1',
    'authorization_servers:',
    `  main: { ${server} }`,
    'upstreams:',
    `  api: { ${upstream} }`,
    'defaults: { upstream: api }',
    'routes:',
    `  - { id: one, ${route} }`,
    '  - { id: other, match: { path: "/other/{rest*}" }, access: public }',
    top,
    '',
  ].join('\n');
}

async function planWith(parts: Parts, options: CompileOptions = {}): Promise<CompilePlan> {
  const compiled = await compileText(fileWith(parts), { env: { SECRET: 'x'.repeat(32) }, ...options });
  if (compiled === undefined) throw new Error(`not valid: ${JSON.stringify(parts)}`);
  return compiled.plan;
}

/** Parts of a file that Envoy cannot judge: the line of the finding, and a word of its reason. */
const constructs: Readonly<Record<string, readonly [Parts, number, RegExp]>> = {
  when: [{ route: `${ROUTE}, when: 'identity.subject == "x"'` }, 8, /expression/],
  headers: [{ route: 'match: { path: /a, headers: { x-env: live } }, scope: s' }, 8, /repeated header/],
  query: [{ route: 'match: { path: /a, query: { op: x } }, scope: s' }, 8, /repeated parameter/],
  soap_action: [{ route: 'match: { path: /a, soap_action: x }, scope: s' }, 8, /SOAP/],
  'a path with an encoded letter': [{ route: 'match: { path: /%E2%82%AC }, scope: s' }, 8, /encoded character/],
  'a path that ignores case, with a letter beyond ASCII': [
    { route: 'match: { path: /%C3%A9 }, scope: s', upstream: `${UPSTREAM}, case_sensitive: false` },
    8,
    /encoded character/,
  ],
  'another scheme': [
    {
      route: `${ROUTE}, auth: { any_of: [bearer, basic] }, basic: { users: { storage: "postgres://g@db.internal/g?sslmode=verify-full" }, allow_insecure: true }`,
    },
    8,
    /bearer/,
  ],
  'a claim and the host': [
    { route: 'match: { path: "/a/{id}" }, scope: s, claims: { tenant: { equals: path.id } }' },
    8,
    /part of the host or the path/,
  ],
  'a claim with scopes': [{ route: `${ROUTE}, claims: { scope: { contains: x } }` }, 8, /into scopes/],
  mcp: [{ route: `${ROUTE}, mcp: {}` }, 8, /body/],
  rate_limit: [{ route: `${ROUTE}, rate_limit: { by: sub, requests: 1, per: 1m }` }, 8, /counts/],
  'shadow mode of a route': [{ route: `${ROUTE}, mode: shadow` }, 8, /enforcing/],
  'shadow mode': [{ top: 'mode: shadow' }, 10, /enforcing/],
  cors: [{ route: `${ROUTE}, cors: upstream` }, 8, /preflight/],
  rewrite: [{ route: `${ROUTE}, rewrite: { strip_prefix: /a }` }, 8, /rewritten/],
  'a token in the query': [{ route: `${ROUTE}, bearer_methods_supported: [header, query]` }, 8, /Authorization/],
  'tokens in the body': [{ top: 'bearer_methods_supported: [header, body]' }, 10, /Authorization/],
  encoded_slashes: [{ route: `${ROUTE}, encoded_slashes: keep` }, 8, /%2F/],
  path_parameters: [{ route: `${ROUTE}, path_parameters: keep` }, 8, /`;`/],
  pass_headers: [{ route: `${ROUTE}, pass_headers: [X-Original-URL]` }, 8, /removes/],
  end_with: [{ route: `${ROUTE}, end_with: token` }, 8, /stream/],
  'a limit of a body': [{ route: `${ROUTE}, limits: { body: 1MiB }` }, 8, /size/],
  'a limit of all bodies': [{ top: 'limits: { body: 1MiB }' }, 10, /size/],
  'a header from a claim with a dot': [
    { route: `${ROUTE}, identity_headers: { set: { X-Auth-Tenant: tenant.id } }` },
    8,
    /as a path/,
  ],
  'the host of a proxy': [{ top: 'trusted_proxies: { from: [10.0.0.0/8], host: forwarded }' }, 10, /Host only/],
  introspection: [
    {
      server: `issuer: https://a.example, audience: x, client_id: g, client_secret: "${VARIABLE}", verify: introspection`,
    },
    3,
    /does not ask/,
  ],
  'metadata of an issuer': [{ server: 'issuer: https://a.example, audience: x' }, 3, /metadata/],
  'a shared secret': [
    { server: `issuer: https://a.example, audience: x, algorithms: [HS256], secret: "${VARIABLE}"` },
    3,
    /secret/,
  ],
  'a short clock skew': [{ server: `${SERVER}, clock_skew: 0s` }, 3, /clock skew/],
  'keys of users': [{ server: `${SERVER}, user_key_uri_template: "https://a.example/{kid}"` }, 3, /single users/],
  'a feed of revocations': [
    { server: `${SERVER}, client_id: g, client_secret: "${VARIABLE}", events: https://a.example/events` },
    3,
    /revocations/,
  ],
  'a password of an upstream': [
    { upstream: `${UPSTREAM}, credentials: { basic: { username: me, password: "${VARIABLE}" } }` },
    5,
    /secret/,
  ],
  'several hosts of an upstream': [
    { upstream: 'urls: [http://127.0.0.1:9, http://127.0.0.1:8], host: upstream' },
    5,
    /one Host/,
  ],
};

t.test('a file that Envoy can judge has no finding', async (t) => {
  t.strictSame((await planWith({})).findings, []);
});

for (const [name, [parts, line, reason]] of Object.entries(constructs))
  t.test(`${name}: a finding with its line, its reason and a remedy, and no route that Envoy judges`, async (t) => {
    const plan = await planWith(parts);
    const found = plan.findings.find(({ at, why }) => at === `gateway.yaml:${line}` && reason.test(why));
    t.ok(found, JSON.stringify(plan.findings));
    t.ok(found?.remedy);
    t.ok(found?.routes.includes('one'));
    t.ok(stoppingFindings(plan, 'error').length > 0);
    t.not(plan.routes[0]?.judged, 'here');
  });

t.test('a key that the compiler does not know makes its route unsupported', async (t) => {
  const plan = await planWith(
    {},
    { change: (config) => ({ ...config, routes: config.routes.map((route) => ({ ...route, novel: true })) }) },
  );
  t.match(plan.findings, [{ what: 'routes.0.novel', why: /unknown/ }, { what: 'routes.1.novel' }]);
  const whole = await planWith({}, { change: (config) => ({ ...config, novel: true }) });
  t.strictSame(whole.findings[0]?.routes, ['one', 'other']);
});

t.test('an omitted route answers 404 also where a wider route is open', async (t) => {
  const parts = { route: 'match: { path: /other/a, headers: { x-env: live } }, scope: s' };
  const plan = await planWith(parts, { mode: 'omit' });
  t.strictSame(stoppingFindings(plan, 'omit'), []);
  const asked = { method: 'GET', host: 'h.example.com' };
  t.match(entryFor(managerOf(plan), { ...asked, target: '/other/a' }), { direct_response: { status: 404 } });
  t.match(entryFor(managerOf(plan), { ...asked, target: '/other/b' }), { route: {} });
});

t.test('an asked route goes to ext_authz, which never fails open, and no other route does', async (t) => {
  const parts = { route: `${ROUTE}, when: 'request.headers["x-env"] == "live"'`, top: DECISION };
  const plan = await planWith(parts, { mode: 'ask' });
  t.strictSame(stoppingFindings(plan, 'ask'), []);
  const manager = managerOf(plan);
  const filter = filterOf(manager, 'envoy.filters.http.ext_authz');
  t.match(filter, { failure_mode_allow: false, clear_route_cache: false, http_service: { path_prefix: '/envoy' } });
  t.match(filter.allowed_headers.patterns.at(-1), { exact: 'x-env' });
  const asked = { method: 'GET', host: 'h.example.com' };
  const configOf = (target: string) => entryFor(manager, { ...asked, target }).typed_per_filter_config;
  t.match(configOf('/a')['envoy.filters.http.ext_authz'], { check_settings: {} });
  for (const target of ['/other/b', '/none'])
    t.match(configOf(target)['envoy.filters.http.ext_authz'], { disabled: true });
});

const DECISION = 'decision: { listen: 127.0.0.1:8082 }\ntrusted_proxies: [127.0.0.1]';

t.test('a route that Envoy would send to the wrong upstream cannot be asked about', async (t) => {
  const conditional = 'match: { path: /other/a, headers: { x-env: live } }, scope: s, upstream: second';
  const upstream = `${UPSTREAM} }\n  second: { url: http://127.0.0.1:8`;
  const plan = await planWith({ route: conditional, upstream, top: DECISION }, { mode: 'ask' });
  t.match(stoppingFindings(plan, 'ask'), [{ why: /cannot choose between the upstreams/ }]);
  const without = await planWith({ route: 'match: { path: /a, headers: { x-env: live } }, scope: s' }, { mode: 'ask' });
  t.match(stoppingFindings(without, 'ask'), [{ why: /no `decision`/ }]);
});

t.test('what Envoy itself does with a request stays an error when Gatehouse is asked', async (t) => {
  const routes = {
    'a token in the query': `${ROUTE}, bearer_methods_supported: [header, query]`,
    'a message in the body': `${ROUTE}, mcp: {}`,
    'a header that the expression chooses': `${ROUTE}, when: 'request.headers.exists(name, name == "x")'`,
    'a preflight': `${ROUTE}, cors: upstream`,
  };
  for (const [name, route] of Object.entries(routes))
    t.ok(stoppingFindings(await planWith({ route, top: DECISION }, { mode: 'ask' }), 'ask').length > 0, name);
});

t.test('no name of the file can leave its comment', async (t) => {
  const route = 'match: { path: /a }, scope: s';
  const plan = await planWith({ route }, { change: renamed('one\nadmin: { address: {} }') });
  t.notMatch(renderEnvoy(plan), /^admin:/m);
});

function renamed(id: string): (config: GatewayConfig) => GatewayConfig {
  return (config) => ({
    ...config,
    routes: config.routes.map((route, index) => (index === 0 ? { ...route, id } : route)),
  });
}

t.test('the compiler says the same about a file each time', async (t) => {
  const parts = { route: `${ROUTE}, claims: { tenant: { one_of: [a, 1, true] } }, origins: [https://app.example.com]` };
  t.strictSame(managerOf(await planWith(parts)), managerOf(await planWith(parts)));
});
