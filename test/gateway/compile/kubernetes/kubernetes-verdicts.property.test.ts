import t from 'tap';
import { stringify } from 'yaml';
import { loadGatewayText } from '../../../../src/config/load/load.ts';
import type { AssumedToken } from '../../../../src/config/schema/test-case.ts';
import { envoyGatewayObjects } from '../../../../src/gateway/compile/envoy-gateway/render.ts';
import { gatewayApiObjects } from '../../../../src/gateway/compile/gateway-api/render.ts';
import { istioObjects } from '../../../../src/gateway/compile/istio/render.ts';
import type { KubernetesObject } from '../../../../src/gateway/compile/kubernetes/objects.ts';
import { stoppingFindings, type UnsupportedMode } from '../../../../src/gateway/compile/make-plan.ts';
import type { CompilePlan } from '../../../../src/gateway/compile/plan.ts';
import { compileTargets } from '../../../../src/gateway/compile/targets.ts';
import { assumedVerifier } from '../../../../src/gateway/explain/assumed.ts';
import { buildDryEngine } from '../../../../src/gateway/explain/dry-engine.ts';
import { simulate } from '../../../../src/gateway/explain/simulate.ts';
import fc, { tries } from '../../../support/properties.ts';
import { type LoadedGateway, planOf } from '../compiled.ts';
import { type Claims, interpreters, type MeshRequest } from '../support/interpreters.ts';
import { wrongOutputs } from '../support/wrong-outputs.ts';

/** Some hundred files, and thousands with GATEHOUSE_LONG=ci. */
t.setTimeout(300_000);

const ISSUERS = { main: 'https://a.example', second: 'https://a.example/x' } as const;
const AUDIENCE = 'https://api.example';

const segment = fc.constantFrom('a', 'b', 'A', 'new', 'a.b', 'a%3Ab', '%C3%A9', '{}');
const path = fc
  .tuple(fc.array(segment, { maxLength: 2 }), fc.constantFrom('', '', '/', '/{rest*}'))
  .map(
    ([pieces, end]) => `${pieces.map((piece, index) => `/${piece === '{}' ? `{n${index}}` : piece}`).join('')}${end}`,
  )
  .map((text) => (text === '' ? '/' : text));

const access = fc.constantFrom<object>(
  { access: 'public' },
  { access: 'public' },
  { access: 'authenticated' },
  { access: 'optional' },
  { scope: 's' },
  { scope: 's t' },
  { scope: { any_of: ['t', 's u'] } },
  { scope: 'low' },
  { scope: 's', claims: { tenant: { equals: 'x' } } },
  { scope: 's', claims: { roles: { contains: 'x' } } },
  { scope: 's', claims: { tenant: { one_of: ['x', 'y'] } } },
  { scope: 's', audience: 'https://other.example' },
);

const often = { weight: 12, arbitrary: fc.constant('one') };

const route = fc.record({
  path,
  access,
  host: fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: 3, arbitrary: fc.constantFrom('h.example.com', '{t}.example.com') },
    { weight: 1, arbitrary: fc.constantFrom('a.{t}.example.com', '10.0.0.1') },
  ),
  methods: fc.oneof(
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.subarray(['GET', 'POST', 'OPTIONS'], { minLength: 1 }) },
  ),
  upstream: fc.oneof(often, { weight: 2, arbitrary: fc.constantFrom('two', 'two', 'two', 'folding') }),
  servers: fc.constantFrom(['main'], ['second'], ['main', 'second']),
  condition: fc.oneof(
    { weight: 12, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: fc.constantFrom<object>({ query: { op: 'x' } }, { headers: { 'x-env': 'live' } }) },
  ),
});

type Shape<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type RouteShape = Shape<typeof route>;

const UPSTREAMS = {
  one: { url: 'http://one.shop.svc:9' },
  two: { url: 'http://two.shop' },
  folding: { url: 'http://folding.shop.svc.cluster.local:8', case_sensitive: false },
};

function fileOf(routes: readonly RouteShape[]): string {
  const server = (issuer: string) => ({ issuer, audience: AUDIENCE, jwks_uri: `${issuer}/keys`, clock_skew: '60s' });
  return stringify({
    version: 1,
    decision: { listen: '127.0.0.1:8082' },
    trusted_proxies: ['127.0.0.1'],
    authorization_servers: { main: server(ISSUERS.main), second: server(ISSUERS.second) },
    scopes: { high: { implies: ['low'] } },
    upstreams: UPSTREAMS,
    routes: routes.map(({ path: text, host, methods, upstream, servers, condition, access: rules }, index) => ({
      id: `r${index}`,
      match: { path: text, ...(host && { host }), ...(methods && { methods }), ...condition },
      upstream,
      ...rules,
      ...(!('access' in rules && rules.access === 'public') && { authorization_servers: servers }),
    })),
  });
}

/** Token text → what it says. */
const TOKENS = new Map<string, AssumedToken>(
  Object.entries({
    nothing: {},
    s: { scope: 's' },
    st: { scope: 's t' },
    su: { scope: 'su s-t' },
    high: { scope: 'high' },
    other: { scope: 's t u', aud: 'https://other.example' },
    listed: { scope: 's', aud: ['https://other.example', AUDIENCE] },
    slash: { scope: 's', aud: `${AUDIENCE}/` },
    tenant: { scope: 's', claims: { tenant: 'x', roles: ['y', 'x'] } },
    list: { scope: 's', claims: { tenant: ['x'], roles: 'x' } },
  }).flatMap(([name, token]: [string, AssumedToken]) =>
    (['main', 'second'] as const).map((server): [string, AssumedToken] => [
      `${name}.${server}`,
      { sub: 'me', aud: AUDIENCE, ...token, server },
    ]),
  ),
);

function claimsOf(name: string | undefined): Claims | undefined {
  const token = name === undefined ? undefined : TOKENS.get(name);
  if (token === undefined) return undefined;
  const { scope, sub, aud, server, claims } = token;
  return { iss: ISSUERS[server as 'main' | 'second'], scope, sub, aud, ...claims };
}

const PIECES = [
  'a',
  'b',
  'A',
  'new',
  'x',
  '%61',
  'n%65w',
  'a%3Ab',
  'a%3ab',
  '.',
  '..',
  '%2e',
  'a%2Fb',
  'a;b',
  'new;x',
  '',
];
const request = fc.record({
  method: fc.constantFrom('GET', 'GET', 'POST', 'OPTIONS', 'DELETE', 'TRACE'),
  host: fc.constantFrom(
    'h.example.com',
    'h.example.com',
    'H.example.com:80',
    'x.example.com',
    'a.b.example.com',
    'other.test',
  ),
  route: fc.nat(),
  pieces: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 }),
  query: fc.constantFrom('', '', '?op=x', '?op=x&op=y'),
  isFree: fc.boolean(),
  token: fc.option(fc.constantFrom(...TOKENS.keys()), { nil: undefined, freq: 8 }),
});

function askedOf(
  shape: Shape<typeof request>,
  routes: readonly RouteShape[],
): MeshRequest & { readonly token?: string } {
  const { method, host, pieces, query, isFree, token } = shape;
  const left = [...pieces];
  const pattern = routes[shape.route % routes.length]?.path ?? '/';
  const filled = pattern.replace('{rest*}', () => pieces.join('/')).replace(/\{n[0-9]\}/g, () => left.shift() ?? 'x');
  return { method, host, target: `${isFree ? `/${pieces.join('/')}` : filled}${query}`, ...(token && { token }) };
}

const outputs: Readonly<Record<string, (plan: CompilePlan) => readonly KubernetesObject[]>> = {
  'gateway-api': gatewayApiObjects,
  'envoy-gateway': envoyGatewayObjects,
  istio: istioObjects,
};

interface Counts {
  allowed: number;
  asked: number;
  narrower: number;
  outputs: number;
}

const modes: readonly UnsupportedMode[] = ['ask', 'omit'];

const files = fc.array(route, { minLength: 1, maxLength: 3 });
const traffic = fc.array(request, { minLength: 20, maxLength: 40 });

for (const [target, objectsOf] of Object.entries(outputs)) {
  t.test(`${target}: what the output allows, the gateway allows too, to the same upstream`, async (t) => {
    const counts: Counts = { allowed: 0, asked: 0, narrower: 0, outputs: 0 };
    const property = fc.asyncProperty(files, traffic, async (routes, requests) => {
      await judgeOutputs({ target, objectsOf, routes, requests, counts });
    });
    await fc.assert(property, tries(150, 400));
    t.ok(counts.allowed > 100 && counts.asked > 100, 'both the proxy and Gatehouse judge');
    t.comment(JSON.stringify(counts));
  });

  t.test(`${target}: the same requests find each wrong output`, async (t) => {
    for (const [name, change] of Object.entries(wrongOutputs[target] ?? {})) {
      const counts: Counts = { allowed: 0, asked: 0, narrower: 0, outputs: 0 };
      const changed = (plan: CompilePlan) => {
        // Two policies can share a rule, and only one of them must change.
        const objects = JSON.parse(JSON.stringify(objectsOf(plan)));
        change(objects);
        return objects;
      };
      const property = fc.asyncProperty(files, traffic, async (routes, requests) => {
        await judgeOutputs({ target, objectsOf: changed, routes, requests, counts });
      });
      const { failed } = await fc.check(property, { ...tries(150, 600), endOnFailure: true });
      t.ok(failed, name);
    }
  });
}

interface Judging {
  readonly target: string;
  readonly objectsOf: (plan: CompilePlan) => readonly KubernetesObject[];
  readonly routes: readonly RouteShape[];
  readonly requests: readonly Shape<typeof request>[];
  readonly counts: Counts;
}

/** A request, and the upstream to which the gateway forwards it. */
interface Judged {
  readonly asked: ReturnType<typeof askedOf>;
  readonly expected: string | undefined;
}

async function judgeOutputs({ target, objectsOf, routes, requests, counts }: Judging): Promise<void> {
  const row = compileTargets[target];
  if (row === undefined) throw new Error(target);
  const loaded = loadGatewayText(fileOf(routes));
  // Two routes of one place are an error of the file.
  if (!loaded.ok) return;
  let judged: readonly Judged[] | undefined;
  for (const mode of modes) {
    const plan = await planOf(loaded, { mode, limits: row.limits, accepted: new Set(row.accepts) });
    if (stoppingFindings(plan, mode).length > 0) continue;
    counts.outputs += 1;
    judged ??= await judgedBy(loaded, routes, requests);
    const objects = objectsOf(plan);
    for (const each of judged) judgeOutput(target, objects, each, counts);
  }
}

async function judgedBy(
  { config }: LoadedGateway,
  routes: readonly RouteShape[],
  requests: readonly Shape<typeof request>[],
): Promise<readonly Judged[]> {
  const { engine } = buildDryEngine({ config }, assumedVerifier(config, TOKENS));
  const judged: Judged[] = [];
  for (const shape of requests) {
    const asked = askedOf(shape, routes);
    const { outcome } = await simulate(engine, asked);
    const expected = outcome.kind === 'forward' ? routes[Number(outcome.route.id.slice(1))]?.upstream : undefined;
    judged.push({ asked, expected });
  }
  return judged;
}

function judgeOutput(
  target: string,
  objects: readonly KubernetesObject[],
  { asked, expected }: Judged,
  counts: Counts,
): void {
  for (const { access: verdict, backend } of interpreters[target]?.(objects, asked, claimsOf(asked.token)) ?? []) {
    const passes = verdict === 'allowed' || (verdict === 'asked' && expected !== undefined);
    if (!passes && expected !== undefined) counts.narrower += 1;
    if (!passes) continue;
    counts[verdict === 'allowed' ? 'allowed' : 'asked'] += 1;
    if (backend !== expected) throw new Error(`${JSON.stringify(asked)}: ${verdict} to ${backend}, not ${expected}`);
  }
}
