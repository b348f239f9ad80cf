import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { assumedVerifier } from '../../../src/gateway/explain/assumed.ts';
import { buildDryEngine } from '../../../src/gateway/explain/dry-engine.ts';
import { type Explanation, explain } from '../../../src/gateway/explain/explain.ts';
import fc from '../../support/properties.ts';

interface Given {
  readonly method?: string;
  readonly target?: string;
  readonly host?: string;
  readonly headers?: readonly (readonly [string, string])[];
}

/** Undefined if the routes are not a valid file: two of them are equal. */
function asker(routes: readonly string[]): ((given: Given) => Promise<Explanation>) | undefined {
  const loaded = loadGatewayText(`version: 1
authorization_servers: { main: { issuer: "https://auth.example.com", audience: "https://api.example.com" } }
upstreams: { api: { url: "http://127.0.0.1:9" } }
defaults: { upstream: api }
routes:
${routes.map((route) => `  - { ${route} }\n`).join('')}`);
  if (!loaded.ok) return undefined;
  const dry = buildDryEngine(loaded, assumedVerifier(loaded.config, new Map()));
  return ({ method = 'GET', target = '/a', host = 'h.example', headers = [] }) =>
    explain(loaded, dry, { method, target, host, headers });
}

async function misfits(routes: readonly string[], given: Given): Promise<Readonly<Record<string, readonly string[]>>> {
  const { candidates } = (await asker(routes)?.(given)) ?? { candidates: [] };
  return Object.fromEntries(candidates.map((candidate) => [candidate.route, candidate.misfits]));
}

const soap = ['Get', 'Put'].map(
  (name) => `id: ${name}, match: { path: /a, soap_action: "urn:${name}" }, access: public`,
);
const methods = ['GET', 'POST'].map((name) => `id: ${name}, match: { path: /a, methods: [${name}] }, access: public`);

t.test('a later route that does not match either is shown with its mismatch', async (t) => {
  t.strictSame(await misfits(soap, { headers: [['SOAPAction', '"urn:Get"']] }), {
    Get: [],
    Put: ['soap action urn:Put: the request has `urn:Get`'],
  });
  t.strictSame(await misfits(methods, { method: 'GET' }), { GET: [], POST: ['method: GET is not among POST'] });
  t.strictSame(await misfits(methods, { method: 'POST' }), { GET: ['method: POST is not among GET'], POST: [] });
});

t.test('only a less specific route is called less specific', async (t) => {
  const two = ['x', 'y'].map((name) => `id: ${name}, match: { path: /a, headers: { ${name}: "1" } }, access: public`);
  const wide = 'id: wide, match: { path: "/{rest*}" }, access: public';
  t.strictSame(
    await misfits([wide, ...two.toReversed()], { headers: ['x', 'y'].map((name) => [name, '1'] as const) }),
    {
      x: [],
      y: ['as specific as x, which is tried first'],
      wide: ['less specific than x'],
    },
  );
});

t.test('a failed condition shows what the request had', async (t) => {
  const route = 'id: r, match: { path: /a, headers: { x-v: "1" }, query: { access_token: "2" } }, access: public';
  const [none, other, long] = await Promise.all([
    misfits([route], {}),
    misfits([route], { headers: [['X-V', '3']], target: '/a?access_token=hidden-word' }),
    misfits([route], { headers: [['X-V', 'v'.repeat(500)]] }),
  ]);
  t.strictSame(none.r, ['header x-v: 1: the request has none', 'query access_token: the request has none']);
  t.strictSame(other.r, ['header x-v: 1: the request has `3`', 'query access_token: the request has another value']);
  t.ok((long.r?.[0]?.length ?? 0) < 120);
});

const route = fc.record({
  host: fc.constantFrom('', 'h.example', '{a}.example', '{b}.example', 'h.{c}'),
  path: fc.constantFrom('/a', '/{x}', '/{y}', '/{x*}', '/a/{x*}', '/a/b', '/{x}/b'),
  methods: fc.constantFrom('', '[GET]', '[POST]', '[GET, PUT]'),
  headers: fc.constantFrom('', 'x: "1"', 'y: "1"', 'x: "1", y: "1"'),
  access: fc.constantFrom('public', 'optional'),
});

type Shape = typeof route extends fc.Arbitrary<infer Value> ? Value : never;

function written({ host, path, methods, headers, access }: Shape, index: number): string {
  const match = [
    `path: "${path}"`,
    ...(host === '' ? [] : [`host: "${host}"`]),
    ...(methods === '' ? [] : [`methods: ${methods}`]),
    ...(headers === '' ? [] : [`headers: { ${headers} }`]),
  ];
  return `id: r${index}, match: { ${match.join(', ')} }, access: ${access}`;
}

const asked = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT'),
  target: fc.constantFrom('/a', '/a/b', '/c', '/c/b', '/'),
  host: fc.constantFrom('h.example', 'i.example', 'h.test'),
  headers: fc.subarray([['X', '1'] as const, ['Y', '1'] as const]),
});

t.test("the matching candidate is the engine's route, and exists only if the engine has one", async (t) => {
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(route, { minLength: 1, maxLength: 7 }), asked, async (shapes, given) => {
      const told = await asker(shapes.map(written))?.(given);
      if (told !== undefined) judged++;
      const fitting = told?.candidates.filter((candidate) => candidate.misfits.length === 0) ?? [];
      return fitting.length <= 1 && fitting[0]?.route === told?.route;
    }),
    { numRuns: 500 },
  );
  t.ok(judged > 100, `${judged} of the files were sound`);
});
