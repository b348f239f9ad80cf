import t from 'tap';
import { istioObjects } from '../../../../src/gateway/compile/istio/render.ts';
import { noLimits } from '../../../../src/gateway/compile/limits.ts';
import { stoppingFindings, type UnsupportedMode } from '../../../../src/gateway/compile/make-plan.ts';
import type { CompilePlan } from '../../../../src/gateway/compile/plan.ts';
import { compileTargets } from '../../../../src/gateway/compile/targets.ts';
import { compileText } from '../compiled.ts';

const SERVER =
  'issuer: https://a.example, audience: https://api.example, jwks_uri: https://a.example/keys, clock_skew: 60s';
const TOKENS = ['typ', 'algorithms', 'lifetime', 'clock-skew', 'header', 'cnf', 'events', 'second-credential'];

interface Parts {
  readonly server?: string;
  readonly upstream?: string;
  readonly one?: string;
  readonly two?: string;
  /** The upstream of the second route. */
  readonly second?: string;
  readonly decision?: string;
}

/** The server is in line 3, the upstream in line 5, the decision in line 7, and the routes in lines 10 and 11. */
function fileWith({
  server = SERVER,
  upstream = 'url: http://api.shop.svc:9',
  one,
  two,
  second = 'api',
  decision,
}: Parts): string {
  return [
    'version: 1',
    'authorization_servers:',
    `  main: { ${server} }`,
    'upstreams:',
    `  api: { ${upstream} }`,
    '  other: { url: http://other.shop }',
    decision ?? 'decision: { listen: 0.0.0.0:8082, grpc: 127.0.0.1:8083 }',
    'trusted_proxies: [10.0.0.0/8]',
    'routes:',
    `  - { id: one, upstream: api, ${one ?? 'match: { path: /a }, scope: s'} }`,
    `  - { id: two, upstream: ${second}, ${two ?? 'match: { path: /b }, access: public'} }`,
    '',
  ].join('\n');
}

interface Compiling {
  readonly accepts?: readonly string[];
  readonly mode?: UnsupportedMode;
}

async function planFor(
  target: string,
  parts: Parts,
  { accepts = [], mode = 'error' }: Compiling = {},
): Promise<CompilePlan> {
  const { limits = noLimits } = compileTargets[target] ?? {};
  const compiled = await compileText(fileWith(parts), { mode, limits, accepted: new Set(accepts) });
  if (compiled === undefined) throw new Error(`not valid: ${JSON.stringify(parts)}`);
  return compiled.plan;
}

type Row = readonly [parts: Parts, line: number, reason: RegExp];

/** Findings of all three targets, which asking Gatehouse does not remove. */
const forAll: Readonly<Record<string, Row>> = {
  'an upstream that is no Service': [{ upstream: 'url: http://api.example.com:9' }, 5, /names no Service/],
  'an upstream with TLS': [{ upstream: 'url: https://api.shop.svc' }, 5, /names no Service/],
  'the Host of an upstream': [{ upstream: 'url: http://api.shop.svc, host: api.example.com' }, 5, /Host of the client/],
  'an upstream that ignores case': [{ upstream: 'url: http://api.shop.svc, case_sensitive: false' }, 5, /letters/],
  'a condition on a header': [{ one: 'match: { path: /a, headers: { x-env: live } }, scope: s' }, 10, /repeated lines/],
  'a SOAP action': [{ one: 'match: { path: /a, soap_action: x }, scope: s' }, 10, /repeated lines/],
  'an expression about a header': [
    { one: `match: { path: /a }, scope: s, when: 'request.headers["x-env"] == "live"'` },
    10,
    /repeated lines/,
  ],
  'a host that is an address': [{ one: 'match: { path: /a, host: 10.0.0.1 }, scope: s' }, 10, /DNS name/],
  'a name in the middle of a host': [
    { one: 'match: { path: /a, host: "a.{t}.example.com" }, scope: s' },
    10,
    /DNS name/,
  ],
  rewrite: [{ one: 'match: { path: /a }, scope: s, rewrite: { strip_prefix: /a }' }, 10, /without the rewrite/],
  'encoded slashes': [{ one: 'match: { path: /a }, scope: s, encoded_slashes: keep' }, 10, /%2F/],
  'routes with different upstreams that can meet': [
    { two: 'match: { path: "/{rest*}" }, scope: t', second: 'other' },
    11,
    /encoded path/,
  ],
};

/** Findings of a mesh, which leave a route to Gatehouse. */
const forMeshes: Readonly<Record<string, Row>> = {
  'a name in a path': [{ one: 'match: { path: "/a/{id}" }, scope: s' }, 10, /encoded dots/],
  'the rest of a path': [{ one: 'match: { path: "/a/{rest*}" }, access: public' }, 10, /encoded dots/],
  'an encoded letter': [{ one: 'match: { path: /%C3%A9 }, access: public' }, 10, /encoded dots/],
  'the same path with a condition': [
    { one: 'match: { path: /a }, access: public', two: 'match: { path: /a, query: { x: y } }, scope: s' },
    10,
    /Gatehouse can choose the route `two`/,
  ],
  'the same path at one host': [
    { one: 'match: { path: /a }, access: public', two: 'match: { path: "/{rest*}", host: h.example }, scope: s' },
    10,
    /Gatehouse can choose the route `two`/,
  ],
  'a name in a host': [{ one: 'match: { path: /a, host: "{t}.example.com" }, access: public' }, 10, /several labels/],
  OPTIONS: [{ one: 'match: { path: /a, methods: [OPTIONS] }, access: public' }, 10, /OPTIONS/],
  'an optional token': [{ one: 'match: { path: /a }, access: optional' }, 10, /another kind/],
  origins: [{ one: 'match: { path: /a }, access: public, origins: [https://app.example]' }, 10, /Origin/],
  'scopes in another claim': [{ server: `${SERVER}, scope_claims: [scp]` }, 3, /`scope`/],
  'a claim and the path': [
    { one: 'match: { path: "/a/{id}" }, scope: s, claims: { sub: { equals: path.id } }' },
    10,
    /part of the host or the path|a list that contains the value/,
  ],
};

const ofIstio: Readonly<Record<string, Row>> = {
  'a claim': [
    { one: 'match: { path: /a }, scope: s, claims: { tenant: { equals: x } }' },
    10,
    /a list that contains the value/,
  ],
  required_claims: [{ server: `${SERVER}, required_claims: { use: [access] }` }, 3, /a list that contains the value/],
  'a scope with a star': [{ one: 'match: { path: /a }, scope: "read:*"' }, 10, /wildcard/],
  forward_credential: [{ one: 'match: { path: /a }, scope: s, forward_credential: true' }, 10, /all routes/],
  'identity headers of a route': [
    { one: 'match: { path: /a }, scope: s, identity_headers: { set: { X-Auth-Id: sub } }' },
    10,
    /all routes/,
  ],
};

const ofEnvoyGateway: Readonly<Record<string, Row>> = {
  'a claim that is a number': [
    { one: 'match: { path: /a }, scope: s, claims: { level: { equals: 1 } }' },
    10,
    /only with strings/,
  ],
  'a claim with a dot': [{ one: 'match: { path: /a }, scope: s, claims: { a.b: { equals: x } }' }, 10, /dot/],
  'scopes in one claim': [{ server: `${SERVER}, scope_claims: [scope]` }, 3, /both `scope` and `scp`/],
  'a required claim with a dot': [{ server: `${SERVER}, required_claims: { a.b: [x] }` }, 3, /dot/],
};

/** Each makes one finding for a mesh, even though the file says nothing unusual. */
const ofTokens: Readonly<Record<string, Row>> = {
  typ: [{}, 3, /ID token/],
  algorithms: [{}, 3, /every algorithm/],
  lifetime: [{}, 3, /does not require `exp`/],
  'clock-skew': [{ server: SERVER.replace('60s', '30s') }, 3, /60 s after/],
  header: [{}, 3, /`crit`/],
  cnf: [{}, 3, /bound to a key/],
  events: [{}, 3, /logout token/],
  'second-credential': [{}, 3, /second credential/],
};

const tables: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  'gateway-api': forAll,
  'envoy-gateway': { ...forAll, ...forMeshes, ...ofEnvoyGateway },
  istio: { ...forAll, ...forMeshes, ...ofIstio },
};

for (const [target, rows] of Object.entries(tables)) {
  t.test(`${target}: each rule that it cannot say is a finding with its line, its reason and a remedy`, async (t) => {
    for (const [name, [parts, line, reason]] of Object.entries(rows)) {
      const { findings, routes } = await planFor(target, parts, { accepts: TOKENS });
      const found = findings.find(({ at, why }) => at === `gateway.yaml:${line}` && reason.test(why));
      t.ok(found !== undefined && found.remedy !== '', `${name}: ${JSON.stringify(findings)}`);
      const concerned = routes.filter(({ id }) => found?.routes.includes(id));
      t.ok(concerned.length > 0 && concerned.every(({ judged }) => judged !== 'here'), name);
    }
  });
}

for (const [name, row] of Object.entries(forAll)) {
  t.test(`${name}: asking Gatehouse does not remove the finding`, async (t) => {
    for (const target of Object.keys(tables)) {
      const plan = await planFor(target, row[0], { accepts: TOKENS, mode: 'ask' });
      t.ok(
        stoppingFindings(plan, 'ask').some(({ why }) => row[2].test(why)),
        target,
      );
    }
  });
}

for (const target of ['envoy-gateway', 'istio']) {
  t.test(
    `${target}: each check of a token that it leaves out is a finding, unless it is accepted by name`,
    async (t) => {
      for (const [name, [parts, line, reason]] of Object.entries(ofTokens)) {
        const without = await planFor(target, parts, { accepts: TOKENS.filter((each) => each !== name) });
        t.match(without.findings, [{ at: `gateway.yaml:${line}`, why: reason, accept: name, routes: ['one'] }], name);
        t.equal(without.findings.length, 1);
        const accepting = await planFor(target, parts, { accepts: TOKENS });
        t.strictSame(accepting.findings, [], name);
        t.ok(
          accepting.accepted.some(({ accept }) => accept === name),
          name,
        );
        t.match(
          compileTargets[target]?.render(accepting),
          `The proxy accepts more than the file allows, because of \`--accept ${name}\`: gateway.yaml:3`,
        );
      }
    },
  );
}

t.test('gateway-api: Gatehouse judges all routes but public ones with one plain path', async (t) => {
  const judged = async (parts: Parts) => (await planFor('gateway-api', parts)).routes.map((route) => route.judged);
  t.strictSame(await judged({}), ['asked', 'here']);
  t.strictSame(await judged({ two: 'match: { path: "/b/{rest*}" }, access: public' }), ['asked', 'asked']);
  const shared = { one: 'match: { path: /b, query: { x: y } }, scope: s' };
  t.strictSame(await judged(shared), ['asked', 'asked']);
});

t.test('gateway-api: without gRPC, forged identity headers are a finding that an operator can accept', async (t) => {
  const parts = { decision: 'decision: { listen: 0.0.0.0:8082 }' };
  t.match((await planFor('gateway-api', parts)).findings, [{ at: 'gateway.yaml:7', accept: 'identity-headers' }]);
  const accepting = await planFor('gateway-api', parts, { accepts: ['identity-headers'] });
  t.strictSame(accepting.findings, []);
});

t.test('without a decision endpoint, no target asks', async (t) => {
  for (const target of Object.keys(tables)) {
    const plan = await planFor(target, { decision: '' }, { mode: 'ask' });
    t.ok(
      stoppingFindings(plan, 'ask').some(({ why }) => why.includes('no `decision`')),
      target,
    );
    const omitting = await planFor(target, { decision: '' }, { mode: 'omit' });
    t.strictSame(
      omitting.routes.map(({ judged }) => judged),
      ['omitted', 'here'],
      target,
    );
  }
});

t.test(
  'only gateway-api asks by gRPC: a mesh sends no raw headers, so Gatehouse would refuse each request',
  async (t) => {
    for (const target of Object.keys(tables)) {
      const plan = await planFor(target, {}, { mode: 'ask' });
      const text = compileTargets[target]?.render(plan) ?? '';
      t.match(text, target === 'gateway-api' ? /port: 8083/ : /port: 8082/);
      t.notMatch(text, target === 'gateway-api' ? /8082/ : /8083/);
    }
  },
);

t.test('istio: where no token is verified, an open route refuses identity headers that a client forged', async (t) => {
  const forged = { key: 'request.headers[X-Auth-Subject]', notValues: ['*'] };
  const rulesOf = (plan: CompilePlan) =>
    istioObjects(plan)
      .filter(({ name }) => name === 'gatehouse-allows')
      .map(({ spec }) => spec);
  t.match(rulesOf(await planFor('istio', {}, { mode: 'ask' })), [{ rules: [{ when: [forged] }] }]);
  const verifying = await planFor('istio', {}, { accepts: TOKENS });
  t.notMatch(JSON.stringify(rulesOf(verifying)), 'notValues', 'elsewhere the token sets them');
});
