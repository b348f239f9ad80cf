import { GATEWAY, type KubernetesObject } from '../kubernetes/objects.ts';
import type { CompilePlan, PlannedServer } from '../plan.ts';

export const SECURITY = 'security.istio.io/v1';
/** The policies belong to the Gateway, so every request passes them. */
export const TARGETS = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: GATEWAY }];

/** Whether the proxy judges a route that needs a token. */
export function needsTokens({ routes }: CompilePlan): boolean {
  return routes.some(({ judged, access }) => judged === 'here' && access !== 'public');
}

/** Verifies tokens, and removes them. An invalid token gets 401 on every route. */
export function requestAuthentications(plan: CompilePlan): readonly KubernetesObject[] {
  if (!needsTokens(plan)) return [];
  const servers = [...plan.servers.values()];
  const jwtRules = servers.map((server) => jwtRule(plan, server));
  const comments = servers.map(({ at, name }) => `${at}: authorization_servers.${name}`);
  const spec = { targetRefs: TARGETS, jwtRules };
  return [{ comments, apiVersion: SECURITY, kind: 'RequestAuthentication', name: 'gatehouse', spec }];
}

function jwtRule(plan: CompilePlan, server: PlannedServer): object {
  const { name, config, keys } = server;
  const audiences = audiencesOf(plan, name);
  const headers = Object.entries(plan.config.defaults.identity_headers.set);
  return {
    issuer: config.issuer,
    ...(audiences.length > 0 && { audiences }),
    ...(keys === undefined ? { jwksUri: config.jwks_uri } : { jwks: JSON.stringify({ keys }) }),
    fromHeaders: [{ name: 'Authorization', prefix: 'Bearer ' }],
    forwardOriginalToken: false,
    outputClaimToHeaders: headers.map(([header, claim]) => ({ header, claim })),
  };
}

/** Empty if a route accepts any audience. */
function audiencesOf({ routes }: CompilePlan, server: string): readonly string[] {
  const using = routes.filter(({ judged, servers }) => judged === 'here' && servers.has(server));
  const audiences = using.map(({ servers }) => servers.get(server));
  const named = audiences.filter((audience) => audience !== undefined);
  return named.length === audiences.length ? [...new Set(named)] : [];
}
