import type { RouteGroup } from '../kubernetes/groups.ts';
import { commentsOf } from '../kubernetes/http-routes.ts';
import type { KubernetesObject } from '../kubernetes/objects.ts';
import { sufficientScopes } from '../kubernetes/scope-choices.ts';
import type { CompilePlan, PlannedRoute, PlannedServer } from '../plan.ts';
import { otherOperations, policyOperation } from './operations.ts';
import { needsTokens, SECURITY, TARGETS } from './request-authentication.ts';

/** The name of the extension provider that asks Gatehouse. */
export const PROVIDER = 'gatehouse';

interface Condition {
  readonly key: string;
  readonly values?: readonly string[];
  readonly notValues?: readonly string[];
}

/** In the order in which Istio applies them: CUSTOM, then ALLOW. Neither needs a DENY, because each path is one whole path. */
export function authorizationPolicies(plan: CompilePlan, groups: readonly RouteGroup[]): readonly KubernetesObject[] {
  const here = groups.filter(({ judged }) => judged === 'here').flatMap(({ routes }) => routes);
  const isAsked = groups.some(({ judged }) => judged === 'asked');
  const others = isAsked ? [othersRule(here)] : [];
  const allowed = here.flatMap((route) => rulesOf(plan, route));
  const comments = groups.flatMap(commentsOf);
  return [
    ...(isAsked ? [policy('gatehouse-asks', 'CUSTOM', { rules: others, comments, provider: PROVIDER })] : []),
    policy('gatehouse-allows', 'ALLOW', { rules: [...allowed, ...others], comments }),
  ];
}

interface PolicyParts {
  readonly rules: readonly object[];
  readonly comments: readonly string[];
  readonly provider?: string;
}

/** A policy that allows, and has no rule, refuses every request. */
function policy(name: string, action: string, { rules, comments, provider }: PolicyParts): KubernetesObject {
  const spec = {
    targetRefs: TARGETS,
    action,
    ...(provider !== undefined && { provider: { name: provider } }),
    ...(rules.length > 0 && { rules }),
  };
  return { comments, apiVersion: SECURITY, kind: 'AuthorizationPolicy', name, spec };
}

/** Gatehouse judges every request that the proxy does not judge, so both policies have this rule. */
function othersRule(here: readonly PlannedRoute[]): object {
  const operations = otherOperations(here);
  return operations.length === 0 ? {} : { to: operations.map((operation) => ({ operation })) };
}

/** Where no token is verified, nothing removes identity headers that a client forged. So the route refuses them. */
function withoutForgedHeaders(plan: CompilePlan, { identity }: PlannedRoute): { readonly when?: readonly Condition[] } {
  const names = needsTokens(plan) ? [] : Object.keys(identity.set);
  const when = names.map((name) => ({ key: `request.headers[${name}]`, notValues: ['*'] }));
  return when.length === 0 ? {} : { when };
}

function rulesOf(plan: CompilePlan, route: PlannedRoute): readonly object[] {
  const to = [{ operation: policyOperation(route) }];
  if (route.access === 'public') return [{ to, ...withoutForgedHeaders(plan, route) }];
  const servers = [...route.servers.keys()].flatMap((name) => plan.servers.get(name) ?? []);
  return servers.flatMap((server) => tokenRules(route, server).map((when) => ({ from: fromServer(server), to, when })));
}

/** RequestAuthentication lets a request without a token through. This condition refuses it. */
function fromServer({ config }: PlannedServer): readonly object[] {
  return [{ source: { requestPrincipals: [`${config.issuer}/*`] } }];
}

/** One list of conditions for each sufficient set of scopes. */
function tokenRules(route: PlannedRoute, server: PlannedServer): readonly (readonly Condition[])[] {
  const audience = route.servers.get(server.name);
  const always = [
    claim('iss', server.config.issuer),
    ...(audience === undefined ? [] : [{ key: 'request.auth.audiences', values: [audience] }]),
  ];
  return sufficientScopes(route.scope).map((scopes) => [...always, ...scopes.map((scope) => claim('scope', scope))]);
}

function claim(name: string, value: string): Condition {
  return { key: `request.auth.claims[${name}]`, values: [value] };
}
