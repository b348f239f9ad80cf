import type { CompilePlan, PlannedRoute, PlannedServer } from '../plan.ts';
import { durationText, type EnvoyPart, extension, typed } from './part.ts';
import { JWT_FILTER, tokenPlace } from './principals.ts';

/**
 * A provider of jwt_authn: a server, and how its tokens reach the upstream. Envoy sets both for each provider, so routes
 * that differ have their own.
 */
export interface TokenProvider {
  readonly name: string;
  readonly server: PlannedServer;
  readonly forwards: boolean;
  /** Header → claim. */
  readonly headers: Readonly<Record<string, string>>;
}

export class TokenProviders {
  readonly #found = new Map<string, TokenProvider>();
  readonly #plan: CompilePlan;

  constructor(plan: CompilePlan) {
    this.#plan = plan;
    for (const route of plan.routes) if (route.judged === 'here') this.of(route);
  }

  /** For a route, in the order of the file. */
  of(route: PlannedRoute): readonly TokenProvider[] {
    return [...route.servers.keys()].flatMap((name) => {
      const server = this.#plan.servers.get(name);
      return server === undefined ? [] : [this.#provider(server, route)];
    });
  }

  all(): readonly TokenProvider[] {
    return [...this.#found.values()];
  }

  #provider(server: PlannedServer, { config, identity }: PlannedRoute): TokenProvider {
    const forwards = config.forward_credential;
    const key = JSON.stringify([server.name, forwards, identity.set]);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    // The number keeps names apart, whatever names the file has.
    const made = { name: `${this.#found.size + 1}_${server.name}`, server, forwards, headers: identity.set };
    this.#found.set(key, made);
    return made;
  }
}

/** Verifies signatures and times. The rules about a token are in the filter after it. */
export function jwtFilter(providers: TokenProviders, plan: CompilePlan): EnvoyPart {
  const routes = plan.routes.filter((route) => needsToken(route));
  return extension(JWT_FILTER, 'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication', {
    providers: Object.fromEntries(providers.all().map((provider) => [provider.name, providerPart(provider)])),
    requirement_map: Object.fromEntries(routes.map((route) => [route.id, requirement(route, providers.of(route))])),
  });
}

export function needsToken({ judged, access, servers }: PlannedRoute): boolean {
  return judged === 'here' && access !== 'public' && servers.size > 0;
}

export function jwtOfRoute(route: PlannedRoute): EnvoyPart {
  const members = needsToken(route) ? { requirement_name: route.id } : { disabled: true };
  return typed('envoy.extensions.filters.http.jwt_authn.v3.PerRouteConfig', members);
}

/** `allow_missing` accepts a request without a token, and still refuses an invalid one. */
function requirement({ access }: PlannedRoute, providers: readonly TokenProvider[]): EnvoyPart {
  const each: EnvoyPart[] = providers.map(({ name }) => ({ provider_name: name }));
  if (access === 'optional') each.push({ allow_missing: {} });
  const [only] = each;
  return each.length === 1 && only !== undefined ? only : { requires_any: { requirements: each } };
}

/**
 * The audience is a rule of the route, because jwt_authn ignores the scheme and a final slash of an audience. Envoy
 * accepts a token in the second in which it expires, so its skew is a second shorter.
 */
function providerPart({ name, server, forwards, headers }: TokenProvider): EnvoyPart {
  const { issuer, clock_skew, scope_claims } = server.config;
  const { payload, header } = tokenPlace(name);
  return {
    issuer,
    ...keysPart(server),
    from_headers: [{ name: 'Authorization', value_prefix: 'Bearer ' }],
    forward: forwards,
    require_expiration: true,
    clock_skew_seconds: Math.floor(clock_skew / 1000) - 1,
    payload_in_metadata: payload,
    header_in_metadata: header,
    normalize_payload_in_metadata: { space_delimited_claims: scope_claims.filter((claim) => !claim.includes('.')) },
    claim_to_headers: Object.entries(headers).map(([header_name, claim_name]) => ({
      header_name: header_name.toLowerCase(),
      claim_name,
    })),
  };
}

export function keyCluster({ name }: PlannedServer): string {
  return `keys_${name}`;
}

/**
 * Envoy remembers tokens whose signature it has verified, and still judges their times. Only keys that never change allow
 * this: Envoy does not forget a token if its key leaves a fetched set.
 */
const REMEMBERED = { jwt_cache_size: 1000 };

function keysPart(server: PlannedServer): EnvoyPart {
  const { keys, config } = server;
  if (keys !== undefined)
    return { local_jwks: { inline_string: JSON.stringify({ keys }) }, jwt_cache_config: REMEMBERED };
  const http_uri = { uri: config.jwks_uri, cluster: keyCluster(server), timeout: '5s' };
  return { remote_jwks: { http_uri, cache_duration: durationText(config.jwks.ttl), async_fetch: {} } };
}
