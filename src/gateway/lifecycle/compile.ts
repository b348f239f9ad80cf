import { type BearerMethod, type GatewayConfig, type RouteConfig, schemesOf } from '../../config/gateway.ts';
import { parseHostPattern } from '../../config/host-pattern.ts';
import type { Pointer, Position } from '../../config/load.ts';
import { parsePathPattern } from '../../config/path-pattern.ts';
import type { Counters } from '../../storage/counters.ts';
import { claimConditions } from '../decide/claim-conditions.ts';
import { identityHeaders } from '../decide/identity-headers.ts';
import type { ProtectedResources } from '../decide/protected-resources.ts';
import { compileRateLimit } from '../decide/rate-limit.ts';
import { scopeRequirement } from '../decide/scope-requirement.ts';
import { compileWhen } from '../decide/when.ts';
import type { Upstream } from '../forward/upstream.ts';
import type { VerifyBearer } from '../identity.ts';
import { matchConditions } from '../routing/match-conditions.ts';
import { oncePerInput } from '../routing/once-per-input.ts';
import { compileRewrite } from '../routing/rewrite.ts';
import type { Route } from '../routing/route.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';

export interface RouteDependencies {
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** The verifier for the tokens of these authorization servers. */
  readonly verifier: (serverNames: readonly string[]) => VerifyBearer;
  /** Basic and Digest of a route. */
  readonly schemes: (route: RouteConfig) => readonly HttpScheme[];
  readonly resources: ProtectedResources;
  /** Counts a request against the limit of its route. */
  readonly take: Counters['take'];
  /** Where a value of the file stands; absent where there is no file. */
  readonly locate?: ((pointer: Pointer) => Position) | undefined;
}

/** A checked file, made into routes: after this no configuration is looked at. */
export function compileRoutes(config: GatewayConfig, dependencies: RouteDependencies): Route[] {
  const compile = compiler(config, dependencies);
  return config.routes.map((route, index) => compile(route, placeOf(dependencies, index)));
}

/** Where a request goes that has no route, when the whole file only looks on. */
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
} as const;

function placeOf({ locate }: RouteDependencies, index: number): string | undefined {
  const position = locate?.(['routes', index]);
  return position && `${position.file}:${position.line}`;
}

function compiler(
  config: GatewayConfig,
  dependencies: RouteDependencies,
): (route: RouteConfig, at: string | undefined) => Route {
  const shared = identityHeaders(config.defaults.identity_headers, config.request_id.header);
  const parts = sharedParts(config, dependencies);
  return (route, at) => ({
    id: route.id,
    at,
    ...placement(config, route, parts),
    ...admission(config, route, dependencies, parts),
    ...forwarding(config, route, dependencies),
    identityHeaders:
      route.identity_headers === undefined ? shared : identityHeaders(route.identity_headers, config.request_id.header),
  });
}

/** What many routes have in common, made once for all of them. */
function sharedParts(config: GatewayConfig, { verifier }: RouteDependencies) {
  return {
    methods: oncePerInput((methods: readonly string[]): ReadonlySet<string> => new Set(methods)),
    bearerMethods: oncePerInput((methods: readonly BearerMethod[]): ReadonlySet<BearerMethod> => new Set(methods)),
    scope: oncePerInput(scopeRequirement),
    verifier: oncePerInput(verifier),
    audiences: oncePerInput((wanted: Wanted) => audiences(config, wanted)),
  };
}

type SharedParts = ReturnType<typeof sharedParts>;

type Admission =
  | 'access'
  | 'requirements'
  | 'verify'
  | 'takesBearer'
  | 'schemes'
  | 'rateLimit'
  | 'realm'
  | 'bearerMethods'
  | 'shadow'
  | 'metadataUrl'
  | 'formLimit';

/** Who may pass. */
function admission(
  config: GatewayConfig,
  route: RouteConfig,
  dependencies: RouteDependencies,
  parts: SharedParts,
): Pick<Route, Admission> {
  const servers = route.authorization_servers ?? Object.keys(config.authorization_servers);
  const takesBearer = schemesOf(route.auth).includes('bearer');
  return {
    access: route.access ?? 'scope',
    requirements: {
      scope: route.scope === undefined ? undefined : parts.scope(route.scope),
      audience: parts.audiences({ audience: route.audience, servers }),
      claims: route.claims === undefined ? undefined : claimConditions(route.claims),
      when: route.when === undefined ? undefined : compileWhen(route.when),
    },
    verify: parts.verifier(servers),
    takesBearer,
    schemes: dependencies.schemes(route),
    rateLimit:
      route.rate_limit === undefined ? undefined : compileRateLimit(route.id, route.rate_limit, dependencies.take),
    realm: config.realm,
    bearerMethods: parts.bearerMethods(
      takesBearer ? (route.bearer_methods_supported ?? config.bearer_methods_supported) : [],
    ),
    shadow: (route.mode ?? config.mode) === 'shadow',
    metadataUrl: dependencies.resources.location(route),
    formLimit: route.limits?.form_body ?? config.limits.form_body,
  };
}

type Forwarding =
  | 'forwardCredential'
  | 'corsUpstream'
  | 'rewrite'
  | 'upstream'
  | 'responseTimeout'
  | 'idleTimeout'
  | 'bodyLimit';

/** What the upstream gets, and how long it may take. */
function forwarding(
  config: GatewayConfig,
  route: RouteConfig,
  { upstreams }: RouteDependencies,
): Pick<Route, Forwarding> {
  const { name, timeout } = upstreamOf(config, route);
  return {
    forwardCredential: route.forward_credential,
    corsUpstream: route.cors === 'upstream',
    rewrite: route.rewrite === undefined ? undefined : compileRewrite(route.rewrite),
    upstream: upstreams.get(name) ?? fail(`upstream ${name} is not open`),
    responseTimeout: limit(route.timeout?.response ?? timeout.response),
    idleTimeout: limit(route.timeout?.idle ?? timeout.idle),
    bodyLimit: limit(route.limits?.body ?? config.limits.body),
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
  | 'keepParameters';

/** Which requests. */
function placement(config: GatewayConfig, route: RouteConfig, parts: SharedParts): Pick<Route, Placement> {
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
  };
}

interface Wanted {
  /** Of the route. */
  readonly audience: string | undefined;
  readonly servers: readonly string[];
}

/** The route's audience for every server that it takes tokens of; otherwise each server's own. `any`: no check. */
function audiences(config: GatewayConfig, { audience, servers }: Wanted): ReadonlyMap<string, string> {
  const wanted = servers.map((name) => [name, audience ?? config.authorization_servers[name]?.audience] as const);
  return new Map(wanted.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== 'any'));
}

function limit(value: number | 'none'): number {
  return value === 'none' ? Number.POSITIVE_INFINITY : value;
}

/** The checks of the configuration exclude it: reaching this is a defect of ours. */
function fail(message: string): never {
  throw new Error(message);
}
