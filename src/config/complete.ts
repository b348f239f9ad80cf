import type { AuthorizationConfig, AuthorizationFile, ClientConfig } from './authorization.ts';
import type { GatewayConfig, GatewayFile, RouteConfig, RouteFile } from './gateway.ts';
import { healthParts } from './listener.ts';

/** Gives every route its id: that of the file, or its methods, host and path. */
export function completeGateway(config: GatewayFile): GatewayConfig {
  const routes = config.routes.map((route) => Object.freeze({ ...route, id: route.id ?? defaultId(route) }));
  const { health, ...rest } = config;
  const parts = health && healthParts(health);
  return Object.freeze({
    ...rest,
    ...(parts && { health: parts.listen }),
    health_passes: parts?.pass ?? {},
    routes: Object.freeze(routes) as RouteConfig[],
  });
}

/** `GET,HEAD /orders/{rest*}`; `*` for any method. Two routes that would share it are equal, and refused. */
export function defaultId({ match }: { readonly match: RouteFile['match'] }): string {
  const conditions = [
    ...pairs(match.headers),
    ...pairs(match.query),
    ...(match.soap_action ? [match.soap_action] : []),
  ];
  const suffix = conditions.length === 0 ? '' : ` [${conditions.join(' ')}]`;
  return `${match.methods?.join(',') ?? '*'} ${match.host ?? ''}${match.path}${suffix}`;
}

function pairs(map: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(map).map(([name, value]) => `${name}=${value}`);
}

/** Leaves one spelling of a client's names: `client_id`, `client_secret`. */
export function completeAuthorization(config: AuthorizationFile): AuthorizationConfig {
  const clients = config.clients.map(({ app_id, app_secret, ...client }) => {
    const secret = client.client_secret ?? app_secret;
    return Object.freeze({
      ...client,
      client_id: client.client_id ?? app_id ?? '',
      ...(secret !== undefined && { client_secret: secret }),
    });
  });
  return Object.freeze({ ...config, clients: Object.freeze(clients) as ClientConfig[] });
}
