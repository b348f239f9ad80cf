import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import { normalizeHost } from '../../config/words/host.ts';
import { resourceMetadataUrl } from '../../config/words/resource-metadata.ts';
import { bearerMethodsOf } from '../message/bearer-methods.ts';
import { scopeRequirement } from '../message/scope-requirement.ts';

/**
 * RFC 9728: the facts about a protected resource that a client needs. The client derives their URL from the resource's
 * identifier.
 */
export interface ProtectedResources {
  /** The document at this host and path. */
  find(host: string, path: string): string | undefined;
  /** The URL of the document for a route's resource, for `resource_metadata` in its challenges (§5.1). */
  location(route: RouteConfig): string | undefined;
}

export function protectedResources(config: GatewayConfig): ProtectedResources {
  const byResource = Map.groupBy(config.routes, (route) => route.resource ?? config.resource);
  const resources = new Set([config.resource, ...byResource.keys()]);
  const documents = new Map<string, string>();
  for (const resource of resources) {
    if (resource === undefined) continue;
    const url = resourceMetadataUrl(resource);
    const document = describe(config, resource, byResource.get(resource) ?? []);
    documents.set(place(normalizeHost(url.host) ?? '', url.pathname), JSON.stringify(document));
  }
  return {
    find: (host, path) => documents.get(place(host, path)),
    location(route) {
      const resource = route.resource ?? config.resource;
      return resource === undefined ? undefined : resourceMetadataUrl(resource).href;
    },
  };
}

function place(host: string, path: string): string {
  return `${host} ${path}`;
}

/**
 * §2. The scopes are those that the resource's routes require. Scopes that only imply one of them are left out, so that
 * clients do not request more than they need.
 */
function describe(config: GatewayConfig, resource: string, all: readonly RouteConfig[]) {
  const routes = all.filter((route) => route.access !== 'public');
  const servers = new Set(
    routes.flatMap((route) => route.authorization_servers ?? Object.keys(config.authorization_servers)),
  );
  const methods = new Set(routes.flatMap((route) => bearerMethodsOf(config, route)));
  const scopes = new Set(routes.flatMap(scopesOf));
  return {
    resource,
    authorization_servers: [...servers].map((name) => config.authorization_servers[name]?.issuer),
    scopes_supported: [...scopes],
    bearer_methods_supported: [...methods],
  };
}

/** For tools: the scopes for any operation. A client requests others when a tool needs them (MCP, scope minimization). */
function scopesOf({ scope, mcp }: RouteConfig): readonly string[] {
  return [scope, mcp?.scope?.['*']].flatMap((one) =>
    one === undefined ? [] : scopeRequirement(one).alternatives.flat(),
  );
}
