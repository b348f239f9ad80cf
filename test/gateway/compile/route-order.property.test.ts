import t from 'tap';
import { stringify } from 'yaml';
import type { AssumedToken } from '../../../src/config/schema/test-case.ts';
import { assumedVerifier } from '../../../src/gateway/explain/assumed.ts';
import { buildDryEngine } from '../../../src/gateway/explain/dry-engine.ts';
import { simulate } from '../../../src/gateway/explain/simulate.ts';
import fc, { tries } from '../../support/properties.ts';
import { compileText, type EnvoyFile, entryFor, managerOf, type RequestOfTable } from './compiled.ts';

/** Some hundred files, and more than a thousand with GATEHOUSE_LONG=ci. */
t.setTimeout(300_000);

const LITERALS = ['a', 'b', 'A', 'new', 'a:b', 'a%3Ab', '%C3%A9', '%22', 'a.b'];
const segment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...LITERALS) },
  { weight: 1, arbitrary: fc.constant('{}') },
);
const path = fc
  .tuple(fc.array(segment, { maxLength: 3 }), fc.constantFrom('', '/', '/{rest*}'))
  .map(
    ([pieces, end]) => `${pieces.map((piece, index) => `/${piece === '{}' ? `{n${index}}` : piece}`).join('')}${end}`,
  )
  .map((text) => (text === '' ? '/' : text));

const route = fc.record(
  {
    path,
    host: fc.constantFrom('h.example.com', '{t}.example.com'),
    methods: fc.subarray(['GET', 'POST', 'PUT'], { minLength: 1 }),
    isPublic: fc.boolean(),
    upstream: fc.constantFrom('exact', 'folding'),
  },
  { requiredKeys: ['path', 'isPublic', 'upstream'] },
);

const PIECES = [
  ...LITERALS,
  ...LITERALS,
  'x',
  'NEW',
  '%61',
  'a%3ab',
  '%c3%a9',
  '%C3%89',
  '.',
  '..',
  '...',
  '..a',
  '%2e',
  '%20',
  'a%20',
  '%20a',
  'a%20b',
  'a%2Fb',
  'a;b',
  'a%3Bb',
  'new%3Fx',
  'new%23',
  '%00',
  '%25',
  '%5C',
  '%E2%84%AA',
  '%C5%BF',
  '%EF%BC%8F',
  '%C0%AE',
  '%E5%AD%97',
  '%C2%A0',
  'a|b',
  '',
];
const [USUAL, SECOND] = ['h.example.com', 'x.example.com'];
const HOSTS = [
  ...Array.from({ length: 8 }, () => USUAL),
  ...Array.from({ length: 4 }, () => SECOND),
  'H.example.com:80',
  'h.example.com.',
  'other.test',
  '10.0.0.1',
  '10.0.1',
  'a_b.test',
  '[::1]',
  'x.1',
];

const request = fc.record({
  method: fc.constantFrom('GET', 'GET', 'POST', 'DELETE', 'HEAD'),
  host: fc.constantFrom(...HOSTS),
  /** The path of this route, with the pieces in place of its names. */
  route: fc.nat(),
  pieces: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 }),
  query: fc.constantFrom('', '', '?x=1', '?a="<'),
  isFree: fc.boolean(),
});

type Shape<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type RouteShape = Shape<typeof route>;

function askedOf(shape: Shape<typeof request>, routes: readonly RouteShape[]): RequestOfTable {
  const { method, host, pieces, query, isFree } = shape;
  const pattern = routes[shape.route % routes.length]?.path ?? '/';
  const left = [...pieces];
  const filled = pattern
    .replace(/\{rest\*\}/, () => pieces.join('/'))
    .replace(/\{n[0-9]\}/g, () => left.shift() ?? 'x');
  return { method, host, target: `${isFree ? `/${pieces.join('/')}` : filled}${query}` };
}

function fileOf(routes: readonly RouteShape[]): string {
  return stringify({
    version: 1,
    authorization_servers: {
      main: { issuer: 'https://a.example', audience: 'any', jwks_uri: 'https://a.example/keys' },
    },
    upstreams: { exact: { url: 'http://127.0.0.1:9' }, folding: { url: 'http://127.0.0.1:8', case_sensitive: false } },
    routes: routes.map(({ path, host, methods, isPublic, upstream }, index) => ({
      id: `r${index}`,
      match: { path, ...(host && { host }), ...(methods && { methods }) },
      upstream,
      ...(isPublic ? { access: 'public' } : { scope: 's' }),
    })),
  });
}

/** Envoy cannot ignore the case of other letters, so its entry refuses every text at the place of such a segment. */
function isTooWide({ path, upstream }: RouteShape): boolean {
  return upstream === 'folding' && path.includes('%C3%A9');
}

/** The methods that an answer with status 405 names. */
function allowOf(entry: EnvoyFile): readonly string[] {
  const header = entry?.response_headers_to_add?.find(({ header }: EnvoyFile) => header.key.toLowerCase() === 'allow');
  return header?.header.value.split(', ') ?? [];
}

t.test('what the compiled table forwards and allows, the gateway forwards by the same route and allows', async (t) => {
  const counts = { forwarded: 0, narrower: 0, files: 0 };
  const property = fc.asyncProperty(
    fc.array(route, { minLength: 1, maxLength: 6 }),
    fc.array(request, { minLength: 20, maxLength: 40 }),
    async (routes, requests) => {
      const compiled = await compileText(fileOf(routes));
      // Two routes of one place are an error of the file.
      if (compiled === undefined) return;
      counts.files += 1;
      const { config } = compiled.loaded;
      const tokens = new Map<string, AssumedToken>([['all', { scope: 's' }]]);
      const { engine } = buildDryEngine({ config }, assumedVerifier(config, tokens));
      const manager = managerOf(compiled.plan);
      for (const shape of requests) {
        const asked = askedOf(shape, routes);
        const entry = entryFor(manager, asked);
        const { outcome } = await simulate(engine, { ...asked, token: 'all' });
        const expected = outcome.kind === 'forward' ? outcome.route.id : undefined;
        const isRefused = outcome.kind === 'refuse' && outcome.code === 'method_not_allowed';
        const wider =
          isRefused && !routes.some(isTooWide)
            ? allowOf(entry).filter((method) => !outcome.allow?.includes(method))
            : [];
        if (wider.length > 0) throw new Error(`${JSON.stringify(asked)}: Allow has ${wider}`);
        if (entry?.route === undefined) {
          if (expected !== undefined) counts.narrower += 1;
          continue;
        }
        counts.forwarded += 1;
        if (entry.name !== expected) throw new Error(`${JSON.stringify(asked)}: ${entry.name}, but ${expected}`);
      }
    },
  );
  await fc.assert(property, tries(80, 600));
  t.ok(counts.forwarded > counts.narrower, 'most requests that the gateway forwards pass');
  t.comment(`${counts.files} files; ${counts.forwarded} forwarded, ${counts.narrower} only by the gateway`);
});
