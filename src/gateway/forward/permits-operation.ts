import type { Route } from '../decide/route.ts';
import type { McpRoute } from '../mcp/mcp-route.ts';
import type { McpOperation } from '../mcp/message.ts';
import type { Identity } from '../message/identity.ts';
import { satisfies } from '../message/scope-requirement.ts';

const NO_SCOPES: ReadonlySet<string> = new Set();

/** Whether the rules of the route give this caller access to an operation. */
export function permitsOf(
  { rules, denied }: McpRoute<Route>,
  identity: Identity | undefined,
): (operation: McpOperation) => boolean {
  const scopes = identity?.scopes ?? NO_SCOPES;
  return (operation) => {
    const match = rules.find(operation);
    if (match.kind === 'unclear' || denied.find(operation).kind !== 'none') return false;
    const needed = match.kind === 'rule' ? match.rule.value.requirements.scope : undefined;
    return needed === undefined || satisfies(needed, scopes);
  };
}
