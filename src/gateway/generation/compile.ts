import type { Pointer, Position } from '../../config/load/load.ts';
import { type GatewayConfig, type RouteConfig, schemesOf } from '../../config/schema/gateway.ts';
import { ANSWER_TIMES } from '../../config/words/answer-times.ts';
import { parseHostPattern } from '../../config/words/host-pattern.ts';
import { parsePathPattern } from '../../config/words/path-pattern.ts';
import type { Counters } from '../../counters/counters.ts';
import type { ProtectedResources } from '../decide/protected-resources.ts';
import { compileRateLimit } from '../decide/rate-limit.ts';
import type { Route } from '../decide/route.ts';
import { bearerMethodsOf } from '../message/bearer-methods.ts';
import type { WatchToken } from '../message/identity.ts';
import type { RouteTally } from '../message/tally.ts';
import { matchConditions } from '../routing/match-conditions.ts';
import { compileRewrite } from '../routing/rewrite.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { withMcp } from './compile-mcp.ts';
import { identityHeadersOf } from './identity-headers-of.ts';
import { isShadow } from './shadow-mode.ts';
import { type GenerationParts, sharedParts, type Verifier } from './shared-parts.ts';

export interface RouteDependencies {
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly verifier: Verifier;
  /** Watches for the end of a token. Undefined: nothing stays open. */
  readonly watch?: WatchToken;
  /** The credential schemes of a route, without bearer tokens. */
  readonly schemes: (route: RouteConfig) => readonly HttpScheme[];
  readonly resources: ProtectedResources;
  /** Counts a request against the limit of its route. */
  readonly take: Counters['take'];
  /** The counts of a route's requests. */
  readonly tally: (route: string) => RouteTally;
  /** The position of a value in the file. Undefined: there is no file. */
  readonly locate?: ((pointer: Pointer) => Position) | undefined;
}

/** Turns a checked file into routes. No later code reads the configuration. */
export function compileRoutes(config: GatewayConfig, dependencies: RouteDependencies): Route[] {
  const compile = compiler(config, dependencies);
  return config.routes.map((route, index) => compile(route, placeOf(dependencies, index)));
}

/** The route for requests without a route, if the whole file is in shadow mode. */
export function compileUnrouted(config: GatewayConfig, dependencies: RouteDependencies): Route | undefined {
  if (config.mode !== 'shadow' || config.defaults.upstream === undefined) return undefined;
  const everything: RouteConfig = { ...UNROUTED, match: { path: '/{rest*}' } };
  return compiler(config, dependencies)(everything, undefined);
}

const UNROUTED = {
  id: '',
  access: 'public',
  forward_credential: true,
  encoded_slashes: 'keep',
  path_parameters: 'keep',
  request_buffering: 'on',
  end_with: 'request',
} as const;

function placeOf({ locate }: RouteDependencies, index: number): string | undefined {
  const position = locate?.(['routes', index]);
  return position && `${position.file}:${position.line}`;
}

function compiler(
  config: GatewayConfig,
  dependencies: RouteDependencies,
): (route: RouteConfig, at: string | undefined) => Route {
  const headersFor = identityHeadersOf(config);
  const parts = sharedParts(config, dependencies.verifier);
  return (route, at) => {
    const plain = laidOut({
      id: route.id,
      at,
      tally: dependencies.tally(route.id),
      identityHeaders: headersFor(route),
      ...placement(config, route, parts),
      ...admission(config, route, dependencies, parts),
      ...forwarding(config, route, dependencies, parts),
      mcp: undefined,
    });
    return withMcp(config, route, plain, parts.scope);
  };
}

/**
 * One literal, because V8 keeps its members in the object itself, in this order. Members from a spread have separate
 * storage.
 */
function laidOut(route: Route): Route {
  return {
    tally: route.tally,
    conditions: route.conditions,
    methods: route.methods,
    access: route.access,
    shadow: route.shadow,
    onlyLooksOn: route.onlyLooksOn,
    keepEncodedSlashes: route.keepEncodedSlashes,
    keepParameters: route.keepParameters,
    limits: route.limits,
    schemes: route.schemes,
    bearerMethods: route.bearerMethods,
    origins: route.origins,
    rateLimit: route.rateLimit,
    verify: route.verify,
    requirements: route.requirements,
    identityHeaders: route.identityHeaders,
    rewrite: route.rewrite,
    forwardCredential: route.forwardCredential,
    upstream: route.upstream,
    buffered: route.buffered,
    watch: route.watch,
    id: route.id,
    at: route.at,
    host: route.host,
    segments: route.segments,
    caseSensitive: route.caseSensitive,
    corsUpstream: route.corsUpstream,
    metadataUrl: route.metadataUrl,
    takesBearer: route.takesBearer,
    realm: route.realm,
    decisive: route.decisive,
    mcp: route.mcp,
  };
}

type Admission =
  | 'access'
  | 'requirements'
  | 'verify'
  | 'takesBearer'
  | 'schemes'
  | 'origins'
  | 'rateLimit'
  | 'realm'
  | 'bearerMethods'
  | 'shadow'
  | 'onlyLooksOn'
  | 'metadataUrl';

/** Who may pass a route. */
function admission(
  config: GatewayConfig,
  route: RouteConfig,
  dependencies: RouteDependencies,
  parts: GenerationParts,
): Pick<Route, Admission> {
  const servers = route.authorization_servers ?? Object.keys(config.authorization_servers);
  const takesBearer = schemesOf(route.auth).includes('bearer');
  return {
    access: route.access ?? 'scope',
    requirements: parts.requirements(route, servers),
    verify: parts.verifier(servers),
    takesBearer,
    schemes: orShared(dependencies.schemes(route)),
    origins: route.origins && parts.origins(route.origins),
    rateLimit:
      route.rate_limit === undefined ? undefined : compileRateLimit(route.id, route.rate_limit, dependencies.take),
    realm: config.realm,
    bearerMethods: parts.bearerMethods(takesBearer ? bearerMethodsOf(config, route) : []),
    shadow: isShadow(config, route),
    onlyLooksOn: parts.onlyLooksOn(route),
    metadataUrl: dependencies.resources.location(route),
  };
}

const NONE: readonly HttpScheme[] = [];

function orShared(schemes: readonly HttpScheme[]): readonly HttpScheme[] {
  return schemes.length === 0 ? NONE : schemes;
}

type Forwarding = 'forwardCredential' | 'corsUpstream' | 'rewrite' | 'upstream' | 'buffered' | 'limits' | 'watch';

/** In shadow mode, only a timeout from the file ends an answer. */
const NO_TIMES = { response: 'none', idle: 'none' } as const;

/** A stream of events may be silent for hours. */
function answerTimesOf({ mcp }: RouteConfig) {
  return mcp === undefined ? ANSWER_TIMES : { ...ANSWER_TIMES, idle: 'none' as const };
}

/** What the upstream gets, and how long it may take. */
function forwarding(
  config: GatewayConfig,
  route: RouteConfig,
  { upstreams, watch }: RouteDependencies,
  parts: GenerationParts,
): Pick<Route, Forwarding> {
  const { name, timeout } = upstreamOf(config, route);
  const unnamed = parts.onlyLooksOn(route) ? NO_TIMES : answerTimesOf(route);
  return {
    forwardCredential: route.forward_credential,
    corsUpstream: route.cors === 'upstream',
    rewrite: route.rewrite === undefined ? undefined : compileRewrite(route.rewrite),
    upstream: upstreams.get(name) ?? fail(`upstream ${name} is not open`),
    buffered: route.request_buffering === 'on',
    watch: route.end_with === 'token' ? watch : undefined,
    limits: parts.limits({
      response: route.timeout?.response ?? timeout.response ?? unnamed.response,
      idle: route.timeout?.idle ?? timeout.idle ?? unnamed.idle,
      body: route.limits?.body ?? config.limits.body,
      form: route.limits?.form_body ?? config.limits.form_body,
    }),
  };
}

function upstreamOf(config: GatewayConfig, route: RouteConfig) {
  const name = route.upstream ?? config.defaults.upstream ?? '';
  return { name, ...(config.upstreams[name] ?? fail(`route ${route.id} has no upstream`)) };
}

type Placement =
  | 'host'
  | 'segments'
  | 'methods'
  | 'conditions'
  | 'caseSensitive'
  | 'keepEncodedSlashes'
  | 'keepParameters'
  | 'decisive';

/** Which requests belong to the route. */
function placement(config: GatewayConfig, route: RouteConfig, parts: GenerationParts): Pick<Route, Placement> {
  const { match } = route;
  const pattern = parsePathPattern(match.path);
  if (pattern.kind === 'fault') return fail(pattern.message);
  return {
    host: match.host === undefined ? undefined : (parseHostPattern(match.host) ?? fail(`host ${match.host}`)),
    segments: pattern.segments,
    methods: match.methods === undefined ? undefined : parts.methods(match.methods),
    conditions: matchConditions(match),
    caseSensitive: upstreamOf(config, route).case_sensitive,
    keepEncodedSlashes: route.encoded_slashes === 'keep',
    keepParameters: route.path_parameters === 'keep',
    decisive: parts.decisive(route),
  };
}

/** The configuration checks exclude this, so it is a defect of the gateway. */
function fail(message: string): never {
  throw new Error(message);
}
