import { askingOf } from '../kubernetes/asking.ts';
import { groupsOf } from '../kubernetes/groups.ts';
import { httpRoutes } from '../kubernetes/http-routes.ts';
import { type KubernetesObject, manifestText } from '../kubernetes/objects.ts';
import type { CompilePlan } from '../plan.ts';
import { clientTraffic } from './client-traffic.ts';
import { securityPolicies } from './security-policy.ts';

export function renderEnvoyGateway(plan: CompilePlan): string {
  return manifestText(plan, { command: 'envoy-gateway', objects: envoyGatewayObjects(plan) });
}

/** One policy for the Gateway, one HTTPRoute for each rule, and one SecurityPolicy for each HTTPRoute that is not open. */
export function envoyGatewayObjects(plan: CompilePlan): readonly KubernetesObject[] {
  const asking = askingOf(plan);
  const groups = groupsOf(plan);
  const ofGroups = groups.flatMap((group) => [...httpRoutes([group]), ...securityPolicies(plan, group, asking)]);
  return groups.length === 0 ? [] : [...clientTraffic(plan), ...ofGroups];
}
