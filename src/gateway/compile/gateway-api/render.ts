import { type AskingSetup, askingOf, PREFIX } from '../kubernetes/asking.ts';
import { groupsOf } from '../kubernetes/groups.ts';
import { httpRoutes, type RouteFilter } from '../kubernetes/http-routes.ts';
import { type KubernetesObject, manifestText } from '../kubernetes/objects.ts';
import type { CompilePlan } from '../plan.ts';

export function renderGatewayApi(plan: CompilePlan): string {
  return manifestText(plan, { command: 'gateway-api', objects: gatewayApiObjects(plan) });
}

/** One HTTPRoute for each rule. The proxy asks Gatehouse about all of them but the open ones. */
export function gatewayApiObjects(plan: CompilePlan): readonly KubernetesObject[] {
  const filter = externalAuth(askingOf(plan, true));
  return httpRoutes(groupsOf(plan), ({ judged }) => (judged === 'asked' ? [filter] : []));
}

/** GEP-1494. If Gatehouse cannot answer, the filter refuses the request. */
function externalAuth({ protocol, service, sent, received }: AskingSetup): RouteFilter {
  const backendRef = { name: service.name, port: service.port };
  const http = { path: PREFIX, allowedHeaders: sent, allowedResponseHeaders: received };
  const externalAuth = protocol === 'grpc' ? { protocol: 'GRPC', backendRef } : { protocol: 'HTTP', backendRef, http };
  return { type: 'ExternalAuth', externalAuth };
}
