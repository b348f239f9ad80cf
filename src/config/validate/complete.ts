import { adminParts } from '../schema/admin.ts';
import type {
  AuthorizationConfig,
  AuthorizationFile,
  ClaimSource,
  ClientConfig,
  ClientFile,
  UserConfig,
} from '../schema/authorization.ts';
import { countersParts } from '../schema/counters.ts';
import type {
  GatewayConfig,
  GatewayFile,
  RateLimitConfig,
  RouteConfig,
  RouteFile,
  UpstreamConfig,
  UpstreamFile,
} from '../schema/gateway.ts';
import { healthParts } from '../schema/listener.ts';
import { parseClaimSource } from '../schema/token-settings.ts';
import { trustedParts } from '../schema/trusted-proxies.ts';
import { urlsOf } from '../schema/upstream.ts';
import { parseCountedBy } from '../words/counted-by.ts';
import { methodsOf } from '../words/mcp-methods.ts';
import { openidScopes } from '../words/openid-scopes.ts';

/**
 * Gives every route its id: from the file, or made from its methods, host and path. Also parses values that the file has as
 * text.
 */
export function completeGateway(config: GatewayFile): GatewayConfig {
  const routes = config.routes.map((route) => completeRoute(route, config.cors));
  const { admin, health, decision, ...rest } = config;
  const trusted = trustedParts(config.trusted_proxies);
  const parts = health && healthParts(health);
  return Object.freeze({
    ...rest,
    trusted_proxies: trusted.from,
    counters: Object.freeze(countersParts(config.counters)),
    is_host_forwarded: trusted.isHostForwarded,
    ...(admin && { admin: adminParts(admin) }),
    ...(parts && { health: parts.listen }),
    health_passes: parts?.pass ?? {},
    ...(decision && { decision: decision.listen }),
    ...(decision?.grpc && { decision_grpc: decision.grpc }),
    decision_max_age: decision?.max_age ?? 0,
    upstreams: completeUpstreams(config.upstreams),
    routes: Object.freeze(routes) as RouteConfig[],
  });
}

function completeUpstreams(upstreams: GatewayFile['upstreams']): GatewayConfig['upstreams'] {
  const complete: Record<string, UpstreamConfig> = Object.create(null);
  for (const [name, block] of Object.entries(upstreams)) complete[name] = completeUpstream(block);
  return Object.freeze(complete);
}

function completeUpstream({ url, urls, ...block }: UpstreamFile): UpstreamConfig {
  return Object.freeze({
    ...block,
    urls: Object.freeze(urlsOf({ url, urls } as UpstreamFile).map(([, each]) => each)),
  });
}

function completeRoute({ rate_limit, ...route }: RouteFile, cors: GatewayFile['cors']): RouteConfig {
  const id = route.id ?? defaultId(route);
  const methods = methodsOf(route);
  const match = methods === route.match.methods ? route.match : Object.freeze({ ...route.match, methods });
  return Object.freeze({
    ...route,
    ...originsOf(route, cors),
    end_with: route.end_with ?? endOf(route),
    match: match as RouteConfig['match'],
    id,
    ...(rate_limit && { rate_limit: completeLimit(rate_limit) }),
  });
}

/** A stream of tools can last for days. */
function endOf({ mcp, access }: RouteFile): NonNullable<RouteConfig['end_with']> {
  return mcp === undefined || access === 'public' ? 'request' : 'token';
}

/** A server of tools must check Origin (Streamable HTTP, security), so such a route always has a list. */
function originsOf({ origins, mcp }: RouteFile, cors: GatewayFile['cors']): Pick<RouteConfig, 'origins'> {
  if (mcp === undefined) return {};
  const known = mcp.origins ?? origins ?? cors?.origins ?? [];
  return known.includes('*') ? {} : { origins: known };
}

function completeLimit({ by, ...limit }: NonNullable<RouteFile['rate_limit']>): RateLimitConfig {
  const countedBy = parseCountedBy(by);
  if (countedBy === undefined) throw new TypeError(`the check of the file did not reject \`rate_limit.by: ${by}\``);
  return Object.freeze({ ...limit, by: Object.freeze(countedBy) });
}

/** `GET,HEAD /orders/{rest*}`; `*` means any method. Two routes with the same default id are equal, and rejected. */
export function defaultId({ match, mcp }: Pick<RouteFile, 'match' | 'mcp'>): string {
  const conditions = [
    ...pairs(match.headers),
    ...pairs(match.query),
    ...(match.soap_action ? [match.soap_action] : []),
  ];
  const suffix = conditions.length === 0 ? '' : ` [${conditions.join(' ')}]`;
  return `${methodsOf({ match, mcp })?.join(',') ?? '*'} ${match.host ?? ''}${match.path}${suffix}`;
}

function pairs(map: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(map).map(([name, value]) => `${name}=${value}`);
}

/** Keeps one spelling of a client's names, and fills in the defaults that depend on other keys. */
export function completeAuthorization(config: AuthorizationFile): AuthorizationConfig {
  const { retry_window } = config.tokens.refresh;
  const clients = config.clients.map((client) => completeClient(client, retry_window));
  const users = config.users.map((user) => Object.freeze({ ...user, subject: user.subject ?? user.username }));
  return Object.freeze({
    ...config,
    tokens: completeTokens(config.tokens),
    openid: completeOpenid(config.openid),
    scopes: Object.freeze({ ...(config.openid.enabled && openidScopes), ...config.scopes }),
    counters: Object.freeze(countersParts(config.counters)),
    clients: Object.freeze(clients) as ClientConfig[],
    users: Object.freeze(users) as UserConfig[],
  });
}

/** `retryWindow`: the default for a client without this key. */
export function completeClient({ app_id, app_secret, ...client }: ClientFile, retryWindow: number): ClientConfig {
  const secret = client.client_secret ?? app_secret;
  return Object.freeze({
    ...client,
    client_id: client.client_id ?? app_id ?? '',
    retry_window: client.retry_window ?? retryWindow,
    ...(secret !== undefined && { client_secret: secret }),
  });
}

function completeTokens(tokens: AuthorizationFile['tokens']): AuthorizationConfig['tokens'] {
  const claims = claimSources(tokens.access.claims);
  return Object.freeze({ ...tokens, access: Object.freeze({ ...tokens.access, claims }) });
}

function completeOpenid(openid: AuthorizationFile['openid']): AuthorizationConfig['openid'] {
  return Object.freeze({ ...openid, claims: claimSources(openid.claims) });
}

function claimSources(written: Readonly<Record<string, string>>): Readonly<Record<string, ClaimSource>> {
  const claims: Record<string, ClaimSource> = Object.create(null);
  for (const [claim, text] of Object.entries(written)) {
    const source = parseClaimSource(text);
    if (source !== undefined) claims[claim] = Object.freeze(source);
  }
  return Object.freeze(claims);
}
