import type { AskingSetup } from '../kubernetes/asking.ts';
import { PREFIX } from '../kubernetes/asking.ts';
import type { RouteGroup } from '../kubernetes/groups.ts';
import { commentsOf } from '../kubernetes/http-routes.ts';
import type { KubernetesObject } from '../kubernetes/objects.ts';
import { sufficientScopes } from '../kubernetes/scope-choices.ts';
import type { CompilePlan, PlannedRoute, PlannedServer } from '../plan.ts';

type Part = Readonly<Record<string, unknown>>;

/** The policy of one HTTPRoute. A public route that the proxy judges needs none. */
export function securityPolicies(
  plan: CompilePlan,
  group: RouteGroup,
  asking: AskingSetup,
): readonly KubernetesObject[] {
  const [route] = group.routes;
  const isOpen = group.judged === 'here' && route?.access === 'public';
  if (route === undefined || isOpen) return [];
  const rules = group.judged === 'asked' ? { extAuth: extAuth(asking) } : tokenRules(plan, route);
  return [
    {
      comments: commentsOf(group),
      apiVersion: 'gateway.envoyproxy.io/v1alpha1',
      kind: 'SecurityPolicy',
      name: group.name,
      spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: group.name }], ...rules },
    },
  ];
}

function extAuth({ service, sent, received }: AskingSetup): Part {
  const http = { backendRefs: [service], path: PREFIX, headersToBackend: received };
  return { failOpen: false, headersToExtAuth: sent, http };
}

function tokenRules(plan: CompilePlan, route: PlannedRoute): Part {
  const servers = [...route.servers.keys()].flatMap((name) => plan.servers.get(name) ?? []);
  return {
    jwt: { providers: servers.map((server) => provider(server, route)) },
    authorization: { defaultAction: 'Deny', rules: servers.flatMap((server) => allowing(server, route)) },
  };
}

function provider({ name, config, keys }: PlannedServer, { servers, identity }: PlannedRoute): Part {
  const audience = servers.get(name);
  const inline = JSON.stringify({ keys });
  return {
    name,
    issuer: config.issuer,
    ...(audience !== undefined && { audiences: [audience] }),
    ...(keys === undefined ? { remoteJWKS: { uri: config.jwks_uri } } : { localJWKS: { type: 'Inline', inline } }),
    extractFrom: { headers: [{ name: 'Authorization', valuePrefix: 'Bearer ' }] },
    claimToHeaders: Object.entries(identity.set).map(([header, claim]) => ({ header, claim })),
  };
}

/** One rule for each sufficient set of scopes, and each form of `aud`. Within a rule, everything must hold. */
function allowing(server: PlannedServer, route: PlannedRoute): readonly Part[] {
  const always = [
    textClaim('iss', [server.config.issuer]),
    ...Object.entries(server.config.required_claims).map(([name, values]) => textClaim(name, values)),
    ...Object.entries(route.config.claims ?? {}).map(([name, condition]) => conditionClaim(name, condition)),
  ];
  return sufficientScopes(route.scope).flatMap((scopes) =>
    audienceClaims(route.servers.get(server.name)).map((audience) => {
      const claims = [...always, ...audience];
      return {
        action: 'Allow',
        principal: { jwt: { provider: server.name, ...(scopes.length > 0 && { scopes }), claims } },
      };
    }),
  );
}

function textClaim(name: string, values: readonly string[]): Part {
  return { name, valueType: 'String', values };
}

/**
 * RFC 7519 §4.1.3: a text or a list. The provider ignores the scheme and a final slash of an audience, and the rule does
 * not.
 */
function audienceClaims(audience: string | undefined): readonly (readonly Part[])[] {
  if (audience === undefined) return [[]];
  return ['String', 'StringArray'].map((valueType) => [{ name: 'aud', valueType, values: [audience] }]);
}

type ClaimCondition = NonNullable<PlannedRoute['config']['claims']>[string];

function conditionClaim(name: string, condition: ClaimCondition): Part {
  if ('contains' in condition) return { name, valueType: 'StringArray', values: [String(condition.contains)] };
  return textClaim(name, ('one_of' in condition ? condition.one_of : [condition.equals]).map(String));
}
