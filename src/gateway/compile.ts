import type { BearerMethod, GatewayConfig, RouteConfig } from '../config/gateway.ts';
import { normalizeHost } from '../config/host.ts';
import { parsePathPattern } from '../config/path-pattern.ts';
import type { VerifyBearer } from './identity.ts';
import { type IdentityHeaders, identityHeaders } from './identity-headers.ts';
import type { Route } from './route.ts';
import { scopeRequirement } from './scope-requirement.ts';
import type { Upstream } from './upstream.ts';

export interface RouteDependencies {
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** The verifier for the tokens of these authorization servers. */
  readonly verifier: (serverNames: readonly string[]) => VerifyBearer;
}

/** A checked file, made into routes: after this no configuration is looked at. */
export function compileRoutes(config: GatewayConfig, dependencies: RouteDependencies): Route[] {
  const shared = identityHeaders(config.defaults.identity_headers);
  return config.routes.map((route, index) => compileRoute(config, route, index, shared, dependencies));
}

function compileRoute(
  config: GatewayConfig,
  route: RouteConfig,
  index: number,
  shared: IdentityHeaders,
  { upstreams, verifier }: RouteDependencies,
): Route {
  const servers = route.authorization_servers ?? Object.keys(config.authorization_servers);
  const upstreamName = route.upstream ?? config.defaults.upstream ?? '';
  const { timeout } = config.upstreams[upstreamName] ?? fail(`route ${index} has no upstream`);
  return {
    id: route.id ?? `${index}`,
    ...placement(route),
    access: route.access ?? 'scope',
    requirements: {
      scope: route.scope === undefined ? undefined : scopeRequirement(route.scope),
      audience: audiences(config, route, servers),
    },
    verify: verifier(servers),
    realm: config.realm,
    bearerMethods: new Set<BearerMethod>(route.bearer_methods_supported ?? config.bearer_methods_supported),
    forwardCredential: route.forward_credential,
    keepEncodedSlashes: route.encoded_slashes === 'keep',
    keepParameters: route.path_parameters === 'keep',
    identityHeaders: route.identity_headers === undefined ? shared : identityHeaders(route.identity_headers),
    upstream: upstreams.get(upstreamName) ?? fail(`upstream ${upstreamName} is not open`),
    responseTimeout: limit(route.timeout?.response ?? timeout.response),
    idleTimeout: limit(route.timeout?.idle ?? timeout.idle),
    bodyLimit: limit(route.limits?.body ?? config.limits.body),
    formLimit: route.limits?.form_body ?? config.limits.form_body,
  };
}

function placement({ match }: RouteConfig): Pick<Route, 'host' | 'segments' | 'methods'> {
  const pattern = parsePathPattern(match.path);
  if (pattern.kind === 'fault') return fail(pattern.message);
  return {
    host: match.host === undefined ? undefined : normalizeHost(match.host),
    segments: pattern.segments,
    methods: match.methods === undefined ? undefined : new Set(match.methods),
  };
}

/** The route's audience for every server that it takes tokens of; otherwise each server's own. `any`: no check. */
function audiences(config: GatewayConfig, route: RouteConfig, servers: readonly string[]): ReadonlyMap<string, string> {
  const wanted = servers.map((name) => [name, route.audience ?? config.authorization_servers[name]?.audience] as const);
  return new Map(wanted.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== 'any'));
}

function limit(value: number | 'none'): number {
  return value === 'none' ? Number.POSITIVE_INFINITY : value;
}

/** The checks of the configuration exclude it: reaching this is a defect of ours. */
function fail(message: string): never {
  throw new Error(message);
}
