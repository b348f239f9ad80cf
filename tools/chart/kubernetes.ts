import { closed, handedOn, type JsonSchema, textMap } from './value.ts';

/** Parts of Kubernetes objects that the values accept under their own names (core/v1 by default). */

const string: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };
const boolean: JsonSchema = { type: 'boolean' };
const strings: JsonSchema = { type: 'array', items: string };
const quantity: JsonSchema = { type: ['string', 'number'] };
const intOrPercent: JsonSchema = { type: ['integer', 'string'], pattern: '^[0-9]+%$' };

export const percentage: JsonSchema = { ...intOrPercent, type: ['integer', 'string', 'null'] };

const keyOf = closed({ name: string, key: string, optional: boolean }, ['name', 'key']);

export const environment: JsonSchema = closed(
  {
    name: string,
    value: string,
    valueFrom: closed({
      secretKeyRef: keyOf,
      configMapKeyRef: keyOf,
      fieldRef: closed({ apiVersion: string, fieldPath: string }, ['fieldPath']),
      resourceFieldRef: closed({ containerName: string, resource: string, divisor: quantity }, ['resource']),
    }),
  },
  ['name'],
);

const named = closed({ name: string, optional: boolean }, ['name']);

export const environmentFrom: JsonSchema = closed({ prefix: string, secretRef: named, configMapRef: named });

const quantities: JsonSchema = { type: 'object', additionalProperties: quantity };

export const resources: JsonSchema = closed({ requests: quantities, limits: quantities });

const profile = closed({ type: string, localhostProfile: string }, ['type']);
const labelsOfSelinux = closed({ user: string, role: string, type: string, level: string });
const runAs = { runAsUser: integer, runAsGroup: integer, runAsNonRoot: boolean };

export const podSecurityContext: JsonSchema = closed({
  ...runAs,
  fsGroup: integer,
  fsGroupChangePolicy: { type: 'string', enum: ['Always', 'OnRootMismatch'] },
  supplementalGroups: { type: 'array', items: integer },
  seccompProfile: profile,
  seLinuxOptions: labelsOfSelinux,
  sysctls: { type: 'array', items: closed({ name: string, value: string }, ['name', 'value']) },
});

export const securityContext: JsonSchema = closed({
  ...runAs,
  allowPrivilegeEscalation: boolean,
  privileged: boolean,
  readOnlyRootFilesystem: boolean,
  capabilities: closed({ add: strings, drop: strings }),
  seccompProfile: profile,
  appArmorProfile: profile,
  seLinuxOptions: labelsOfSelinux,
});

/** How often a probe runs. The chart decides what the probe requests. */
export const probe: JsonSchema = closed({
  initialDelaySeconds: integer,
  periodSeconds: integer,
  timeoutSeconds: integer,
  successThreshold: integer,
  failureThreshold: integer,
});

export const toleration: JsonSchema = closed({
  key: string,
  operator: { type: 'string', enum: ['Exists', 'Equal'] },
  value: string,
  effect: { type: 'string', enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] },
  tolerationSeconds: integer,
});

const labelSelector = closed({
  matchLabels: textMap,
  matchExpressions: {
    type: 'array',
    items: closed({ key: string, operator: string, values: strings }, ['key', 'operator']),
  },
});

/** Without `labelSelector`, the chart fills in the component's own selector. */
export const spread: JsonSchema = closed(
  {
    maxSkew: integer,
    minDomains: integer,
    topologyKey: string,
    whenUnsatisfiable: { type: 'string', enum: ['DoNotSchedule', 'ScheduleAnyway'] },
    labelSelector,
    matchLabelKeys: strings,
    nodeAffinityPolicy: string,
    nodeTaintsPolicy: string,
  },
  ['topologyKey'],
);

export const affinity: JsonSchema = closed({
  nodeAffinity: handedOn(),
  podAffinity: handedOn(),
  podAntiAffinity: handedOn(),
});

export const container: JsonSchema = handedOn(['name']);
export const volume: JsonSchema = handedOn(['name']);
export const anyObject: JsonSchema = handedOn(['apiVersion', 'kind']);

export const volumeMount: JsonSchema = closed(
  { name: string, mountPath: string, subPath: string, readOnly: boolean, mountPropagation: string },
  ['name', 'mountPath'],
);

export const pullSecret: JsonSchema = closed({ name: string }, ['name']);

/** networking.k8s.io/v1 */
export const peer: JsonSchema = closed({
  podSelector: labelSelector,
  namespaceSelector: labelSelector,
  ipBlock: closed({ cidr: string, except: strings }, ['cidr']),
});

/** networking.k8s.io/v1 */
export const egressRule: JsonSchema = closed({
  to: { type: 'array', items: peer },
  ports: {
    type: 'array',
    items: closed({ protocol: string, port: { type: ['integer', 'string'] }, endPort: integer }),
  },
});

/** networking.k8s.io/v1 */
export const ingressRule: JsonSchema = closed({
  from: { type: 'array', items: peer },
  ports: {
    type: 'array',
    items: closed({ protocol: string, port: { type: ['integer', 'string'] }, endPort: integer }),
  },
});

/** networking.k8s.io/v1 */
export const ingressTls: JsonSchema = closed({ secretName: string, hosts: strings });

/** gateway.networking.k8s.io/v1 */
export const parentRef: JsonSchema = closed(
  { group: string, kind: string, namespace: string, name: string, sectionName: string, port: integer },
  ['name'],
);

/** monitoring.coreos.com/v1 */
export const rule: JsonSchema = closed(
  { alert: string, record: string, expr: string, for: string, labels: textMap, annotations: textMap },
  ['expr'],
);
