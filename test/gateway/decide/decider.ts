import { loadGatewayText } from '../../../src/config/load/load.ts';
import { crossOriginOf } from '../../../src/gateway/decide/cross-origin.ts';
import { buildEngine, type WantedEntity } from '../../../src/gateway/decide/engine.ts';
import type { Outcome, Refuse, Reply } from '../../../src/gateway/decide/outcome.ts';
import { protectedResources } from '../../../src/gateway/decide/protected-resources.ts';
import type { Routed } from '../../../src/gateway/decide/routed.ts';
import { assumedVerifier } from '../../../src/gateway/explain/assumed.ts';
import { buildDryEngine } from '../../../src/gateway/explain/dry-engine.ts';
import { compileRoutes, compileUnrouted, type RouteDependencies } from '../../../src/gateway/generation/compile.ts';
import type { Identity, VerifyBearer } from '../../../src/gateway/message/identity.ts';
import { type Origin, type RequestHead, readHead } from '../../../src/gateway/message/request-head.ts';
import { tallies } from '../../../src/gateway/message/tally.ts';

/** A request in one line, its header lines, and its origin. */
export interface Request {
  readonly line: string;
  readonly headers?: readonly string[];
  readonly origin?: Partial<Origin>;
  readonly version?: '1.0' | '1.1';
  readonly body?: string | Buffer;
}

/** The engine of a file. The test provides everything that the engine would ask another program for. */
export interface Decider {
  route(request: Request | string): Routed | Refuse | Reply;
  /** Also undefined if the request has no route. */
  needs(request: Request): WantedEntity | undefined;
  decide(request: Request | string): Outcome | Promise<Outcome>;
}

type Given = Partial<Pick<RouteDependencies, 'take' | 'schemes'>> & { readonly verify?: VerifyBearer };

export const alice: Identity = {
  scheme: 'bearer',
  issuer: 'https://auth.example.com',
  server: 'main',
  subject: 'alice',
  clientId: 'shop',
  scopes: new Set(['orders.read']),
  audience: ['https://api.example.com'],
  expiresAt: undefined,
  notBefore: undefined,
  claims: { sub: 'alice', tenant: 'acme' },
};

/** Every token is Alice's by default. */
const believe: VerifyBearer = () => ({ kind: 'verified', identity: alice, cache: 'hit' });

const base = {
  version: 1,
  authorization_servers: { main: { issuer: 'https://auth.example.com', audience: 'https://api.example.com' } },
  upstreams: { api: { url: 'http://127.0.0.1:9' } },
  defaults: { upstream: 'api' },
};

export function decider(file: object, { verify = believe, take = () => 0, schemes }: Given = {}): Decider {
  const loaded = loadGatewayText(JSON.stringify({ ...base, ...file }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { config } = loaded;
  const dry = buildDryEngine(loaded, assumedVerifier(config, new Map()));
  const upstreams = new Map(dry.routes.map(({ upstream }) => [upstream.name, upstream]));
  const resources = protectedResources(config);
  const own = new Map(dry.routes.map((route) => [route.id, route.schemes]));
  const parts: RouteDependencies = {
    upstreams,
    resources,
    take,
    verifier: () => verify,
    schemes: schemes ?? (({ id }) => own.get(id) ?? []),
    tally: tallies(),
  };
  const engine = buildEngine({
    routes: compileRoutes(config, parts),
    unrouted: compileUnrouted(config, parts),
    resources,
    crossOrigin: crossOriginOf(config),
  });
  const route = (request: Request | string) => engine.route(headOf(request));
  return {
    route,
    needs(request) {
      const routed = route(request);
      return routed.kind === 'routed' ? engine.needs(routed) : undefined;
    },
    decide(request) {
      const routed = route(request);
      if (routed.kind !== 'routed') return routed;
      const body = typeof request === 'string' ? undefined : request.body;
      return engine.decide(routed, typeof body === 'string' ? Buffer.from(body) : body);
    },
  };
}

function headOf(request: Request | string): RequestHead {
  const {
    line,
    headers = [],
    origin = {},
    version = '1.1',
  }: Request = typeof request === 'string' ? { line: request } : request;
  const [method = '', target = ''] = line.split(' ');
  const nowhere = {
    address: '192.0.2.1',
    secure: false,
    chain: '192.0.2.1',
    host: undefined,
    requestId: undefined,
    isProxied: false,
  };
  const names = headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const rawHeaders = names.includes('host') ? headers : ['Host', 'api.example.com', ...headers];
  return readHead({ method, target, version, origin: { ...nowhere, ...origin }, rawHeaders });
}

export const bearer = ['Authorization', 'Bearer t'];
