import { stringify } from 'yaml';
import { type AskingSetup, askingOf, PREFIX } from '../kubernetes/asking.ts';
import { groupsOf } from '../kubernetes/groups.ts';
import { httpRoutes } from '../kubernetes/http-routes.ts';
import { type KubernetesObject, manifestText } from '../kubernetes/objects.ts';
import type { CompilePlan } from '../plan.ts';
import { authorizationPolicies, PROVIDER } from './policies.ts';
import { requestAuthentications } from './request-authentication.ts';

export function renderIstio(plan: CompilePlan): string {
  const isAsked = plan.routes.some(({ judged }) => judged === 'asked');
  const notes = isAsked ? meshNotes(askingOf(plan)) : [];
  return manifestText(plan, { command: 'istio', objects: istioObjects(plan), notes });
}

/** Policies of the Gateway judge each request, and then an HTTPRoute forwards it. */
export function istioObjects(plan: CompilePlan): readonly KubernetesObject[] {
  const groups = groupsOf(plan);
  return [...requestAuthentications(plan), ...authorizationPolicies(plan, groups), ...httpRoutes(groups)];
}

const REFUSAL_HEADERS = ['www-authenticate', 'content-type', 'retry-after', 'allow', 'x-request-id', 'vary'];

/** What the mesh itself must know: how to ask Gatehouse. */
function meshNotes({ service, sent, received }: AskingSetup): readonly string[] {
  const envoyExtAuthzHttp = {
    service: `${service.name}.NAMESPACE.svc.cluster.local`,
    port: service.port,
    pathPrefix: PREFIX,
    failOpen: false,
    statusOnError: '503',
    includeRequestHeadersInCheck: sent,
    headersToUpstreamOnAllow: received,
    headersToDownstreamOnDeny: REFUSAL_HEADERS,
  };
  const snippet = { extensionProviders: [{ name: PROVIDER, envoyExtAuthzHttp }] };
  return ['Add this to `meshConfig` of Istio:', ...stringify(snippet).trimEnd().split('\n')];
}
