import { isDeepStrictEqual } from 'node:util';
import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';

/** Settings of messages that no probe can test. */
const settings = ['mirror', 'versions', 'filter_lists', 'body', 'sessions'] as const;

/** Routes whose messages are checked in another way. Rules for operations are tried as requests. */
export function changedMcp(old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const before = new Map(old.routes.map((route) => [route.id, route]));
  return now.routes.flatMap((route) => changedOf(before.get(route.id), route));
}

function changedOf(before: RouteConfig | undefined, { id, mcp, claims_to_params }: RouteConfig): readonly string[] {
  if (before === undefined) return [];
  if (before.mcp === undefined || mcp === undefined)
    return before.mcp === mcp ? [] : [`routes.${id}.mcp: was ${asSet(before.mcp)}, now ${asSet(mcp)}`];
  const changed = settings.filter((key) => !isDeepStrictEqual(before.mcp?.[key], mcp[key]));
  const claims = isDeepStrictEqual(before.claims_to_params, claims_to_params) ? [] : [`routes.${id}.claims_to_params`];
  return [
    ...changed.map((key) => `routes.${id}.mcp.${key}: was ${inWords(before.mcp?.[key])}, now ${inWords(mcp[key])}`),
    ...claims,
  ];
}

function asSet(value: unknown): string {
  return value === undefined ? 'not set' : 'set';
}

function inWords(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? 'not set');
}
