import { identityNames } from '../identity-names.ts';
import { GATEWAY, type KubernetesObject } from '../kubernetes/objects.ts';
import type { CompilePlan } from '../plan.ts';

/** Names that a server may read as another name (RFC 3875 §4.1.18 maps `-` to `_`, and some servers map more). */
const OTHER_SPELLINGS = '[^:]*[^a-z0-9:-][^:]*';

/**
 * Envoy Gateway's policy for all requests of the Gateway. An HTTPRoute removes headers only by exact name, so this policy
 * removes a client's identity headers by their prefix, in every spelling. Gatehouse adds its own ones later.
 */
export function clientTraffic({ config, routes }: CompilePlan): readonly KubernetesObject[] {
  const { prefixes, names } = identityNames([
    config.defaults.identity_headers,
    ...routes.map(({ identity }) => identity),
  ]);
  const removeOnMatch = [
    { type: 'RegularExpression', value: OTHER_SPELLINGS },
    ...prefixes.map((value) => ({ type: 'Prefix', value })),
    ...names.map((value) => ({ type: 'Exact', value })),
  ];
  const target = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: GATEWAY };
  return [
    {
      comments: ['No client can send identity headers, in any spelling.'],
      apiVersion: 'gateway.envoyproxy.io/v1alpha1',
      kind: 'ClientTrafficPolicy',
      name: GATEWAY,
      spec: {
        targetRefs: [target],
        path: { escapedSlashesAction: 'RejectRequest', disableMergeSlashes: true },
        headers: { earlyRequestHeaders: { removeOnMatch } },
      },
    },
  ];
}
