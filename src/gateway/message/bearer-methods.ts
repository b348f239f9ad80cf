import type { BearerMethod, GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';

const HEADER_ONLY: readonly BearerMethod[] = ['header'];

/**
 * The places where a route reads a bearer token. The body of an `mcp` route is a message, and its tokens are never in a
 * query (MCP authorization, access token usage).
 */
export function bearerMethodsOf(
  { bearer_methods_supported }: Pick<GatewayConfig, 'bearer_methods_supported'>,
  route: Pick<RouteConfig, 'mcp' | 'bearer_methods_supported'>,
): readonly BearerMethod[] {
  if (route.mcp !== undefined) return HEADER_ONLY;
  return route.bearer_methods_supported ?? bearer_methods_supported;
}
