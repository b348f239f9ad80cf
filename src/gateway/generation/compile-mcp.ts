import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import type { McpConfig } from '../../config/schema/mcp.ts';
import type { Route } from '../decide/route.ts';
import type { McpRoute } from '../mcp/mcp-route.ts';
import { McpRules } from '../mcp/rules.ts';
import { SessionSeal } from '../mcp/session-seal.ts';
import { ToolMemory } from '../mcp/tool-memory.ts';
import { bothScopes } from '../message/scope-conjunction.ts';
import type { ScopeRequirement } from '../message/scope-requirement.ts';

/** The rule for any method. It also applies to requests without a message. */
const ANY = '*';

/** The route with the rules of its `mcp` block. Each rule leads to the same route with more requirements. */
export function withMcp(config: GatewayConfig, file: RouteConfig, plain: Route, scope: ReadScope): Route {
  const { mcp } = file;
  if (mcp === undefined) return plain;
  const settings = settingsOf(config, file, mcp);
  const { [ANY]: any, ...scopes } = mcp.scope ?? {};
  const alsoRequiring = requirer(plain, scope);
  const route = { ...(any === undefined ? plain : alsoRequiring(any)), mcp: settings };
  if (any !== undefined) settings.rules.add(ANY, route);
  for (const [text, scope] of Object.entries(scopes))
    settings.rules.add(text, { ...alsoRequiring(scope), mcp: settings });
  for (const text of mcp.deny) settings.denied.add(text, undefined);
  return route;
}

function settingsOf(
  config: GatewayConfig,
  { id, claims_to_params = {} }: RouteConfig,
  mcp: McpConfig,
): McpRoute<Route> {
  return {
    mirror: mcp.mirror,
    versions: mcp.versions,
    sessions: mcp.sessions,
    filtersLists: mcp.filter_lists,
    body: mcp.body,
    rules: new McpRules<Route>(),
    denied: new McpRules<undefined>(),
    tools: new ToolMemory(),
    seal: new SessionSeal(config.session_keys, id),
    claims: Object.entries(claims_to_params).map(([header, claim]) => ({ header: header.toLowerCase(), claim })),
  };
}

type ReadScope = (scope: ScopeOfRule) => ScopeRequirement;
type ScopeOfRule = NonNullable<McpConfig['scope']>[string];

/** A token needs the scope of the rule and the scope of the route. */
function requirer(plain: Route, read: ReadScope): (scope: ScopeOfRule) => Route {
  const { requirements } = plain;
  return (scope) => {
    const both = bothScopes(requirements.scope, read(scope));
    return { ...plain, requirements: { ...requirements, scope: both } };
  };
}
